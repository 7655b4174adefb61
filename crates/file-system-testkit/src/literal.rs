//! The tree literal: one directory tree, one entry a line, the same text for memory and disk.
//!
//! ```text
//! PATH/            a directory
//! PATH = TEXT      a file with this text (`PATH =` is an empty one)
//! PATH =*N         a file of N bytes, byte i is i mod 256
//! PATH =~N         a file of N zero bytes, sparse
//! PATH -> TARGET   a symbolic link
//! PATH |           a FIFO
//! PATH !MODE ...   any of these but a link, with octal permission bits
//! ```
//!
//! Parents are created. Names, texts and targets are percent-decoded after the line is taken
//! apart, so `%20=` spells what would otherwise be an operator. Blank lines and blanks before a
//! path are ignored; blanks at the end of a text belong to it. A path without a root is relative
//! to the root of a POSIX tree, to `C:\` of a Windows tree, to the directory given on disk. Modes
//! are applied last, whatever their line.
//!
//! This module only reads lines; what a line does to a tree is said where the tree is.

mod entry;
mod error;
mod line;
mod percent;

pub use entry::{TreeEntry, TreeItem, tree_entries};
pub use error::{TreeError, TreeProblem};
pub(crate) use line::{Line, parse};
pub use percent::escape;
