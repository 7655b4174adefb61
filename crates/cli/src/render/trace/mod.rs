//! A run's calls as a picture: for Perfetto, as SVG, in the terminal.
//!
//! All three show one [`Trace`]. What it derives from the calls (phases, totals, which answer a
//! phase waited for) is here, so that the pictures cannot disagree. Pure.

use std::io::ErrorKind;
use std::time::Duration;

use codex_file_system::wrap::{CallEnd, CallKind};

use crate::recording::{Call, Recorded, round_trips};
use crate::render::text::counted;

mod axis;
pub(crate) mod chrome;
mod lanes;
pub(crate) mod svg;
pub(crate) mod waterfall;

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
