//! Everything needed to test *against* an [`ExecutorFileSystem`], and to test one.
//!
//! A discovery algorithm is tested against [`MemoryFileSystem`]: a complete POSIX or Windows
//! machine that needs no host, set up from a few lines of text and ready at every first poll.
//! Its behaviour is the contract of the trait, whatever machine the tests run on.
//!
//! ```
//! use codex_file_system::{FindUpErrorPolicy, find_nearest_ancestor_with_markers};
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::PathUri;
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let fs = MemoryFileSystem::from_tree(Flavor::Windows, "
//!     C:/src/repo/.git = gitdir: ../main
//!     C:/src/repo/crates/core/
//! ")?;
//! let start = PathUri::parse("file:///C:/src/repo/crates/core")?;
//! let propagate = FindUpErrorPolicy::Propagate;
//! let root = find_nearest_ancestor_with_markers(&fs, &start, [".git"], propagate, None).await?;
//! assert_eq!(root, Some(PathUri::parse("file:///C:/src/repo")?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The tree literal
//!
//! One entry a line. Parents are created, modes are applied last.
//!
//! | line | entry |
//! |---|---|
//! | `PATH/` | a directory |
//! | `PATH = TEXT`, `PATH =` | a file with this text, an empty file |
//! | `PATH =*N` | a file of N bytes, byte i is i mod 256 |
//! | `PATH =~N` | a file of N zero bytes, sparse |
//! | `PATH -> TARGET` | a symbolic link |
//! | `PATH \|` | a FIFO |
//! | `PATH !MODE ...` | any of these but a link, with octal permission bits |
//!
//! Names, texts and targets are percent-decoded, once, after the line is taken apart; [`escape`]
//! spells any bytes. A path without a root lies below `/` or `C:\`. Windows trees take drives
//! (`D:/a`) and shares (`//server/share/a`), either separator, and lone surrogates in generalized
//! UTF-8 (`%ED%A0%80`). The same literal builds a real directory with [`build_on_disk`], and
//! [`tree_entries`] reads it for any other filesystem.
//!
//! # The other parts
//!
//! | part | for |
//! |---|---|
//! | [`Altered`] | some calls answered otherwise, by a few methods of a test's own |
//! | [`Faulty`] | calls that fail, dawdle or never answer, by script |
//! | [`Forbidden`] | the files of a machine that must be left alone |
//! | [`ScratchDirectory`] | a tree on this host, which goes away whatever was closed in it |
//! | [`Trace`] | what was called, when, and how it ended, as text for a snapshot |
//! | [`Scalar`] | the default bodies of the trait over another filesystem's scalar calls |
//! | [`arb`] | proptest strategies for names, paths, trees, markers, latencies and faults |
//! | [`conformance`] | the contract as named cases, run on every filesystem and wrapper |
//! | [`saboteurs`] | filesystems that break one rule each, to prove that the suite notices |
//!
//! # What this crate is not
//!
//! It is no dependency of anything shipped. It keeps no rule of its own: where it says how a
//! filesystem behaves, it repeats the contract of the trait. And it is used from `tests/`,
//! benches and documentation only: a unit test inside `codex-file-system` would see two copies of
//! that crate, its own and the one this crate was built with, whose types do not match.
//!
//! [`ExecutorFileSystem`]: codex_file_system::ExecutorFileSystem

mod altered;
pub mod arb;
mod calls;
pub mod conformance;
mod contents;
mod faulty;
mod flavor;
mod forbidden;
mod intercept;
mod literal;
mod memory;
mod on_disk;
pub mod saboteurs;
mod scalar;
mod scratch;
mod trace;
mod wtf8;

pub use altered::{Alteration, Altered};
pub use contents::Contents;
pub use faulty::{Fault, Faulty};
pub use flavor::Flavor;
pub use forbidden::Forbidden;
pub use literal::{TreeEntry, TreeError, TreeItem, TreeProblem, escape, tree_entries};
pub use memory::MemoryFileSystem;
pub use on_disk::build_on_disk;
pub use scalar::Scalar;
pub use scratch::ScratchDirectory;
pub use trace::{Trace, TraceEvent, TraceStep};
