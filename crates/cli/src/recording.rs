//! What a run asked its filesystems: every call with its times, its phase and its end.
//!
//! The phase of a call is the innermost tracing span at its first poll: every loader opens one
//! span per phase, so nothing has to be passed along. Times come from one [`Clock`] for all
//! environments. Recording makes no call and changes none.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use codex_file_system::EnvironmentId;
use codex_file_system::wrap::{CallEnd, CallKind, Observer};
use codex_path_uri::PathUri;
use tracing::Span;

use crate::environments::choice::LOCAL;
use crate::gate::Gate;

/// Of a call outside any span.
const NO_PHASE: &str = "other";

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

/// Records the calls of all environments of a run. Clones share the record.
#[derive(Clone)]
pub(crate) struct Recorder {
    clock: Clock,
    record: Arc<Mutex<Record>>,
}

#[derive(Default)]
struct Record {
    started: usize,
    ended: Vec<Call>,
}

impl Recorder {
    /// Records nothing yet.
    pub(crate) fn new(clock: Clock) -> Self {
        Self {
            clock,
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

    /// The calls that have ended, in the order of their starts.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let mut calls = self.with_record(|record| record.ended.clone());
        calls.sort_by_key(|call| call.number);
        calls
    }

    fn with_record<T>(&self, with: impl FnOnce(&mut Record) -> T) -> T {
        with(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner))
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
        let number = self.recorder.with_record(|record| {
            record.started += 1;
            record.started
        });
        let now = self.recorder.clock.now();
        Call {
            number,
            environment: self.environment.clone(),
            kind,
            path: path.clone(),
            phase: Span::current()
                .metadata()
                .map_or(NO_PHASE, |span| span.name()),
            start: now,
            stop: now,
            end: CallEnd::Dropped,
        }
    }

    fn ended(&self, call: Call, end: CallEnd) {
        let stop = self.recorder.clock.now();
        let call = Call { stop, end, ..call };
        self.recorder.with_record(|record| record.ended.push(call));
    }
}

/// Dependent round trips, and the most calls in flight, as their times tell.
///
/// A round trip is a step of the longest chain of calls of which each began after the one before
/// it had ended. Calls to this machine count only where no other one was asked: they are no trips.
pub(crate) fn rounds(calls: &[Call]) -> (u64, usize) {
    let is_far = |call: &&Call| call.environment.as_str() != LOCAL;
    let far: Vec<&Call> = calls.iter().filter(is_far).collect();
    let counted = if far.is_empty() {
        calls.iter().collect()
    } else {
        far
    };
    (longest_chain(&counted), most_in_flight(&counted))
}

fn longest_chain(calls: &[&Call]) -> u64 {
    let mut spans: Vec<_> = calls.iter().map(|call| (call.stop, call.start)).collect();
    spans.sort_unstable();
    let mut chain = 0;
    let mut free_at = None;
    for (stop, start) in spans {
        if free_at.is_none_or(|free_at| start >= free_at) {
            chain += 1;
            free_at = Some(stop);
        }
    }
    chain
}

fn most_in_flight(calls: &[&Call]) -> usize {
    let at = |moment| {
        calls
            .iter()
            .filter(|call| call.start <= moment && moment < call.stop)
            .count()
    };
    calls.iter().map(|call| at(call.start)).max().unwrap_or(0)
}
