//! `--trace`: where the picture of a run's calls goes, and in which shape.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codex_file_system::wrap::{CallEnd, CallKind};

use crate::cost::recording::{Call, Recorded, round_trips};
use crate::exit::Failure;
use crate::output::json;
use crate::output::text::{Painter, counted};

mod axis;
mod chrome;
mod svg;
mod terminal;

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
            Self::Terminal => Ok(terminal::shown(trace, width, painter)),
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

/// The calls of one run.
pub(crate) struct Trace {
    /// What was run.
    title: String,
    /// In the order of their starts.
    calls: Vec<Call>,
    /// How many there were beyond those.
    left_out: u64,
}

/// Calls of one environment in one phase.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Phase<'a> {
    environment: &'a str,
    name: &'a str,
    calls: u64,
    /// Index of the call that began it.
    first: usize,
    /// Index of the call whose answer came last before it began.
    after: Option<usize>,
}

/// How a call's bar looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Answered,
    /// Nothing is there, which is an answer.
    Absent,
    Failed,
    /// Its answer was not needed any longer.
    Dropped,
}

impl Trace {
    /// The calls of a run with this title.
    pub(crate) fn new(title: String, recorded: Recorded) -> Self {
        let Recorded { calls, left_out } = recorded;
        Self {
            title,
            calls,
            left_out,
        }
    }

    /// When the last call ended.
    fn end(&self) -> Duration {
        let stops = self.calls.iter().map(|call| call.stop);
        stops.max().unwrap_or_default()
    }

    /// The environments that were asked, in the order of their first calls.
    fn environments(&self) -> Vec<&str> {
        in_order(self.calls.iter().map(|call| call.environment.as_str()))
    }

    /// The names of the phases, in the order of their first calls.
    fn phase_names(&self) -> Vec<&str> {
        in_order(self.calls.iter().map(|call| call.phase))
    }

    /// The phases of every environment, in the order of their first calls.
    fn phases(&self) -> Vec<Phase<'_>> {
        let mut phases: Vec<Phase<'_>> = Vec::new();
        for (index, call) in self.calls.iter().enumerate() {
            let known = phases.iter_mut().find(|phase| phase.holds(call));
            match known {
                Some(phase) => phase.calls += 1,
                None => phases.push(Phase {
                    environment: call.environment.as_str(),
                    name: call.phase,
                    calls: 1,
                    first: index,
                    after: self.last_answer_before(call),
                }),
            }
        }
        phases
    }

    fn last_answer_before(&self, call: &Call) -> Option<usize> {
        let earlier = self.calls.iter().enumerate();
        earlier
            .filter(|(_, other)| other.number < call.number && other.stop <= call.start)
            .max_by_key(|(_, other)| {
                (
                    other.stop,
                    other.environment == call.environment,
                    other.number,
                )
            })
            .map(|(index, _)| index)
    }

    /// `23 calls, 5 round trips, 24 bytes read`
    fn totals(&self) -> String {
        let bytes = self.calls.iter().map(|call| match call.end {
            CallEnd::Answered { bytes } => bytes,
            CallEnd::Failed(_) | CallEnd::Dropped => 0,
        });
        let left_out = match self.left_out {
            0 => String::new(),
            calls => format!(", {} left out", counted(calls, "later call")),
        };
        format!(
            "{}, {}, {} read{left_out}",
            counted(self.calls.len() as u64, "call"),
            counted(round_trips(&self.calls), "round trip"),
            counted(bytes.sum(), "byte"),
        )
    }
}

impl Phase<'_> {
    fn holds(&self, call: &Call) -> bool {
        (self.environment, self.name) == (call.environment.as_str(), call.phase)
    }
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Answered, Self::Absent, Self::Failed, Self::Dropped];

    fn of(call: &Call) -> Self {
        match call.end {
            CallEnd::Answered { .. } => Self::Answered,
            CallEnd::Failed(ErrorKind::NotFound) => Self::Absent,
            CallEnd::Failed(_) => Self::Failed,
            CallEnd::Dropped => Self::Dropped,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Absent => "absent",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// The name of a method as it is written in code.
fn method(kind: CallKind) -> &'static str {
    match kind {
        CallKind::GetMetadata => "get_metadata",
        CallKind::ReadFile => "read_file",
        CallKind::ReadDirectory => "read_directory",
        CallKind::Canonicalize => "canonicalize",
        CallKind::WriteFile => "write_file",
        CallKind::CreateDirectory => "create_directory",
        CallKind::Remove => "remove",
        CallKind::Copy => "copy",
        CallKind::ReadFileText => "read_file_text",
        CallKind::ReadFilePrefix => "read_file_prefix",
        CallKind::Walk => "walk",
    }
}

/// A phase's name for people.
fn words(phase: &str) -> String {
    phase.replace('_', " ")
}

fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}
