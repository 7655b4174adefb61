//! `--trace`: where the picture of a run's calls goes, and in which shape.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::render::json;
use crate::render::text::Painter;
use crate::render::trace::{Trace, chrome, svg, waterfall};

/// What `--trace` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TraceTarget {
    /// A file in the Chrome trace-event format.
    Chrome(PathBuf),
    /// A picture.
    Svg(PathBuf),
    /// Lines on standard error.
    Terminal,
}

impl TraceTarget {
    /// What an argument asks for, which the end of it tells.
    ///
    /// # Errors
    /// What to give instead.
    pub(crate) fn new(argument: OsString) -> Result<Self, &'static str> {
        let end = argument.as_encoded_bytes().to_ascii_lowercase();
        match argument.into() {
            path if path == Path::new("-") => Ok(Self::Terminal),
            path if end.ends_with(b".json") => Ok(Self::Chrome(path)),
            path if end.ends_with(b".svg") => Ok(Self::Svg(path)),
            _ => Err("give a file that ends with .svg or .json, or -"),
        }
    }

    /// Makes sure that there will be a place for the trace, before the work that it shows.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn reserve(&self) -> Result<(), Failure> {
        match self {
            Self::Terminal => Ok(()),
            Self::Svg(file) | Self::Chrome(file) => write(file, "").map(drop),
        }
    }

    /// Writes the file, or gives the lines for standard error.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn deliver(
        &self,
        trace: &Trace,
        width: Option<usize>,
        painter: Painter,
    ) -> Result<String, Failure> {
        match self {
            Self::Terminal => Ok(waterfall::shown(trace, width, painter)),
            Self::Svg(file) => write(file, &svg::document(trace)),
            Self::Chrome(file) => write(file, &json::object(&chrome::document(trace))?),
        }
    }
}

fn write(file: &Path, text: &str) -> Result<String, Failure> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the trace is a file of the person who runs the command"
    )]
    let written = std::fs::write(file, text);
    written.map(|()| String::new()).map_err(|error| {
        let what = format!("cannot write the trace to {}", file.display());
        Failure::new(what, "name a file that can be written").caused_by(error)
    })
}
