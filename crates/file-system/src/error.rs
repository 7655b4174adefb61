//! What an error says beyond its kind, and the one table of kind names.
//!
//! An [`io::Error`] of this crate keeps its [`io::ErrorKind`] wherever it travels.
//! [`FileSystemError`] rides inside it as the payload and names the operation, the path and the
//! environment, each once. Nothing here guesses a cause, and nothing matches on message text.

use std::error::Error;
use std::sync::Arc;
use std::{fmt, io};

use codex_path_uri::PathUri;

use crate::EnvironmentId;

mod kind;

pub use kind::{filesystem_loop, kind_from_name, kind_name};

/// What a failed call was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// [`get_metadata`](crate::ExecutorFileSystem::get_metadata).
    GetMetadata,
    /// [`read_file`](crate::ExecutorFileSystem::read_file), and the bounded and textual reads.
    ReadFile,
    /// [`read_directory`](crate::ExecutorFileSystem::read_directory), and walks.
    ReadDirectory,
    /// [`canonicalize`](crate::ExecutorFileSystem::canonicalize).
    Canonicalize,
    /// [`write_file`](crate::ExecutorFileSystem::write_file).
    WriteFile,
    /// [`create_directory`](crate::ExecutorFileSystem::create_directory).
    CreateDirectory,
    /// [`remove`](crate::ExecutorFileSystem::remove).
    Remove,
    /// [`copy`](crate::ExecutorFileSystem::copy).
    Copy,
}

impl Operation {
    /// The verb of an error message: "cannot *read metadata of* ...".
    pub const fn verb(self) -> &'static str {
        match self {
            Operation::GetMetadata => "read metadata of",
            Operation::ReadFile => "read",
            Operation::ReadDirectory => "list",
            Operation::Canonicalize => "resolve",
            Operation::WriteFile => "write",
            Operation::CreateDirectory => "create",
            Operation::Remove => "remove",
            Operation::Copy => "copy",
        }
    }
}

/// The operation, path and environment of a failed call, carried as the payload of an
/// [`io::Error`] of the same kind.
///
/// The message contains that of [`source`](Self::source), so [`Error::source`] continues with
/// the cause *behind* it and no text appears twice in a printed chain.
///
/// # Examples
/// ```
/// use std::io;
///
/// use codex_file_system::{EnvironmentId, FileSystemError, Operation};
/// use codex_path_uri::PathUri;
///
/// let path = PathUri::parse("file:///srv/repo/AGENTS.md")?;
/// let build = EnvironmentId::new("build")?;
/// let bare = io::Error::new(io::ErrorKind::PermissionDenied, "access refused");
/// let error = FileSystemError::attach(bare, Operation::ReadFile, &path, Some(&build));
///
/// assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
/// assert_eq!(
///     error.to_string(),
///     "cannot read `file:///srv/repo/AGENTS.md` in environment `build`: access refused",
/// );
/// assert_eq!(FileSystemError::find(&error).map(|payload| &payload.path), Some(&path));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileSystemError {
    /// What was asked.
    pub operation: Operation,
    /// The path it was asked of; for a copy, the source.
    pub path: PathUri,
    /// The environment the path belongs to, where known.
    pub environment_id: Option<EnvironmentId>,
    /// What the filesystem answered.
    pub source: io::Error,
}

impl FileSystemError {
    /// The payload of this error, if it carries one.
    pub fn find(error: &io::Error) -> Option<&Self> {
        original(error).get_ref()?.downcast_ref()
    }

    /// Adds operation, path and environment to an error, once.
    ///
    /// An existing payload is kept, as it is the one nearest to the failure; only a missing
    /// environment id is filled in. The kind stays what it was.
    pub fn attach(
        mut error: io::Error,
        operation: Operation,
        path: &PathUri,
        environment_id: Option<&EnvironmentId>,
    ) -> io::Error {
        if let Some(payload) = error
            .get_mut()
            .and_then(|inner| inner.downcast_mut::<Self>())
        {
            if payload.environment_id.is_none() {
                payload.environment_id = environment_id.cloned();
            }
            return error;
        }
        if let Some(payload) = Self::find(&error) {
            return match (&payload.environment_id, environment_id) {
                (None, Some(environment_id)) => io::Error::new(
                    error.kind(),
                    Self {
                        operation: payload.operation,
                        path: payload.path.clone(),
                        environment_id: Some(environment_id.clone()),
                        source: if is_broken_link(&payload.source) {
                            broken_link(error.kind().into())
                        } else {
                            io::Error::new(error.kind(), payload.source.to_string())
                        },
                    },
                ),
                _ => error,
            };
        }
        let payload = Self {
            operation,
            path: path.clone(),
            environment_id: environment_id.cloned(),
            source: error,
        };
        io::Error::new(payload.source.kind(), payload)
    }
}

impl fmt::Display for FileSystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {} `{}`", self.operation.verb(), self.path)?;
        if let Some(environment_id) = &self.environment_id {
            write!(f, " in environment `{environment_id}`")?;
        }
        write!(f, ": {}", self.source)
    }
}

impl Error for FileSystemError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.source()
    }
}

/// Marks a `NotFound` whose path is a link. What the filesystem answered is its source.
#[derive(Debug)]
struct BrokenLink(io::Error);

impl fmt::Display for BrokenLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the link leads to nothing")
    }
}

impl Error for BrokenLink {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// Marks an error as that of a link whose target is missing. The kind stays what it was.
///
/// # Examples
/// ```
/// use std::io::{Error, ErrorKind};
///
/// use codex_file_system::error::{broken_link, is_broken_link};
///
/// let missing = Error::from(ErrorKind::NotFound);
/// assert!(!is_broken_link(&missing));
/// let marked = broken_link(missing);
/// assert!(is_broken_link(&marked));
/// assert_eq!(marked.kind(), ErrorKind::NotFound);
/// ```
pub fn broken_link(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), BrokenLink(error))
}

/// Whether this failure is that of a link whose target is missing, as far as the filesystem tells.
pub fn is_broken_link(error: &io::Error) -> bool {
    if let Some(payload) = FileSystemError::find(error) {
        return is_broken_link(&payload.source);
    }
    let payload = original(error).get_ref();
    payload.is_some_and(|payload| payload.is::<BrokenLink>())
}

/// Stands for an error that others hold too.
#[derive(Debug)]
struct SharedError(Arc<io::Error>);

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for SharedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// The same error once more.
pub(crate) fn hand_over_again(error: &Arc<io::Error>) -> io::Error {
    match (error.raw_os_error(), error.get_ref()) {
        (Some(number), _) => io::Error::from_raw_os_error(number),
        (None, None) => error.kind().into(),
        (None, Some(_)) => io::Error::new(error.kind(), SharedError(Arc::clone(error))),
    }
}

/// The error that was handed over again, or this one.
fn original(error: &io::Error) -> &io::Error {
    let payload = error.get_ref().and_then(|payload| payload.downcast_ref());
    match payload {
        Some(SharedError(original)) => self::original(original),
        None => error,
    }
}
