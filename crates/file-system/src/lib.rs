//! One filesystem trait for every machine a coding agent works on.
//!
//! A host needs the files of its agent's environment: instructions, skills, manifests. They may
//! lie here, on a remote executor, or on another operating system altogether. So nothing in this
//! workspace opens a file: it asks an [`ExecutorFileSystem`], whose implementers are this host
//! (`LocalFileSystem`, behind the feature `local`), remote executors, SSH servers, trees in
//! memory for tests, and the [wrappers](wrap) around any of them. A path is a
//! [`PathUri`](codex_path_uri::PathUri), which names a file of either path convention on any
//! host.
//!
//! ```
//! use codex_file_system::wrap::Counting;
//! use codex_file_system::{FindUpErrorPolicy, find_nearest_ancestor_with_markers};
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::PathUri;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tree = "/srv/repo/.git/\n/srv/repo/crates/core/";
//! let fs = Counting::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
//! let cwd = PathUri::parse("file:///srv/repo/crates/core")?;
//!
//! let policy = FindUpErrorPolicy::Propagate;
//! let search = find_nearest_ancestor_with_markers(&fs, &cwd, [".git"], policy, None);
//! let root = futures::executor::block_on(search)?;
//!
//! assert_eq!(root, Some(PathUri::parse("file:///srv/repo")?));
//! assert_eq!(fs.calls().get_metadata, 3);
//! # Ok(())
//! # }
//! ```
//!
//! # Calls are the currency
//!
//! A call may cross a network, so what matters is how many there are and how many must wait for
//! another. One method call is one round trip; no implementation hides a second one. A loader is a serial
//! program over a [`Lookahead`], which asks ahead what the loader will probably need; so the result is
//! that of the serial program, in whatever order answers come. Every function states what it costs, and
//! a test asserts the number: [`wrap::Counting`] counts, [`wrap::Latency`] delays on a clock that
//! tests can pause.
//!
//! # What is here
//!
//! | item | what it is |
//! |---|---|
//! | [`ExecutorFileSystem`] | the trait, with the contract every implementation meets |
//! | [`BlockingFileSystem`] | the same calls where an answer is a plain result |
//! | [`call`] | a call as a value, for wrappers and pools of one's own |
//! | [`Lookahead`] | several calls in flight for a loader that asks one after another |
//! | [`find_up`], [`find_git_root`] | the nearest ancestor with a marker |
//! | [`Environment`], [`EnvironmentSet`] | a filesystem bound to an identity and a directory |
//! | [`FileSystemError`], [`error`] | what failed, where; the names of error kinds |
//! | [`FileSystemSandboxContext`] | what one call may touch |
//! | [`wrap`] | counting, latency, limits, context, observers |
//! | [`Window`], [`Severity`], [`CommandSpec`] | small vocabulary shared by the crates above |
//!
//! # What it never does
//!
//! It never canonicalizes during an upward walk: the ancestors of `link/src` are `link` and what
//! is above it. It never falls back to another filesystem: a failing remote is a failure, not the
//! host's own files. It never caches, retries or spawns, and it needs no runtime: tokio is used
//! by the features `local` and `process` only. Watching, renaming, locks, globbing and streaming writes are out
//! of scope.

mod blocking;
pub mod call;
mod environment;
pub mod error;
mod executor;
mod find_up;
#[cfg(feature = "local")]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the one place that touches the host"
)]
mod local;
mod lookahead;
mod metadata;
mod options;
#[cfg(feature = "process")]
mod process;
mod sandbox;
mod walk;
pub mod wrap;

pub use blocking::BlockingFileSystem;
pub use environment::{
    CommandSpec, DuplicateEnvironment, Environment, EnvironmentId, EnvironmentSet,
    InvalidDestination, InvalidEnvironmentId, UnknownEnvironment,
};
pub use error::{FileSystemError, Operation};
pub use executor::{
    ExecutorFileSystem, ExecutorFileSystemFuture, FileSystemFuture, FileSystemResult,
    MAX_READ_FILE_BYTES,
};
pub use find_up::{
    FindUpErrorPolicy, FindUpOptions, FindUpOutcome, FindUpStop, IgnoredProbe,
    MAX_CONCURRENT_PROBES, MarkerKind, find_git_root, find_native_git_root,
    find_nearest_ancestor_with_markers, find_nearest_native_ancestor_with_markers, find_up,
    find_up_native, find_up_with,
};
#[cfg(feature = "local")]
pub use local::{LocalFileSystem, TokioTimer};
pub use lookahead::{
    Answer, Expectation, Lookahead, MAX_BEGINNING_BYTES, PlannedCall, Question, ReadCall,
};
pub use metadata::{FileKind, FileMetadata, FilePrefix, ReadDirectoryEntry};
pub use options::{
    CopyOptions, CreateDirectoryOptions, RemoveOptions, Severity, TextPosition, Window,
};
#[cfg(feature = "process")]
pub use process::{ChildProcess, ExitReport};
pub use sandbox::{
    FileSystemSandboxContext, SandboxAccess, SandboxEntry, SandboxPolicy, granted_access,
};
pub use walk::{
    MAX_WALK_DEPTH, MAX_WALK_DIRECTORIES, MAX_WALK_ENTRIES, Walk, WalkEntry, WalkError,
    WalkOptions, walk_by_listing,
};
