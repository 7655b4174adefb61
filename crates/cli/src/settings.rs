//! Where configuration is: the files of the user and of the machine, profile and `-c` arguments.
//!
//! From the command line, defaults filled in. No file is read here.

use std::path::Path;

use codex_config::{ConfigSources, ProfileName};
use codex_context::HostSources;
use codex_file_system::{Environment, ExecutorFileSystem, Severity};
use codex_path_uri::{AbsolutePathBuf, PathUri};
use serde::Serialize;

use crate::exit::Failure;
use crate::host::{self, HomeOrigin};
use crate::options::ConfigurationOptions;
use crate::output::diagnostic::Diagnostic;

/// The machine's files, where the operating system has a place for them.
const SYSTEM_CONFIG: Option<&str> = if cfg!(unix) {
    Some("/etc/codex/config.toml")
} else {
    None
};
const MANAGED_CONFIG: Option<&str> = if cfg!(unix) {
    Some("/etc/codex/managed_config.toml")
} else {
    None
};

/// The administrator's folder.
const ADMIN_FOLDER: Option<&str> = if cfg!(unix) { Some("/etc/codex") } else { None };

/// Where configuration is, on the machine that runs the command.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The directory of the user's files.
    pub(crate) config_home: AbsolutePathBuf,
    /// What says so.
    config_home_origin: HomeOrigin,
    /// The administrator's folder, where the operating system has a place for it.
    pub(crate) admin_folder: Option<PathUri>,
    system_config: Option<PathUri>,
    managed_config: Option<PathUri>,
    pub(crate) profile: Option<ProfileName>,
    pub(crate) overrides: Vec<String>,
}

impl Settings {
    /// From the options, defaults filled in.
    ///
    /// # Errors
    /// When a path or the profile's name cannot be used.
    pub(crate) fn new(options: &ConfigurationOptions) -> Result<Self, Failure> {
        let system_config = options
            .system_config
            .as_deref()
            .or(SYSTEM_CONFIG.map(Path::new));
        let managed_config = options
            .managed_config
            .as_deref()
            .or(MANAGED_CONFIG.map(Path::new));
        let admin_folder = options
            .admin_folder
            .as_deref()
            .or(ADMIN_FOLDER.map(Path::new));
        let config_home = host::config_home(options.config_home.as_deref())?;
        Ok(Self {
            config_home: config_home.directory,
            config_home_origin: config_home.origin,
            admin_folder: admin_folder.map(host::uri).transpose()?,
            system_config: system_config.map(host::uri).transpose()?,
            managed_config: managed_config.map(host::uri).transpose()?,
            profile: options.profile.as_ref().map(ProfileName::new).transpose()?,
            overrides: options.overrides.clone(),
        })
    }

    /// A finding where the config home is named and not there, or where it is a guess. The usual one
    /// may be missing.
    ///
    /// # Errors
    /// When the finding cannot be serialized.
    pub(crate) fn diagnostics(&self) -> Result<Vec<Diagnostic>, Failure> {
        #[derive(Serialize)]
        struct Fields {
            path: PathUri,
        }
        let path = self.config_home.display();
        let (code, sentence) = match self.config_home_origin {
            HomeOrigin::Named(by) if host::is_missing(&self.config_home) => {
                let sentence = format!(
                    "no configuration or instructions of the user count, as {by} names the config home {path}, \
                     which does not exist; create it or name another one"
                );
                ("config_home_missing", sentence)
            }
            HomeOrigin::Guessed(why) => {
                let sentence = format!(
                    "configuration, instructions and skills of the user count only if they are in {path}, as HOME is \
                     {why}; set HOME to an absolute path, or name the config home with CODEX_HOME or --config-home"
                );
                ("config_home_unknown", sentence)
            }
            HomeOrigin::Named(_) | HomeOrigin::Usual => return Ok(Vec::new()),
        };
        let fields = Fields {
            path: PathUri::from_abs_path(&self.config_home),
        };
        let found = Diagnostic::new(Severity::Warning, code, sentence, &fields)?;
        Ok(vec![found])
    }

    /// The same for a session, on the machine that holds the user's files.
    pub(crate) fn host_sources(&self, host: &Environment) -> HostSources {
        HostSources {
            environment: Some(host.clone().into()),
            config_home: Some(PathUri::from_abs_path(&self.config_home)),
            home: host::home().ok().map(|home| PathUri::from_abs_path(&home)),
            system_config: self.system_config.clone(),
            managed_config: self.managed_config.clone(),
            admin_folder: self.admin_folder.clone(),
            diagnostics: Vec::new(),
        }
    }

    /// The same for the loader of the base layers, on the filesystem that holds the user's files.
    pub(crate) fn sources<'a>(&self, filesystem: &'a dyn ExecutorFileSystem) -> ConfigSources<'a> {
        ConfigSources {
            filesystem,
            config_home: PathUri::from_abs_path(&self.config_home),
            system_config: self.system_config.clone(),
            managed_config: self.managed_config.clone(),
            profile: self.profile.clone(),
            overrides: self.overrides.clone(),
        }
    }
}
