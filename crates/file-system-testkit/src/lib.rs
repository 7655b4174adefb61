//! Everything needed to test against, or to test, an
//! [`ExecutorFileSystem`](codex_file_system::ExecutorFileSystem).

pub mod arb;
mod calls;
pub mod conformance;
mod contents;
mod faulty;
mod flavor;
mod intercept;
mod literal;
mod memory;
mod on_disk;
pub mod saboteurs;
mod scalar;
mod trace;
mod wtf8;

pub use faulty::{Fault, Faulty};
pub use flavor::Flavor;
pub use literal::{TreeError, TreeProblem, escape};
pub use memory::MemoryFileSystem;
pub use on_disk::build_on_disk;
pub use scalar::Scalar;
pub use trace::{Trace, TraceEvent, TraceStep};
