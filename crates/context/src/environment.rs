//! A machine that an agent works on, as a host names it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use codex_file_system::{EnvironmentId, ExecutorFileSystem};
use codex_path_uri::{PathConvention, PathUri};

use crate::ContextError;
use crate::patience::patient;

/// How long one call to another machine may take, unless a host says otherwise.
pub const DEFAULT_CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// A filesystem, the directory that an agent starts in, and an id.
///
/// # Examples
/// ```
/// use codex_context::Environment;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
///
/// let files = MemoryFileSystem::from_tree(Flavor::Windows, r"D:/ci/.git/")?;
/// let build = Environment::new("build", r"D:\ci", files)?;
/// assert_eq!(build.cwd.as_str(), "file:///D:/ci");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Environment {
    /// Shown to the model where there are several, and kept in everything that is found there.
    pub id: EnvironmentId,
    /// The directory that an agent starts in.
    pub cwd: PathUri,
    /// Where its files are.
    pub filesystem: Arc<dyn ExecutorFileSystem>,
    /// How long one call may take; then it fails with `TimedOut`. `None` leaves that to the
    /// filesystem. Outside of a tokio runtime nothing is timed.
    pub call_timeout: Option<Duration>,
    /// Whether the start directory is asked for.
    pub start_directory: StartDirectory,
}

/// Whether a load asks for a start directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartDirectory {
    /// One call finds out whether it is a directory, and whether the environment answers at all.
    #[default]
    Checked,
    /// It is known to exist, and the environment to answer.
    Known,
}

impl Environment {
    /// A machine whose files are behind `filesystem`. `cwd` is an absolute path of either
    /// convention or a `file:` URI.
    ///
    /// # Errors
    /// When the id or the path is none.
    pub fn new(
        id: &str,
        cwd: &str,
        filesystem: impl ExecutorFileSystem + 'static,
    ) -> Result<Self, ContextError> {
        Ok(Self {
            id: EnvironmentId::new(id)?,
            cwd: absolute_path(cwd)?,
            filesystem: Arc::new(filesystem),
            call_timeout: Some(DEFAULT_CALL_TIMEOUT),
            start_directory: StartDirectory::default(),
        })
    }

    /// The same for the loaders: errors name the environment, and calls end in time.
    pub(crate) fn bind(&self) -> codex_file_system::Environment {
        let filesystem = match self.call_timeout {
            Some(timeout) => patient(Arc::clone(&self.filesystem), timeout),
            None => Arc::clone(&self.filesystem),
        };
        codex_file_system::Environment::new(self.id.clone(), self.cwd.clone(), filesystem)
    }
}

/// The environment of a host that binds its machines already: nothing is timed.
impl From<codex_file_system::Environment> for Environment {
    fn from(environment: codex_file_system::Environment) -> Self {
        Self {
            id: environment.id().clone(),
            cwd: environment.cwd().clone(),
            filesystem: Arc::clone(environment.filesystem()),
            call_timeout: None,
            start_directory: StartDirectory::default(),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("id", &self.id)
            .field("cwd", &self.cwd)
            .field("call_timeout", &self.call_timeout)
            .field("start_directory", &self.start_directory)
            .finish_non_exhaustive()
    }
}

/// An absolute path of either convention, or a `file:` URI.
///
/// # Errors
/// When the text is neither.
///
/// # Examples
/// ```
/// assert_eq!(codex_context::absolute_path("/srv/shop")?.as_str(), "file:///srv/shop");
/// assert_eq!(codex_context::absolute_path(r"D:\ci")?.as_str(), "file:///D:/ci");
/// assert!(codex_context::absolute_path("shop").is_err());
/// # Ok::<(), codex_context::ContextError>(())
/// ```
pub fn absolute_path(text: &str) -> Result<PathUri, ContextError> {
    let scheme = text.get(..5);
    if scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
        let parsed = PathUri::parse_lenient(text, None).map(|(path, _)| path);
        return parsed.map_err(|source| ContextError::invalid_path(text, source));
    }
    let Some(convention) = PathConvention::infer_absolute(text) else {
        return Err(ContextError::RelativePath {
            text: text.to_owned(),
        });
    };
    PathUri::from_native(text, convention)
        .map_err(|source| ContextError::invalid_path(text, source))
}
