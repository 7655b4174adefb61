//! What a load costs: the meter around this machine's filesystem, and the loop that drives a load.
//!
//! Round trips are counted exactly, on this machine and without a network. A [`Gate`] holds every
//! call back. The loop polls the load until it can do nothing but wait, then opens the gate for
//! all held calls together: one opening is one dependent round trip. Without a gate every call is
//! answered at its first poll, and nothing here costs more than counting.
//!
//! There is no runtime and no second thread but the one that shows progress to a person.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use codex_file_system::wrap::{Calls, Counting, Latency, Limit, LimitHandle};
use codex_file_system::{ExecutorFileSystem, LocalFileSystem};

use crate::args::CostOptions;
use crate::gate::Gate;
use crate::progress;
use crate::render::text::{counted, grouped};

/// A delay that makes [`Latency`] ask its timer; the gate pays no heed to how long it is.
const ANY_DELAY: Duration = Duration::from_millis(1);

/// This machine's filesystem, and what asking it costs.
pub(crate) struct Meter {
    filesystem: Arc<dyn ExecutorFileSystem>,
    counting: Arc<Counting<Box<dyn ExecutorFileSystem>>>,
    gate: Option<Gate>,
    started: Instant,
}

impl Meter {
    /// Starts the clock. Calls are held at a gate where a latency or exact counts are asked for.
    pub(crate) fn new(options: &CostOptions) -> Self {
        let is_gated = options.stats || options.latency.is_some();
        let gate = is_gated.then(|| Gate::new(options.latency.unwrap_or_default()));
        let local = LocalFileSystem::inline();
        let metered: Box<dyn ExecutorFileSystem> = match &gate {
            Some(gate) => Box::new(Latency::new(local, gate.clone(), ANY_DELAY, Duration::ZERO)),
            None => Box::new(local),
        };
        let counting = Arc::new(Counting::new(metered));
        let filesystem: Arc<dyn ExecutorFileSystem> = match options.window {
            // The limit stands outside: a call that waits for its turn is not in flight yet.
            Some(window) => Arc::new(Limit::new(
                Arc::clone(&counting),
                LimitHandle::new(window.get()),
            )),
            None => Arc::clone(&counting) as Arc<dyn ExecutorFileSystem>,
        };
        Self {
            filesystem,
            counting,
            gate,
            started: Instant::now(),
        }
    }

    /// The filesystem; every call through it is counted.
    pub(crate) fn filesystem(&self) -> &Arc<dyn ExecutorFileSystem> {
        &self.filesystem
    }

    /// Runs `load` to its end on this thread; `is_watched` shows progress when it takes long.
    pub(crate) fn run<T>(&self, load: impl Future<Output = T>, is_watched: bool) -> T {
        if is_watched {
            progress::while_running(|| self.drive(load), || self.progress())
        } else {
            self.drive(load)
        }
    }

    fn drive<T>(&self, load: impl Future<Output = T>) -> T {
        let mut load = pin!(load);
        let woken = Arc::new(Woken {
            flag: AtomicBool::new(false),
            thread: thread::current(),
        });
        let waker = Waker::from(Arc::clone(&woken));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(value) = load.as_mut().poll(&mut context) {
                return value;
            }
            let can_go_on = woken.flag.swap(false, Ordering::AcqRel);
            if !can_go_on && !self.gate.as_ref().is_some_and(Gate::open) {
                thread::park();
            }
        }
    }

    /// One line: calls by kind, most in flight, dependent round trips, bytes, time.
    pub(crate) fn stats(&self) -> String {
        let calls = self.counting.calls();
        let (round_trips, most) = self.gate.as_ref().map_or((0, 0), Gate::rounds);
        format!(
            "stats: {}{}, {most} in flight at most, {}, {} read, {}\n",
            counted(calls.total(), "call"),
            by_kind(&calls),
            counted(round_trips, "round trip"),
            counted(self.counting.bytes_read(), "byte"),
            shown_time(self.started.elapsed()),
        )
    }

    fn progress(&self) -> String {
        let in_flight = self.counting.in_flight() as u64;
        let done = self.counting.calls().total() - in_flight;
        // Without a gate one call follows the other, so each is a round trip of its own.
        let round_trips = self.gate.as_ref().map_or(done, |gate| gate.rounds().0);
        let each = self.started.elapsed() / u32::try_from(round_trips.max(1)).unwrap_or(u32::MAX);
        format!(
            "{} done, {} found, {in_flight} in flight, {} a round trip",
            counted(done, "call"),
            counted(self.counting.bytes_read(), "byte"),
            shown_time(each),
        )
    }
}

/// ` (get_metadata 7, read_file 2)`, or nothing where there was no call.
fn by_kind(calls: &Calls) -> String {
    let kinds = [
        ("get_metadata", calls.get_metadata),
        ("read_file", calls.read_file),
        ("read_file_prefix", calls.read_file_prefix),
        ("read_file_text", calls.read_file_text),
        ("read_directory", calls.read_directory),
        ("canonicalize", calls.canonicalize),
        ("walk", calls.walk),
    ];
    let made = kinds.iter().filter(|(_, count)| *count > 0);
    let made: Vec<String> = made
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
