//! One file per command: a few calls into the libraries, then rendering.
//!
//! A command returns an [`Answer`]; it prints nothing and does not end the process.

use std::path::{Path, PathBuf};

use codex_path_uri::PathUri;

use crate::args::CommonOptions;
use crate::cost::Meter;
use crate::environments::{self, Arity, Bound, Start};
use crate::exit::Failure;
use crate::host::Display;
use crate::render::finding::Finding;
use crate::render::text::Painter;
use crate::session::SessionStart;
use crate::settings::Settings;

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod instructions;
pub(crate) mod plugins;
pub(crate) mod root;
pub(crate) mod serve;
pub(crate) mod skills;
pub(crate) mod uri;

/// What a command was given beside its own arguments.
pub(crate) struct Run {
    /// How results are shown.
    pub(crate) display: Display,
    /// What asking filesystems costs.
    pub(crate) meter: Meter,
}

impl Run {
    /// Runs a load to its end.
    pub(crate) fn load<T>(&self, load: impl Future<Output = T>) -> T {
        if self.display.stderr_is_terminal {
            self.meter.run_watched(load)
        } else {
            self.meter.run(load)
        }
    }

    /// Colours of standard output.
    pub(crate) fn painter(&self) -> Painter {
        self.display.stdout
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
    bound: Bound,
    settings: Settings,
}

impl Place {
    /// At `directory`, taken lexically, else at the current directory.
    fn new(
        run: &Run,
        options: &CommonOptions,
        directory: Option<&PathBuf>,
        arity: Arity,
    ) -> Result<Self, Failure> {
        let settings = Settings::new(&options.configuration)?;
        let path = directory.map_or(Path::new(""), PathBuf::as_path);
        let start = Start {
            directory: environments::path(options, path)?,
            // On another machine the directory is a claim, whoever makes it.
            needs_check: directory.is_some() || options.environments.is_remote(),
        };
        let bound = environments::bind(run, options, &start, arity)?;
        Ok(Self { bound, settings })
    }

    /// A session that starts here.
    fn session(&self) -> SessionStart<'_> {
        SessionStart {
            chosen: &self.bound.chosen,
            host: &self.bound.host,
            settings: &self.settings,
        }
    }
}

/// The one environment in which `path` is, which nobody has asked for yet.
fn bind_at(run: &Run, options: &CommonOptions, path: PathUri) -> Result<Bound, Failure> {
    let start = Start {
        directory: path,
        needs_check: false,
    };
    environments::bind(run, options, &start, Arity::One)
}
