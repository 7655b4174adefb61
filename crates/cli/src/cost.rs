//! What a load costs: the meter around every filesystem, and the loop that drives a load.
//!
//! Round trips are counted exactly, on this machine and without a network. A [`Gate`] holds every
//! call back. The loop polls the load until it can do nothing but wait, then opens the gate for
//! all held calls together: one opening is one dependent round trip. Without a gate every call is
//! answered at its first poll, and nothing here costs more than counting.
//!
//! On this machine there is no runtime and no second thread but the one that shows progress to a
//! person. Where another machine is asked, a runtime drives the load instead, time is real, and
//! round trips are told from the times of the calls.

use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use codex_file_system::wrap::{Calls, Counting, Latency, Limit, LimitHandle, Observed};
use codex_file_system::{EnvironmentId, ExecutorFileSystem, PlannedCall, TokioTimer, Window};
use tokio::runtime::Runtime;

use self::gate::Gate;
use self::recording::{Clock, Detail, NO_PHASE, REQUESTS, Recorded, Recorder};
use crate::exit::Failure;
use crate::options::{CostOptions, EnvironmentOptions};
use crate::output::text::{counted, grouped};
use crate::runtime;
use crate::runtime::Interruption;

mod gate;
mod progress;
pub(crate) mod recording;

/// A delay that makes [`Latency`] ask its timer; the gate pays no heed to how long it is.
const ANY_DELAY: Duration = Duration::from_millis(1);

type KindOfCall = (&'static str, fn(&Calls) -> u64);
type Counted = Counting<Box<dyn ExecutorFileSystem>>;

/// What asking filesystems costs.
pub(crate) struct Meter {
    window: Option<Window>,
    latency: Duration,
    gate: Option<Gate>,
    /// Where another machine is asked.
    remote: Option<Remote>,
    recorder: Option<Recorder>,
    /// Of every environment.
    counted: Mutex<Vec<Arc<Counted>>>,
    started: Instant,
}

/// What drives a load that asks another machine, and what may end it.
struct Remote {
    runtime: Runtime,
    interruption: Interruption,
}

impl Remote {
    fn new() -> io::Result<Self> {
        Ok(Self {
            runtime: runtime::on_this_thread()?,
            interruption: Interruption::listen()?,
        })
    }
}

impl Meter {
    /// Starts the clock. Where all files are here, calls are held at a gate if a latency or exact
    /// counts are asked for, which a trace shows as well.
    ///
    /// # Errors
    /// When another machine is to be asked and the host has no threads or descriptors left.
    pub(crate) fn new(
        options: &CostOptions,
        environments: &EnvironmentOptions,
    ) -> Result<Self, Failure> {
        let is_remote = environments.is_remote();
        let remote = is_remote.then(Remote::new);
        let remote = remote.transpose().map_err(|error| {
            let what = "cannot prepare to ask another machine";
            Failure::new(what, runtime::ADVICE).caused_by(error)
        })?;
        let latency = options.latency.unwrap_or_default();
        let detail = detail(options);
        let is_counted = options.stats || options.trace.is_some() || options.latency.is_some();
        let is_gated = !is_remote && is_counted;
        let gate = is_gated.then(|| Gate::new(latency));
        let started = Instant::now();
        let clock = match &gate {
            Some(gate) if !latency.is_zero() => Clock::RoundTrips(gate.clone()),
            _ => Clock::Passing(started),
        };
        let is_recorded = options.trace.is_some() || is_remote;
        Ok(Self {
            // A session bounds its calls itself.
            window: None,
            latency,
            gate,
            remote,
            recorder: is_recorded.then(|| Recorder::new(clock, NO_PHASE, detail)),
            counted: Mutex::default(),
            started,
        })
    }

    /// Starts the clock of a server, which drives its calls itself.
    pub(crate) fn of_server(options: &CostOptions) -> Self {
        let started = Instant::now();
        let detail = detail(options);
        let is_recorded = options.trace.is_some() || options.stats;
        let clock = Clock::Passing(started);
        Self {
            window: options.window,
            latency: options.latency.unwrap_or_default(),
            gate: None,
            remote: None,
            recorder: is_recorded.then(|| Recorder::new(clock, REQUESTS, detail)),
            counted: Mutex::default(),
            started,
        }
    }

    /// The filesystem of an environment; every call through the result is counted.
    pub(crate) fn around(
        &self,
        environment: &EnvironmentId,
        filesystem: impl ExecutorFileSystem + 'static,
    ) -> Arc<dyn ExecutorFileSystem> {
        let mut metered: Box<dyn ExecutorFileSystem> = match &self.gate {
            Some(gate) => {
                let gate = gate.clone();
                Box::new(Latency::new(filesystem, gate, ANY_DELAY, Duration::ZERO))
            }
            None if !self.latency.is_zero() => Box::new(Latency::new(
                filesystem,
                TokioTimer,
                self.latency,
                Duration::ZERO,
            )),
            None => Box::new(filesystem),
        };
        if let Some(recorder) = &self.recorder {
            metered = Box::new(Observed::new(
                metered,
                recorder.observer(environment.clone()),
            ));
        }
        let counting = Arc::new(Counting::new(metered));
        self.with_counted(|counted| counted.push(Arc::clone(&counting)));
        match self.window {
            // The limit stands outside: a call that waits for its turn is not in flight yet.
            Some(window) => Arc::new(Limit::new(counting, LimitHandle::new(window.get()))),
            None => counting,
        }
    }

    /// Says what the calls of a session were for.
    pub(crate) fn name_phases<'a>(
        &self,
        plan: impl Iterator<Item = (&'a EnvironmentId, &'a PlannedCall)>,
    ) {
        if let Some(recorder) = &self.recorder {
            recorder.name_phases(plan);
        }
    }

    /// The calls of the run, where a trace is asked for.
    pub(crate) fn recorded(&self) -> Recorded {
        self.recorder
            .as_ref()
            .map(Recorder::recorded)
            .unwrap_or_default()
    }

    /// Runs `load` to its end on this thread, showing progress when it takes long.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn run_watched<T>(&self, load: impl Future<Output = T>) -> Result<T, Failure> {
        progress::while_running(|| self.run(load), || self.progress())
    }

    /// Runs `load` to its end on this thread.
    ///
    /// # Errors
    /// When a signal ends it before, where another machine is asked.
    pub(crate) fn run<T>(&self, load: impl Future<Output = T>) -> Result<T, Failure> {
        if let Some(Remote {
            runtime,
            interruption,
        }) = &self.remote
        {
            return runtime.block_on(async {
                tokio::select! {
                    loaded = load => Ok(loaded),
                    code = interruption.asked() => Err(Failure::interrupted(code)),
                }
            });
        }
        let mut load = pin!(load);
        let woken = Arc::new(Woken {
            flag: AtomicBool::new(false),
            thread: thread::current(),
        });
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(value) = load.as_mut().poll(&mut context) {
                return Ok(value);
            }
            let can_go_on = woken.flag.swap(false, Ordering::AcqRel);
            if !can_go_on && !self.gate.as_ref().is_some_and(Gate::open) {
                thread::park();
            }
        }
    }

    /// One line: calls by kind, most in flight, dependent round trips, bytes, time.
    pub(crate) fn stats(&self) -> String {
        let calls = self.calls();
        let (round_trips, most) = match (&self.gate, &self.recorder) {
            (Some(gate), _) => gate.rounds(),
            (None, Some(recorder)) => recorder.rounds(),
            (None, None) => (0, 0),
        };
        format!(
            "stats: {}{}, {most} in flight at most, {}, {} read, {}\n",
            counted(calls.iter().map(Calls::total).sum(), "call"),
            by_kind(&calls),
            counted(round_trips, "round trip"),
            counted(self.bytes_read(), "byte"),
            shown_time(self.started.elapsed()),
        )
    }

    /// How many calls were made so far, and how many of them are in flight.
    pub(crate) fn calls_so_far(&self) -> (u64, u64) {
        let in_flight = self.with_counted(|counted| {
            let each = counted.iter().map(|counting| counting.in_flight() as u64);
            each.sum::<u64>()
        });
        (self.calls().iter().map(Calls::total).sum(), in_flight)
    }

    fn progress(&self) -> String {
        let (made, in_flight) = self.calls_so_far();
        let done = made - in_flight;
        format!(
            "{} done, {} found, {in_flight} in flight, {} a round trip",
            counted(done, "call"),
            counted(self.bytes_read(), "byte"),
            shown_time(self.round_trip(done)),
        )
    }

    /// How long a round trip takes, as far as is known after so many calls.
    fn round_trip(&self, done: u64) -> Duration {
        let passed = self.started.elapsed();
        let each = |number: u64| passed / u32::try_from(number.max(1)).unwrap_or(u32::MAX);
        match (&self.gate, &self.recorder) {
            (Some(gate), _) => each(gate.rounds().0),
            // The first one takes at least as long as it has taken so far.
            (None, Some(recorder)) => recorder.round_trip().unwrap_or(passed),
            // One call follows the other, so each is a round trip of its own.
            (None, None) => each(done),
        }
    }

    /// The calls of every environment.
    fn calls(&self) -> Vec<Calls> {
        self.with_counted(|counted| counted.iter().map(|counting| counting.calls()).collect())
    }

    fn bytes_read(&self) -> u64 {
        self.with_counted(|counted| counted.iter().map(|counting| counting.bytes_read()).sum())
    }

    fn with_counted<T>(&self, with: impl FnOnce(&mut Vec<Arc<Counted>>) -> T) -> T {
        with(&mut self.counted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A trace shows every call; nothing else does.
fn detail(options: &CostOptions) -> Detail {
    match options.trace {
        Some(_) => Detail::Calls,
        None => Detail::Rounds,
    }
}

/// ` (get_metadata 7, read_file 2)`, or nothing where there was no call.
fn by_kind(calls: &[Calls]) -> String {
    let kinds: [KindOfCall; 11] = [
        ("get_metadata", |calls| calls.get_metadata),
        ("read_file", |calls| calls.read_file),
        ("read_file_prefix", |calls| calls.read_file_prefix),
        ("read_file_text", |calls| calls.read_file_text),
        ("read_directory", |calls| calls.read_directory),
        ("canonicalize", |calls| calls.canonicalize),
        ("walk", |calls| calls.walk),
        ("write_file", |calls| calls.write_file),
        ("create_directory", |calls| calls.create_directory),
        ("remove", |calls| calls.remove),
        ("copy", |calls| calls.copy),
    ];
    let totals = kinds.map(|(name, of)| (name, calls.iter().map(of).sum::<u64>()));
    let made: Vec<String> = totals
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{name} {}", grouped(*count)))
        .collect();
    if made.is_empty() {
        String::new()
    } else {
        format!(" ({})", made.join(", "))
    }
}

fn shown_time(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1_000.0;
    if milliseconds < 100.0 {
        format!("{milliseconds:.1} ms")
    } else {
        format!("{milliseconds:.0} ms")
    }
}

struct Woken {
    flag: AtomicBool,
    thread: Thread,
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.flag.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
