//! One file per command: a few calls into the libraries, then rendering.
//!
//! A command returns an [`Answer`]; it prints nothing and does not end the process.

use std::path::{Path, PathBuf};

use codex_file_system::EnvironmentSet;
use codex_path_uri::PathUri;

use crate::args::ConfigurationOptions;
use crate::cost::Meter;
use crate::environments;
use crate::exit::Failure;
use crate::host::{self, Display};
use crate::render::finding::Finding;
use crate::render::text::Painter;
use crate::session::SessionStart;
use crate::settings::Settings;

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod instructions;
pub(crate) mod plugins;
pub(crate) mod root;
pub(crate) mod skills;
pub(crate) mod uri;

/// What a command was given beside its own arguments.
pub(crate) struct Run {
    /// How results are shown.
    pub(crate) display: Display,
    /// The filesystem of this machine.
    pub(crate) meter: Meter,
}

impl Run {
    /// Runs a load to its end.
    pub(crate) fn load<T>(&self, load: impl Future<Output = T>) -> T {
        self.meter.run(load, self.display.stderr_is_terminal)
    }

    /// Colours of standard output.
    pub(crate) fn painter(&self) -> Painter {
        Painter {
            colored: self.display.stdout_colored,
        }
    }
}

/// What a command has to say.
pub(crate) struct Answer {
    /// The result, exactly as it goes to standard output.
    pub(crate) output: String,
    /// What was found on the way, for standard error.
    pub(crate) findings: Vec<Finding>,
}

/// Where a command starts: the bound environments and the configuration of the user.
struct Place {
    environments: EnvironmentSet,
    settings: Settings,
    is_directory_named: bool,
}

impl Place {
    /// At `directory`, taken lexically, else at the current directory.
    fn new(
        run: &Run,
        options: &ConfigurationOptions,
        directory: Option<&PathBuf>,
    ) -> Result<Self, Failure> {
        let settings = Settings::new(options)?;
        let start = host::absolute(directory.map_or(Path::new(""), PathBuf::as_path))?;
        Ok(Self {
            environments: environments::bind(&run.meter, PathUri::from_abs_path(&start))?,
            settings,
            is_directory_named: directory.is_some(),
        })
    }

    /// A session that starts here.
    fn session(&self) -> Result<SessionStart<'_>, Failure> {
        let environment = environments::primary(&self.environments)?;
        Ok(SessionStart {
            environment,
            host: environment.filesystem().as_ref(),
            settings: &self.settings,
            is_directory_named: self.is_directory_named,
        })
    }
}
