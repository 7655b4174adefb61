//! The contract of the trait as named cases, one suite for every filesystem and wrapper.
//!
//! A [`Subject`] builds filesystems to be examined, a [`Case`] examines one rule of the contract,
//! [`trials`] pairs them as tests named `SUBJECT::CASE` for a libtest-mimic harness. A subject
//! states what it lacks; a case that needs it is skipped with that reason, never in silence, and
//! the number of skips is itself a test.
//!
//! The cases say nothing about time and start no thread. A case that never ends is a failure
//! after [`PATIENCE`], in virtual time on a paused clock.
//!
//! # Examples
//! ```
//! use codex_file_system_testkit::conformance::{CASES, MemorySubject, Verdict, examine};
//! use codex_file_system_testkit::Flavor;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
//! let case = CASES.iter().find(|case| case.name == "stat_missing_is_not_found");
//! let case = case.ok_or("a case of the suite")?;
//! let verdict = runtime.block_on(examine(&MemorySubject::new(Flavor::Windows), case));
//! assert_eq!(verdict, Verdict::Passed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A whole matrix is one `main`, in a test target with `harness = false`:
//! ```no_run
//! use codex_file_system::wrap::Counting;
//! use codex_file_system_testkit::Flavor;
//! use codex_file_system_testkit::conformance::{MemorySubject, trials};
//!
//! let memory = MemorySubject::new(Flavor::Posix);
//! let counting = memory.clone().wrapped(|memory| Counting::new(memory));
//! let mut all = trials("memory-posix", memory, 2);
//! all.extend(trials("counting", counting, 2));
//! libtest_mimic::run(&libtest_mimic::Arguments::from_args(), all).exit();
//! ```

mod case;
mod check;
mod harness;
mod links;
mod list;
mod memory;
mod names;
mod read;
mod rules;
mod stat;
mod subject;
#[cfg(unix)]
mod unprivileged;
mod walk;
mod write;

pub use case::{CASES, Case, CaseFuture, CaseResult, Need, Needs, Run};
pub use check::Failure;
pub use harness::{PATIENCE, Verdict, examine, trials};
pub use memory::MemorySubject;
pub use subject::{Built, Fixture, Subject};
#[cfg(unix)]
pub use unprivileged::without_privileges;
