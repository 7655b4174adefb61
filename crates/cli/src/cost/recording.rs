//! What a run asked its filesystems: every call with its times, its phase and its end.
//!
//! The phase of a call is the innermost tracing span at its first poll: every loader opens one
//! span per phase, so nothing has to be passed along. Times come from one [`Clock`] for all
//! environments. Recording makes no call and changes none.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codex_file_system::wrap::{CallEnd, CallKind, Observer};
use codex_file_system::{EnvironmentId, PlannedCall, Question};
use codex_path_uri::PathUri;
use tracing::Span;

use crate::cost::gate::Gate;
use crate::environments::target::LOCAL;

/// Of a call outside any span.
pub(crate) const NO_PHASE: &str = "other";
/// Of a client's call.
pub(crate) const REQUESTS: &str = "requests";

/// Most calls that are kept, so that a server may run for long. More make no picture that anybody
/// could look at.
const MOST_KEPT: usize = 65_536;

/// What a recording tells time by.
#[derive(Clone)]
pub(crate) enum Clock {
    /// Time that passes, since a moment.
    Passing(Instant),
    /// The round trips through a gate, each as long as the gate's latency: the same in every run.
    RoundTrips(Gate),
}

impl Clock {
    fn now(&self) -> Duration {
        match self {
            Self::Passing(since) => since.elapsed(),
            Self::RoundTrips(gate) => gate.elapsed(),
        }
    }
}

/// One call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Its place in the order of starts, over all environments.
    pub(crate) number: usize,
    /// The environment that was asked.
    pub(crate) environment: EnvironmentId,
    /// The method.
    pub(crate) kind: CallKind,
    /// The path asked for.
    pub(crate) path: PathUri,
    /// The name of the span it was made in.
    pub(crate) phase: &'static str,
    /// When it was polled first.
    pub(crate) start: Duration,
    /// When it answered or was dropped.
    pub(crate) stop: Duration,
    /// What became of it.
    pub(crate) end: CallEnd,
}

/// What is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Counts and times, which take no more room the longer a run is.
    Rounds,
    /// Also the calls themselves.
    Calls,
}

/// The calls of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded {
    /// In the order of their starts.
    pub(crate) calls: Vec<Call>,
    /// How many there were beyond those.
    pub(crate) left_out: u64,
}

/// Records the calls of all environments of a run. Clones share the record.
#[derive(Clone)]
pub(crate) struct Recorder {
    clock: Clock,
    usual_phase: &'static str,
    detail: Detail,
    record: Arc<Mutex<Record>>,
}

#[derive(Default)]
struct Record {
    started: usize,
    ended: Recorded,
    rounds: Rounds,
}

impl Recorder {
    /// Records nothing yet; `usual_phase` is that of calls outside any span.
    pub(crate) fn new(clock: Clock, usual_phase: &'static str, detail: Detail) -> Self {
        Self {
            clock,
            usual_phase,
            detail,
            record: Arc::default(),
        }
    }

    /// The observer of one environment's filesystem.
    pub(crate) fn observer(&self, environment: EnvironmentId) -> Recording {
        Recording {
            recorder: self.clone(),
            environment,
        }
    }

    /// Dependent round trips, and the most calls in flight.
    pub(crate) fn rounds(&self) -> (u64, usize) {
        self.with_record(|record| {
            let counted = record.rounds.counted();
            (counted.round_trips, counted.most_in_flight)
        })
    }

    /// How long a round trip takes, once one has ended.
    pub(crate) fn round_trip(&self) -> Option<Duration> {
        self.with_record(|record| {
            let counted = record.rounds.counted();
            let number = u32::try_from(counted.round_trips).unwrap_or(u32::MAX);
            counted.under_way.checked_div(number)
        })
    }

    /// Says what the calls of a session were for, by environment, method and path.
    pub(crate) fn name_phases<'a>(
        &self,
        plan: impl Iterator<Item = (&'a EnvironmentId, &'a PlannedCall)>,
    ) {
        let mut named: HashMap<_, Vec<_>> = HashMap::new();
        for (id, planned) in plan {
            let calls = named.entry((id, &planned.call.path)).or_default();
            calls.push((kind(planned), planned.phase));
        }
        self.with_record(|record| {
            for call in &mut record.ended.calls {
                let planned = named.get(&(&call.environment, &call.path));
                let mut planned = planned.into_iter().flatten();
                if let Some((_, phase)) = planned.find(|(kind, _)| *kind == call.kind) {
                    call.phase = phase;
                }
            }
        });
    }

    /// The calls that have ended; none where only [rounds](Detail::Rounds) are recorded.
    pub(crate) fn recorded(&self) -> Recorded {
        let mut recorded = self.with_record(|record| record.ended.clone());
        recorded.calls.sort_by_key(|call| call.number);
        recorded
    }

    fn with_record<T>(&self, with: impl FnOnce(&mut Record) -> T) -> T {
        with(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The method of a planned call.
fn kind(planned: &PlannedCall) -> CallKind {
    match planned.call.question {
        Question::Metadata => CallKind::GetMetadata,
        Question::Listing => CallKind::ReadDirectory,
        Question::CanonicalPath => CallKind::Canonicalize,
        Question::File => CallKind::ReadFile,
        Question::Prefix { .. } => CallKind::ReadFilePrefix,
        Question::Walk(_) => CallKind::Walk,
    }
}

/// Records the calls of one environment.
pub(crate) struct Recording {
    recorder: Recorder,
    environment: EnvironmentId,
}

impl Observer for Recording {
    type Started = Call;

    fn started(&self, kind: CallKind, path: &PathUri) -> Call {
        let Recorder {
            clock, usual_phase, ..
        } = &self.recorder;
        let span = Span::current();
        let (number, now) = self.recorder.with_record(|record| {
            record.started += 1;
            record.rounds.of(&self.environment).started();
            (record.started, clock.now())
        });
        Call {
            number,
            environment: self.environment.clone(),
            kind,
            path: path.clone(),
            phase: span.metadata().map_or(*usual_phase, |span| span.name()),
            start: now,
            stop: now,
            end: CallEnd::Dropped,
        }
    }

    fn ended(&self, call: Call, end: CallEnd) {
        let Recorder { clock, detail, .. } = &self.recorder;
        self.recorder.with_record(|record| {
            // By the clock under the lock, so that calls come in the order of their ends.
            let call = Call {
                stop: clock.now(),
                end,
                ..call
            };
            let rounds = record.rounds.of(&self.environment);
            rounds.ended(call.start, call.stop);
            match detail {
                Detail::Calls if record.ended.calls.len() < MOST_KEPT => {
                    record.ended.calls.push(call);
                }
                Detail::Calls => record.ended.left_out += 1,
                Detail::Rounds => {}
            }
        });
    }
}

/// Dependent round trips, as the times of calls tell.
pub(crate) fn round_trips(calls: &[Call]) -> u64 {
    let mut by_end: Vec<&Call> = calls.iter().collect();
    by_end.sort_unstable_by_key(|call| (call.stop, call.start));
    let mut rounds = Rounds::default();
    for call in by_end {
        let tally = rounds.of(&call.environment);
        tally.started();
        tally.ended(call.start, call.stop);
    }
    rounds.counted().round_trips
}

/// What the times of calls tell. Calls to this machine count only where no other one was asked:
/// they are no trips.
#[derive(Default)]
struct Rounds {
    here: Tally,
    elsewhere: Tally,
}

impl Rounds {
    fn of(&mut self, environment: &EnvironmentId) -> &mut Tally {
        if environment.as_str() == LOCAL {
            &mut self.here
        } else {
            &mut self.elsewhere
        }
    }

    fn counted(&self) -> &Tally {
        if self.elsewhere.most_in_flight > 0 {
            &self.elsewhere
        } else {
            &self.here
        }
    }
}

/// Counts calls as they start and end.
#[derive(Default)]
struct Tally {
    in_flight: usize,
    most_in_flight: usize,
    /// A round trip is a step of the longest chain of calls of which each began after the one
    /// before it had ended.
    round_trips: u64,
    /// When the last step of the chain ended.
    free_at: Option<Duration>,
    /// How long the steps took together.
    under_way: Duration,
}

impl Tally {
    fn started(&mut self) {
        self.in_flight += 1;
        self.most_in_flight = self.most_in_flight.max(self.in_flight);
    }

    /// Calls have to come in the order of their ends.
    fn ended(&mut self, start: Duration, stop: Duration) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.free_at.is_none_or(|free_at| start >= free_at) {
            self.round_trips += 1;
            self.free_at = Some(stop);
            self.under_way += stop.saturating_sub(start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_calls_are_kept_and_the_others_counted() {
        let clock = Clock::Passing(Instant::now());
        let recorder = Recorder::new(clock, NO_PHASE, Detail::Calls);
        let observer = recorder.observer(EnvironmentId::new(LOCAL).unwrap());
        let path = PathUri::parse("file:///a").unwrap();
        for _ in 0..MOST_KEPT + 2 {
            let call = observer.started(CallKind::GetMetadata, &path);
            observer.ended(call, CallEnd::Dropped);
        }
        let recorded = recorder.recorded();
        assert_eq!((recorded.calls.len(), recorded.left_out), (MOST_KEPT, 2));
        assert_eq!(recorded.calls.last().unwrap().number, MOST_KEPT);
    }
}
