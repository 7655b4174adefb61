//! Skeleton essay; the filesystem crate replaces it.
mod command_spec;
mod environment;
pub mod error;
mod executor;
mod find_up;
#[cfg(feature = "local")]
mod local;
mod metadata;
mod options;
mod ordered_window;
mod sandbox;
mod severity;
mod walk;
mod window;
pub mod wrap;

pub use command_spec::CommandSpec;
pub use environment::{
    DuplicateEnvironment, Environment, EnvironmentId, EnvironmentSet, InvalidEnvironmentId,
    UnknownEnvironment,
};
pub use error::{FileSystemError, Operation};
pub use executor::{ExecutorFileSystem, FileSystemFuture, MAX_READ_FILE_BYTES};
pub use find_up::*;
#[cfg(feature = "local")]
pub use local::{LocalFileSystem, TokioTimer};
pub use metadata::{FileKind, FileMetadata, FilePrefix, ReadDirectoryEntry};
pub use options::{CopyOptions, CreateDirectoryOptions, RemoveOptions};
pub use sandbox::{FileSystemSandboxContext, SandboxAccess, SandboxEntry, SandboxPolicy};
pub use severity::Severity;
pub use walk::*;
pub use window::Window;
