//! The meter: what a piece of work costs, exactly.
//!
//! On tokio's paused clock over a filesystem whose every call takes one millisecond, virtual time
//! counts the round trips that wait for one another.
//!
//! ```
//! use codex_file_system::{FindUpErrorPolicy, find_nearest_ancestor_with_markers};
//! use codex_file_system_testkit::meter::measure;
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::PathUri;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let fs = MemoryFileSystem::from_tree(Flavor::Posix, "
//!     /srv/repo/.git/
//!     /srv/repo/crates/core/
//! ")?;
//! let start = PathUri::parse("file:///srv/repo/crates/core")?;
//! let policy = FindUpErrorPolicy::Propagate;
//! let (root, cost) = measure(fs, async |fs| {
//!     find_nearest_ancestor_with_markers(fs, &start, [".git"], policy, None).await
//! });
//! assert_eq!(root?, Some(PathUri::parse("file:///srv/repo")?));
//! assert_eq!((cost.total(), cost.round_trips(), cost.most_in_flight), (5, 1, 5));
//! assert_eq!(cost.by_operation(), "5 GetMetadata");
//! # Ok(())
//! # }
//! ```

use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codex_file_system::call::{Call, CallKind, Uniform};
use codex_file_system::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};
use codex_path_uri::PathUri;
use tokio::time::Instant;

/// How long a call takes unless it is said otherwise.
pub const ROUND_TRIP: Duration = Duration::from_millis(1);

/// Runs a job over a filesystem on a paused clock, with [`ROUND_TRIP`] for each call.
///
/// Several filesystems under one clock are [`Metered`] each, and run by [`on_paused_clock`].
pub fn measure<F: ExecutorFileSystem, T>(
    fs: F,
    job: impl AsyncFnOnce(&Metered<F>) -> T,
) -> (T, Cost) {
    let metered = Metered::new(fs);
    let (answer, _) = on_paused_clock(job(&metered));
    (answer, metered.cost())
}

/// Runs a future on tokio's paused clock and says how much virtual time it took.
///
/// # Panics
/// If the host gives no runtime.
pub fn on_paused_clock<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build();
    #[expect(clippy::expect_used, reason = "a test has nothing to do without one")]
    let runtime = runtime.expect("a runtime without I/O");
    runtime.block_on(async {
        let start = Instant::now();
        let answer = future.await;
        (answer, start.elapsed())
    })
}

/// A filesystem whose calls take a given time and are written down.
///
/// A call starts at the first poll of its future, which is when it is made below, after its delay.
/// It ends when it answers or is dropped. A provided method counts as itself, once.
#[derive(Debug)]
pub struct Metered<F> {
    inner: F,
    delay: Duration,
    log: Mutex<Log>,
}

#[derive(Debug, Default)]
struct Log {
    calls: Vec<MeteredCall>,
    in_flight: usize,
    most_in_flight: usize,
    ended: Option<Instant>,
}

/// A call that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeteredCall {
    /// The method.
    pub kind: CallKind,
    /// The path asked for; the source of a copy.
    pub path: PathUri,
    /// When it started.
    pub started: Instant,
}

/// What was called since the beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The calls, in the order of their starts.
    pub calls: Vec<MeteredCall>,
    /// The most calls that were in flight at once.
    pub most_in_flight: usize,
    /// The time from the start of the first call to the end of the last one.
    pub elapsed: Duration,
    /// How long each call took.
    delay: Duration,
}

impl<F> Metered<F> {
    /// Gives every call [`ROUND_TRIP`].
    pub fn new(inner: F) -> Self {
        Self::with_delay(inner, ROUND_TRIP)
    }

    /// Gives every call this long; with zero it touches no clock.
    pub fn with_delay(inner: F, delay: Duration) -> Self {
        Self {
            inner,
            delay,
            log: Mutex::default(),
        }
    }

    /// What the calls have cost so far.
    pub fn cost(&self) -> Cost {
        let log = self.log();
        let first = log.calls.first().map(|call| call.started);
        let elapsed = log.ended.zip(first).map(|(end, start)| end - start);
        Cost {
            calls: log.calls.clone(),
            most_in_flight: log.most_in_flight,
            elapsed: elapsed.unwrap_or_default(),
            delay: self.delay,
        }
    }

    /// Forgets what was called. Calls in flight stay in flight.
    pub fn reset(&self) {
        let mut log = self.log();
        let in_flight = log.in_flight;
        *log = Log {
            in_flight,
            most_in_flight: in_flight,
            ..Log::default()
        };
    }

    fn start(&self, kind: CallKind, path: &PathUri) -> Running<'_, F> {
        let mut log = self.log();
        log.calls.push(MeteredCall {
            kind,
            path: path.clone(),
            started: Instant::now(),
        });
        log.in_flight += 1;
        log.most_in_flight = log.most_in_flight.max(log.in_flight);
        Running(self)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A started call; dropping it ends the call, answered or not.
struct Running<'a, F>(&'a Metered<F>);

impl<F> Drop for Running<'_, F> {
    fn drop(&mut self) {
        let mut log = self.0.log();
        log.in_flight -= 1;
        log.ended = Some(Instant::now());
    }
}

impl<F: ExecutorFileSystem> Uniform for Metered<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let _running = self.start(C::KIND, call.path());
            if !self.delay.is_zero() {
                tokio::time::sleep(self.delay).await;
            }
            call.make(&self.inner).await
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Metered<F> }

impl Cost {
    /// All calls.
    pub fn total(&self) -> usize {
        self.calls.len()
    }

    /// The calls of one method.
    pub fn count(&self, kind: CallKind) -> usize {
        self.paths(kind).len()
    }

    /// The paths that one method was called with, in order.
    pub fn paths(&self, kind: CallKind) -> Vec<&PathUri> {
        let calls = self.calls.iter().filter(|call| call.kind == kind);
        calls.map(|call| &call.path).collect()
    }

    /// How many calls waited for one another: [`elapsed`](Self::elapsed) in delays. Exact on a
    /// paused clock where nothing else takes time.
    pub fn round_trips(&self) -> u128 {
        let delay = self.delay.as_nanos();
        self.elapsed.as_nanos().div_ceil(delay.max(1))
    }

    /// The calls by method, such as `2 GetMetadata, 1 ReadFile`, in the order of first use.
    pub fn by_operation(&self) -> String {
        let mut counted: Vec<CallKind> = Vec::new();
        let mut text = String::new();
        for call in &self.calls {
            if !counted.contains(&call.kind) {
                counted.push(call.kind);
                let separator = if text.is_empty() { "" } else { ", " };
                let count = self.count(call.kind);
                // Writing to a string does not fail.
                let _ = write!(text, "{separator}{count} {:?}", call.kind);
            }
        }
        text
    }
}
