//! [`HostSources`]: where the files of the user and of the machine are.
//!
//! [`HostSources::from_process`] is the one place, beside `LocalFileSystem`, where a library reads
//! variables and directories of its process.

use codex_path_uri::PathUri;

use crate::{Diagnostic, Environment};

/// The directories of the host that hold configuration, instructions and skills of the user and of
/// the machine. The default names none.
#[derive(Clone, Debug, Default)]
pub struct HostSources {
    /// The machine that holds them. One of the request's environments with its id is the same
    /// machine.
    pub environment: Option<Environment>,
    /// The config home: `$CODEX_HOME`, else `~/.codex`.
    pub config_home: Option<PathUri>,
    /// The user's home directory, for `~/.agents/skills`.
    pub home: Option<PathUri>,
    /// The machine's configuration file (`/etc/codex/config.toml`).
    pub system_config: Option<PathUri>,
    /// The managed configuration file (`/etc/codex/managed_config.toml`).
    pub managed_config: Option<PathUri>,
    /// The administrator's folder (`/etc/codex`).
    pub admin_folder: Option<PathUri>,
    /// What was found while they were looked for. They stand first among a context's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

#[cfg(feature = "local")]
pub use process::ProcessOverrides;

#[cfg(feature = "local")]
#[expect(
    clippy::disallowed_methods,
    reason = "where a host asks for the directories of its own process"
)]
mod process {
    use std::env;
    use std::ffi::OsString;
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use codex_file_system::{EnvironmentId, LocalFileSystem};
    use codex_path_uri::{AbsolutePathBuf, PathUri};

    use super::HostSources;
    use crate::{ContextError, Diagnostic, Environment, StartDirectory};

    /// The id of this machine.
    const LOCAL: &str = "local";

    /// The directory of the user's files, below the home directory.
    const CONFIG_HOME_NAME: &str = ".codex";

    const CONFIG_HOME_VARIABLE: &str = "CODEX_HOME";

    /// The folder of the machine's own files, where the operating system has a place for it.
    const ADMIN_FOLDER: Option<&str> = if cfg!(unix) { Some("/etc/codex") } else { None };

    /// What a person named in place of the usual directories. A relative path is taken from the
    /// current directory.
    #[derive(Clone, Debug, Default)]
    pub struct ProcessOverrides {
        /// The config home, and what named it: an option of a command, for messages.
        pub config_home: Option<(PathBuf, &'static str)>,
        /// The machine's configuration file.
        pub system_config: Option<PathBuf>,
        /// The managed configuration file.
        pub managed_config: Option<PathBuf>,
        /// The administrator's folder.
        pub admin_folder: Option<PathBuf>,
    }

    impl HostSources {
        /// The usual directories of this process's user: `$CODEX_HOME`, else `~/.codex`; the home
        /// directory; `/etc/codex` on Unix.
        ///
        /// # Errors
        /// When the user has no home directory, or a relative path needs the current directory and
        /// there is none.
        pub fn from_process() -> Result<Self, ContextError> {
            Self::from_process_with(&ProcessOverrides::default())
        }

        /// The same, with some directories named by a person.
        ///
        /// # Errors
        /// As [`from_process`](Self::from_process).
        pub fn from_process_with(overrides: &ProcessOverrides) -> Result<Self, ContextError> {
            let usual = |name: &str| Some(Path::new(ADMIN_FOLDER?).join(name));
            let file = |named: &Option<PathBuf>, name| {
                let path = named.clone().or_else(|| usual(name));
                path.map(|path| uri(&path)).transpose()
            };
            let mut diagnostics = Vec::new();
            let config_home = config_home(overrides, &mut diagnostics)?;
            Ok(Self {
                environment: Some(Environment::local(LOCAL, ".")?),
                config_home: Some(PathUri::from_abs_path(&config_home)),
                home: home_directory().map(|home| uri(&home)).transpose()?,
                system_config: file(&overrides.system_config, "config.toml")?,
                managed_config: file(&overrides.managed_config, "managed_config.toml")?,
                admin_folder: file(&overrides.admin_folder, "")?,
                diagnostics,
            })
        }
    }

    impl Environment {
        /// This machine. `directory` may be relative to the current one; `.` is the current one.
        ///
        /// # Errors
        /// When the id is none, or the current directory is needed and cannot be told.
        pub fn local(id: &str, directory: impl AsRef<Path>) -> Result<Self, ContextError> {
            let directory = directory.as_ref();
            let is_here = directory == Path::new(".");
            Ok(Self {
                id: EnvironmentId::new(id)?,
                cwd: match is_here {
                    true => PathUri::from_abs_path(&current_directory()?),
                    false => uri(directory)?,
                },
                filesystem: Arc::new(LocalFileSystem::new()),
                call_timeout: None,
                start_directory: match is_here {
                    true => StartDirectory::Known,
                    false => StartDirectory::Checked,
                },
            })
        }
    }

    /// The value of `CODEX_HOME`, if it is set and not empty.
    fn config_home_variable() -> Option<OsString> {
        variable(CONFIG_HOME_VARIABLE)
    }

    fn config_home(
        overrides: &ProcessOverrides,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<AbsolutePathBuf, ContextError> {
        let set = || Some((config_home_variable()?.into(), CONFIG_HOME_VARIABLE));
        if let Some((directory, named_by)) = overrides.config_home.clone().or_else(set) {
            let directory = absolute(&directory)?;
            let found = std::fs::metadata(directory.as_path());
            if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
                diagnostics.push(Diagnostic::ConfigHomeMissing {
                    path: PathUri::from_abs_path(&directory),
                    named_by,
                });
            }
            return Ok(directory);
        }
        let Some(home) = home_directory() else {
            return Err(ContextError::UnknownDirectory {
                what: "the config home, because this user has no home directory",
                advice: "name one, or set CODEX_HOME",
                source: None,
            });
        };
        let directory = absolute(&home.join(CONFIG_HOME_NAME))?;
        if let Some(home_is) = guessed() {
            diagnostics.push(Diagnostic::ConfigHomeUnknown {
                path: PathUri::from_abs_path(&directory),
                home_is,
            });
        }
        Ok(directory)
    }

    /// What `HOME` is, where it does not say where the home directory is. Windows does not ask it.
    fn guessed() -> Option<&'static str> {
        match variable("HOME") {
            _ if cfg!(windows) => None,
            None => Some("not set"),
            Some(home) if Path::new(&home).is_relative() => Some("relative"),
            Some(_) => None,
        }
    }

    fn current_directory() -> Result<AbsolutePathBuf, ContextError> {
        let directory = env::current_dir().and_then(AbsolutePathBuf::try_from);
        directory.map_err(|error| ContextError::UnknownDirectory {
            what: "the current directory",
            advice: "change to a directory that exists",
            source: Some(Arc::new(error)),
        })
    }

    fn uri(path: &Path) -> Result<PathUri, ContextError> {
        Ok(PathUri::from_abs_path(&absolute(path)?))
    }

    /// Lexically, from the current directory where it is relative.
    fn absolute(path: &Path) -> Result<AbsolutePathBuf, ContextError> {
        if let Ok(absolute) = AbsolutePathBuf::from_absolute_path_checked(path) {
            return Ok(absolute);
        }
        let base = current_directory()?;
        AbsolutePathBuf::resolve_path_against_base(path, &base).map_err(|_| {
            ContextError::RelativePath {
                text: path.to_string_lossy().into_owned(),
            }
        })
    }

    fn home_directory() -> Option<PathBuf> {
        env::home_dir().filter(|home| !home.as_os_str().is_empty())
    }

    fn variable(name: &str) -> Option<OsString> {
        env::var_os(name).filter(|value| !value.is_empty())
    }
}
