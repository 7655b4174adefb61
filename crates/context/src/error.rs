//! [`ContextError`]: why there is no context at all. What only loses a part of it is a diagnostic.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use codex_config::ConfigError;
use codex_file_system::{DuplicateEnvironment, EnvironmentId, InvalidEnvironmentId};
use codex_path_uri::{PathUri, PathUriError};

/// Why nothing was loaded: the request cannot be met, or the configuration not be used.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ContextError {
    /// The text is no environment id.
    #[error(transparent)]
    InvalidEnvironmentId(#[from] InvalidEnvironmentId),
    /// Two environments of the request have the same id.
    #[error(transparent)]
    DuplicateEnvironment(#[from] DuplicateEnvironment),
    /// A path that needs to be absolute is not.
    #[error("`{}` is no absolute path", text.escape_debug())]
    RelativePath {
        /// The path as it was given.
        text: String,
    },
    /// The text is no path.
    #[error("cannot use the path `{}`", text.escape_debug())]
    InvalidPath {
        /// The path as it was given.
        text: String,
        /// Why not.
        source: Arc<PathUriError>,
    },
    /// The process does not know a directory that is needed.
    #[error("cannot tell {what}")]
    UnknownDirectory {
        /// Which one, in words.
        what: &'static str,
        /// What to do.
        advice: &'static str,
        /// What the operating system said, if it was asked.
        source: Option<Arc<io::Error>>,
    },
    /// The request names no environment to work in.
    #[error("cannot load the context of no environment")]
    NoEnvironment,
    /// The start directory of an environment that answers cannot be used.
    #[error("cannot start in {} (environment `{environment_id}`){}", path.inferred_native_path_string(), why(source.as_deref()))]
    StartDirectory {
        /// The environment.
        environment_id: EnvironmentId,
        /// The directory.
        path: PathUri,
        /// What the filesystem said; `None` where something else is in its place.
        source: Option<Arc<io::Error>>,
    },
    /// No environment answers.
    #[error("cannot reach {}", Unreached(environments))]
    Unreachable {
        /// Every environment, and what its filesystem said.
        environments: Vec<(EnvironmentId, Arc<io::Error>)>,
    },
    /// A file lies in no project of the session.
    #[error("{} lies in no project of the session", path.inferred_native_path_string())]
    OutsideProjects {
        /// The file.
        path: PathUri,
    },
    /// A configuration layer or value cannot be used.
    #[error(transparent)]
    Config(Arc<ConfigError>),
}

impl From<ConfigError> for ContextError {
    fn from(error: ConfigError) -> Self {
        Self::Config(Arc::new(error))
    }
}

impl ContextError {
    pub(crate) fn invalid_path(text: &str, source: PathUriError) -> Self {
        let (text, source) = (text.to_owned(), Arc::new(source));
        Self::InvalidPath { text, source }
    }

    /// What to do about it, where the sentence does not say it.
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::InvalidEnvironmentId(_) | Self::Config(_) => return None,
            Self::DuplicateEnvironment(_) => "give every environment its own id",
            Self::RelativePath { .. } => "give an absolute path or a file: URI",
            Self::InvalidPath { .. } => "correct it",
            Self::UnknownDirectory { advice, .. } => advice,
            Self::NoEnvironment => "name one",
            Self::OutsideProjects { .. } => "name a file below a project root",
            Self::StartDirectory { .. } => "name an existing directory",
            Self::Unreachable { .. } => {
                "check the target and that a server runs or can be started there"
            }
        })
    }
}

/// What is wrong with a start directory, where the source does not say it better.
fn why(source: Option<&io::Error>) -> &'static str {
    match source {
        None => ": it is no directory",
        Some(error) if error.kind() == io::ErrorKind::NotFound => ": it does not exist",
        Some(_) => "",
    }
}

struct Unreached<'a>(&'a [(EnvironmentId, Arc<io::Error>)]);

impl fmt::Display for Unreached<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, several) = match self.0 {
            [_] => ("the environment ", ""),
            _ => ("any of the environments: ", "; "),
        };
        f.write_str(one)?;
        for (index, (id, error)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { several };
            write!(f, "{separator}`{id}`: {error}")?;
            let mut cause = error.source();
            while let Some(inner) = cause {
                write!(f, ": {inner}")?;
                cause = inner.source();
            }
        }
        Ok(())
    }
}
