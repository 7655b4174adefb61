//! One file per command: a few calls into the libraries, then rendering.
//!
//! A command returns an [`Answer`]; it prints nothing and does not end the process.

use std::path::{Path, PathBuf};

use codex_path_uri::PathUri;

use crate::cost::Meter;
use crate::exit::Failure;
use crate::host::{self, Display};
use crate::render::finding::Finding;
use crate::render::text::Painter;

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod instructions;
pub(crate) mod root;
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

/// The directory a command starts in: `directory` taken lexically, else the current directory.
fn start_directory(directory: Option<&PathBuf>) -> Result<PathUri, Failure> {
    let directory = host::absolute(directory.map_or(Path::new(""), PathBuf::as_path))?;
    Ok(PathUri::from_abs_path(&directory))
}
