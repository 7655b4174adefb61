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
//! # Implementing your own
//!
//! One that does the same around every call of another filesystem is a
//! [`Uniform`](codex_file_system::call::Uniform), one over blocking calls a
//! [`BlockingFileSystem`](codex_file_system::BlockingFileSystem).
//!
//! The tables of [`ExecutorFileSystem`] are the contract, and [`conformance`] examines it. What it
//! needs of an implementation is a [`Subject`](conformance::Subject): how to set one up with the
//! tree of a case, and what it lacks. [`tree_entries`] reads the tree. One that can write needs
//! nothing else to build it; one that also has links, FIFOs or modes makes those as it can.
//!
//! Here a filesystem that is empty at first stands for yours, and every case is run on it:
//! ```
//! use codex_file_system::{CreateDirectoryOptions, ExecutorFileSystem};
//! use codex_file_system_testkit::conformance::{
//!     Built, CASES, Failure, Fixture, Need, Subject, Verdict, examine,
//! };
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem, TreeItem, tree_entries};
//! use codex_path_uri::PathUri;
//!
//! struct Yours;
//!
//! impl Subject for Yours {
//!     fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
//!         Box::pin(async move {
//!             let fs = MemoryFileSystem::posix();
//!             let base = PathUri::parse("file:///srv/case")?;
//!             let with_parents = CreateDirectoryOptions::default();
//!             fs.create_directory(&base, with_parents, None).await?;
//!             for entry in tree_entries(Flavor::Posix, tree)? {
//!                 let path = entry.below(&base)?;
//!                 let directory = match entry.item {
//!                     TreeItem::Directory => Some(path.clone()),
//!                     _ => path.parent(),
//!                 };
//!                 if let Some(directory) = directory {
//!                     fs.create_directory(&directory, with_parents, None).await?;
//!                 }
//!                 match entry.item {
//!                     TreeItem::Directory => {}
//!                     TreeItem::File(contents) => {
//!                         fs.write_file(&path, contents.to_vec(), None).await?;
//!                     }
//!                     TreeItem::Link(_) | TreeItem::Fifo => {
//!                         return Err(Failure::new("a case that needs what is lacking"));
//!                     }
//!                 }
//!             }
//!             Ok(Fixture::new(fs, base))
//!         })
//!     }
//!
//!     fn lacks(&self, need: Need) -> Option<&str> {
//!         match need {
//!             Need::Writes | Need::NonUtf8 | Need::Sandbox => None,
//!             Need::WindowsNames => Some("a POSIX filesystem"),
//!             _ => Some("no call of the trait makes one"),
//!         }
//!     }
//! }
//!
//! let runtime = Yours.runtime()?;
//! let mut skipped = 0;
//! for case in CASES {
//!     match runtime.block_on(examine(&Yours, case)) {
//!         Verdict::Passed => {}
//!         Verdict::Skipped(_) => skipped += 1,
//!         Verdict::Failed(failure) => panic!("{}: {failure}", case.name),
//!     }
//! }
//! assert_eq!(skipped, 37, "the cases of links, modes, FIFOs, sparse files and Windows");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! In a test target [`trials`](conformance::trials) make each case a test of its own and fail if
//! more or fewer are skipped than stated, so that no rule goes unexamined by accident. A case that
//! fails says the line that checks the rule. The eight required methods suffice; an override of a
//! provided one is held against its default body ([`Scalar`]).
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
//! | [`cases`] | tables of cases in JSON: read strictly, run one by one, every failure named |
//! | [`meter`] | what a piece of work costs: its calls, its round trips, the most in flight |
//! | [`arb`] | proptest strategies for names, paths, trees, markers, latencies and faults |
//! | [`conformance`] | the contract as named cases, run on every filesystem and wrapper |
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
pub mod cases;
pub mod conformance;
mod contents;
mod faulty;
mod flavor;
mod forbidden;
mod literal;
mod memory;
pub mod meter;
mod on_disk;
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
