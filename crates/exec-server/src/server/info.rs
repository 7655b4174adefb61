//! What the server tells of its machine, as the host that starts it knows it.
//!
//! Nothing here is looked up: the command reads the environment and passes values in. What the
//! host does not say is left out of the wire's object, never guessed.

use codex_path_uri::{PathConvention, PathUri};

use crate::protocol::{self, Shell};

/// What a server tells of its machine.
///
/// The convention of [`cwd`](Self::cwd) is that of every path the server takes.
///
/// # Examples
/// ```
/// use codex_exec_server::server::EnvironmentInfo;
/// use codex_path_uri::PathUri;
///
/// let info = EnvironmentInfo::new(PathUri::parse("file:///srv")?)
///     .with_platform_os("linux")
///     .with_hostname("build-7");
/// assert_eq!(info.platform_os.as_deref(), Some("linux"));
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnvironmentInfo {
    /// The server's working directory.
    pub cwd: PathUri,
    /// The user's shell.
    pub shell: Option<Shell>,
    /// Version of the program that serves.
    pub executor_version: Option<String>,
    /// The user's home directory.
    pub user_home: Option<PathUri>,
    /// The directory of the user's configuration; answered to `environmentConfig/read` only.
    pub codex_home: Option<PathUri>,
    /// The name of the machine; answered to `environmentConfig/read` only.
    pub hostname: Option<String>,
    /// Where temporary files go.
    pub temp_directory: Option<PathUri>,
    /// `linux`, `macos` or `windows`: chooses the table by which a client reads error numbers.
    pub platform_os: Option<String>,
}

impl EnvironmentInfo {
    /// A machine of which only the working directory is known.
    pub fn new(cwd: PathUri) -> Self {
        Self {
            cwd,
            shell: None,
            executor_version: None,
            user_home: None,
            codex_home: None,
            hostname: None,
            temp_directory: None,
            platform_os: None,
        }
    }

    /// Sets the user's shell.
    #[must_use]
    pub fn with_shell(mut self, name: impl Into<String>, path: impl Into<String>) -> Self {
        self.shell = Some(Shell {
            name: name.into(),
            path: path.into(),
        });
        self
    }

    /// Sets the version of the program that serves.
    #[must_use]
    pub fn with_executor_version(mut self, version: impl Into<String>) -> Self {
        self.executor_version = Some(version.into());
        self
    }

    /// Sets the user's home directory.
    #[must_use]
    pub fn with_user_home(mut self, directory: PathUri) -> Self {
        self.user_home = Some(directory);
        self
    }

    /// Sets the directory of the user's configuration.
    #[must_use]
    pub fn with_codex_home(mut self, directory: PathUri) -> Self {
        self.codex_home = Some(directory);
        self
    }

    /// Sets the name of the machine.
    #[must_use]
    pub fn with_hostname(mut self, hostname: impl Into<String>) -> Self {
        self.hostname = Some(hostname.into());
        self
    }

    /// Sets where temporary files go.
    #[must_use]
    pub fn with_temp_directory(mut self, directory: PathUri) -> Self {
        self.temp_directory = Some(directory);
        self
    }

    /// Sets the system the machine runs.
    #[must_use]
    pub fn with_platform_os(mut self, platform: impl Into<String>) -> Self {
        self.platform_os = Some(platform.into());
        self
    }

    /// The convention of the paths of the machine. A working directory that shows none is one no
    /// client could name, so what is said then does not matter.
    pub(super) fn convention(&self) -> PathConvention {
        self.cwd.convention().unwrap_or_else(PathConvention::native)
    }

    /// The object of the handshake.
    pub(super) fn to_wire(&self) -> protocol::EnvironmentInfo {
        let uri = |path: &PathUri| path.as_str().to_owned();
        protocol::EnvironmentInfo {
            shell: self.shell.clone(),
            executor_version: self.executor_version.clone(),
            cwd: Some(uri(&self.cwd)),
            user_home_dir: self.user_home.as_ref().map(uri),
            temp_dir: self.temp_directory.as_ref().map(uri),
            platform_os: self.platform_os.clone(),
            prepend_path_dirs: Vec::new(),
            temporary_directories: Vec::new(),
            capabilities: [("environmentConfigRead", true), ("fsWatchMissing", false)]
                .map(|(name, has)| (name.to_owned(), has))
                .into(),
        }
    }
}
