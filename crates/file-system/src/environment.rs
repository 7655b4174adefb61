//! Environments: a filesystem, a working directory and an identity, bound together.
//!
//! A path means something only together with the environment it belongs to: the same spelling
//! in two environments is two files. An [`EnvironmentSet`] never looks anything up in another
//! environment than the one that was named, and it never makes a filesystem call.

use std::{fmt, str::FromStr, sync::Arc};

use codex_path_uri::{AbsolutePathBuf, PathUri};
use serde::{Deserialize, Serialize};

use crate::ExecutorFileSystem;
use crate::wrap::Context;

/// Most characters of an [`EnvironmentId`].
const MAX_ID_LENGTH: usize = 64;

/// The identity of an environment: 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`.
///
/// Cloning shares the text. Serialized as a string, with the same check on the way in.
///
/// # Examples
/// ```
/// use codex_file_system::EnvironmentId;
///
/// let id = EnvironmentId::new("build-host_2")?;
/// assert_eq!(id.as_str(), "build-host_2");
/// assert!(EnvironmentId::new("").is_err());
/// assert!(EnvironmentId::new("a b").is_err());
/// # Ok::<(), codex_file_system::InvalidEnvironmentId>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EnvironmentId(Arc<str>);

impl EnvironmentId {
    /// Checks the text.
    ///
    /// # Errors
    /// [`InvalidEnvironmentId`] unless it is 1 to 64 of `A-Z`, `a-z`, `0-9`, `_` and `-`.
    pub fn new(text: &str) -> Result<Self, InvalidEnvironmentId> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (1..=MAX_ID_LENGTH).contains(&text.len()) && text.bytes().all(is_allowed) {
            Ok(Self(text.into()))
        } else {
            Err(InvalidEnvironmentId(text.to_owned()))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EnvironmentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<&str> for EnvironmentId {
    type Error = InvalidEnvironmentId;

    /// As [`EnvironmentId::new`].
    fn try_from(text: &str) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

impl FromStr for EnvironmentId {
    type Err = InvalidEnvironmentId;

    /// As [`EnvironmentId::new`].
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl TryFrom<String> for EnvironmentId {
    type Error = InvalidEnvironmentId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(&text)
    }
}

impl From<EnvironmentId> for String {
    fn from(id: EnvironmentId) -> String {
        id.as_str().to_owned()
    }
}

/// The text is no environment id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid environment id `{}`: use 1 to 64 of A-Z, a-z, 0-9, _ and -", .0.escape_debug())]
pub struct InvalidEnvironmentId(String);

/// Two environments of one set have the same id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("environment `{0}` is bound twice")]
pub struct DuplicateEnvironment(EnvironmentId);

/// No environment of the set has the id that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEnvironment {
    /// The id as it was asked for; it need not be a valid one.
    pub asked: String,
    /// The ids that are bound, in binding order.
    pub known: Vec<EnvironmentId>,
}

impl fmt::Display for UnknownEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown environment `{}`, ", self.asked.escape_debug())?;
        if self.known.is_empty() {
            return f.write_str("none is bound");
        }
        f.write_str("known are ")?;
        for (index, id) in self.known.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}`{id}`")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownEnvironment {}

/// A filesystem bound to an identity and a working directory.
///
/// Clones share the filesystem.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, ExecutorFileSystem};
/// use codex_path_uri::PathUri;
///
/// # fn bind(filesystem: Arc<dyn ExecutorFileSystem>) -> Result<(), Box<dyn std::error::Error>> {
/// let cwd = PathUri::parse("file:///C:/src/repo")?;
/// let environment = Environment::new(EnvironmentId::new("windows-box")?, cwd, filesystem);
/// let environments = EnvironmentSet::new(vec![environment])?;
///
/// assert_eq!(environments.get("windows-box")?.cwd().as_str(), "file:///C:/src/repo");
/// assert_eq!(
///     environments.get("laptop").map(|_| ()).unwrap_err().to_string(),
///     "unknown environment `laptop`, known are `windows-box`",
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Environment {
    id: EnvironmentId,
    cwd: PathUri,
    filesystem: Arc<dyn ExecutorFileSystem>,
}

impl Environment {
    /// Binds the three; every error of the filesystem names the environment from here on
    /// ([`Context`]).
    pub fn new(id: EnvironmentId, cwd: PathUri, filesystem: Arc<dyn ExecutorFileSystem>) -> Self {
        let filesystem = Arc::new(Context::new(filesystem, Some(id.clone())));
        Self {
            id,
            cwd,
            filesystem,
        }
    }

    /// Its identity.
    pub fn id(&self) -> &EnvironmentId {
        &self.id
    }

    /// The directory work in it starts from.
    pub fn cwd(&self) -> &PathUri {
        &self.cwd
    }

    /// Its filesystem, with the environment named in every error.
    pub fn filesystem(&self) -> &Arc<dyn ExecutorFileSystem> {
        &self.filesystem
    }

    /// Another hold of [`filesystem`](Self::filesystem), for callers written for codex-rs.
    #[must_use]
    pub fn get_filesystem(&self) -> Arc<dyn ExecutorFileSystem> {
        Arc::clone(self.filesystem())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("id", &self.id)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// Environments in the order they were bound, each id once.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentSet(Vec<Environment>);

impl EnvironmentSet {
    /// Keeps the order.
    ///
    /// # Errors
    /// [`DuplicateEnvironment`] names the first id that is bound twice.
    pub fn new(environments: Vec<Environment>) -> Result<Self, DuplicateEnvironment> {
        let mut seen = std::collections::HashSet::new();
        for environment in &environments {
            if !seen.insert(&environment.id) {
                return Err(DuplicateEnvironment(environment.id.clone()));
            }
        }
        Ok(Self(environments))
    }

    /// The environment with this id.
    ///
    /// # Errors
    /// [`UnknownEnvironment`] names the asked id and all known ones. No call is made.
    pub fn get(&self, id: &str) -> Result<&Environment, UnknownEnvironment> {
        match self
            .iter()
            .find(|environment| environment.id.as_str() == id)
        {
            Some(environment) => Ok(environment),
            None => Err(UnknownEnvironment {
                asked: id.to_owned(),
                known: self
                    .iter()
                    .map(|environment| environment.id.clone())
                    .collect(),
            }),
        }
    }

    /// The environments in binding order.
    pub fn iter(&self) -> impl Iterator<Item = &Environment> {
        self.0.iter()
    }
}

/// The program at the other end of a pipe.
///
/// # Examples
/// ```
/// use codex_file_system::CommandSpec;
///
/// let over_ssh = CommandSpec {
///     program: "ssh".to_owned(),
///     args: ["build-host", "codex", "exec-server"].map(str::to_owned).to_vec(),
///     env: Vec::new(),
///     cwd: None,
/// };
/// assert_eq!(over_ssh.args.len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// Name or path of the program; never interpreted by a shell.
    pub program: String,
    /// Its arguments, one element each.
    pub args: Vec<String>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// Directory to start it in; the caller's own when absent.
    pub cwd: Option<AbsolutePathBuf>,
}

/// A host, container or pod that is empty or that a program would take for an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid destination `{}` of `{program}`: it must not be empty or start with `-`", destination.escape_debug())]
pub struct InvalidDestination {
    /// The program that would reach it.
    pub program: String,
    /// The text.
    pub destination: String,
}

impl CommandSpec {
    /// A program that reaches another machine: its options, the destination, and what it starts
    /// there.
    ///
    /// # Errors
    /// A destination that is empty or starts with `-`.
    ///
    /// # Examples
    /// ```
    /// use codex_file_system::CommandSpec;
    ///
    /// let command = CommandSpec::with_destination("ssh", &["-s", "--"], "build-host", &["sftp"])?;
    /// assert_eq!(command.args, ["-s", "--", "build-host", "sftp"]);
    /// let refused = CommandSpec::with_destination("ssh", &[], "-oProxyCommand=reboot", &[]);
    /// assert!(refused.is_err());
    /// # Ok::<(), codex_file_system::InvalidDestination>(())
    /// ```
    pub fn with_destination(
        program: &str,
        options: &[&str],
        destination: &str,
        remote: &[&str],
    ) -> Result<Self, InvalidDestination> {
        if destination.is_empty() || destination.starts_with('-') {
            return Err(InvalidDestination {
                program: program.to_owned(),
                destination: destination.to_owned(),
            });
        }
        let words = [options, &[destination], remote].concat();
        Ok(Self {
            program: program.to_owned(),
            args: words.into_iter().map(str::to_owned).collect(),
            env: Vec::new(),
            cwd: None,
        })
    }
}
