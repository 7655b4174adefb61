//! An ordered log of the calls on a filesystem: when each started, when and how it ended.
//!
//! Times are those of tokio's clock since the first call, so on a paused clock the log is exact
//! and the same in every run.

use std::fmt;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use codex_file_system::call::{Call, CallKind, Uniform};
use codex_file_system::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};
use codex_path_uri::PathUri;
use tokio::time::Instant;

/// A filesystem that logs its calls.
///
/// A call starts at its first poll and ends when it answers or is dropped. `Display` is the log,
/// a line for each event: time, number of the call, and what happened.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use codex_file_system::ExecutorFileSystem;
/// use codex_file_system_testkit::{Fault, Faulty, Flavor, MemoryFileSystem, Trace};
/// use codex_path_uri::PathUri;
///
/// # tokio::runtime::Builder::new_current_thread()
/// #     .enable_time().start_paused(true).build()?.block_on(async {
/// let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/a.txt = hello")?;
/// let fs = Trace::new(Faulty::new(memory).on(Fault::delay(Duration::from_millis(20)).nth(1)));
/// fs.read_file(&PathUri::parse("file:///a.txt")?, None).await?;
/// let missing = PathUri::parse("file:///b.txt")?;
/// assert!(fs.get_metadata(&missing, None).await.is_err());
/// assert_eq!(fs.to_string(), "\
/// 0ms #1 ReadFile file:///a.txt
/// 20ms #1 ok
/// 20ms #2 GetMetadata file:///b.txt
/// 20ms #2 NotFound
/// ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Trace<F> {
    inner: F,
    log: Mutex<Log>,
}

/// Something that happened to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// Time since the first call started.
    pub at: Duration,
    /// Number of the call, in order of their starts, from 1.
    pub call: usize,
    /// What happened.
    pub what: TraceStep,
}

/// A step in the life of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceStep {
    /// Its future was polled for the first time.
    Started {
        /// The method.
        kind: CallKind,
        /// The path asked for; the source of a copy.
        path: PathUri,
        /// The destination of a copy.
        destination: Option<PathUri>,
    },
    /// It answered.
    Succeeded,
    /// It failed.
    Failed(io::ErrorKind),
    /// Its future was dropped before it answered.
    Dropped,
}

#[derive(Debug, Default)]
struct Log {
    first: Option<Instant>,
    calls: usize,
    events: Vec<TraceEvent>,
}

impl<F> Trace<F> {
    /// Logs from nothing.
    pub fn new(inner: F) -> Self {
        Self {
            inner,
            log: Mutex::default(),
        }
    }

    /// What has happened so far, in order.
    pub fn events(&self) -> Vec<TraceEvent> {
        self.with_log(|log| log.events.clone())
    }

    fn start<'a, C: Call<'a>>(&self, call: &C) -> Running<'_, F> {
        let started = TraceStep::Started {
            kind: C::KIND,
            path: call.path().clone(),
            destination: call.destination().cloned(),
        };
        let number = self.with_log(|log| {
            log.calls += 1;
            log.add(log.calls, started);
            log.calls
        });
        Running {
            trace: self,
            number,
            end: TraceStep::Dropped,
        }
    }

    fn with_log<T>(&self, use_log: impl FnOnce(&mut Log) -> T) -> T {
        use_log(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Log {
    fn add(&mut self, call: usize, what: TraceStep) {
        let now = Instant::now();
        let at = now.duration_since(*self.first.get_or_insert(now));
        self.events.push(TraceEvent { at, call, what });
    }
}

/// A started call; dropping it logs its end, whatever that was.
struct Running<'a, F> {
    trace: &'a Trace<F>,
    number: usize,
    end: TraceStep,
}

impl<F> Drop for Running<'_, F> {
    fn drop(&mut self) {
        self.trace
            .with_log(|log| log.add(self.number, self.end.clone()));
    }
}

impl<F: ExecutorFileSystem> Uniform for Trace<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let mut running = self.start(&call);
            let answer = call.make(&self.inner).await;
            running.end = match &answer {
                Ok(_) => TraceStep::Succeeded,
                Err(error) => TraceStep::Failed(error.kind()),
            };
            answer
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Trace<F> }

impl<F> fmt::Display for Trace<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.events()
            .iter()
            .try_for_each(|event| writeln!(f, "{event}"))
    }
}

impl fmt::Display for TraceEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, call, what } = self;
        write!(f, "{}ms #{call} {what}", at.as_millis())
    }
}

impl fmt::Display for TraceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started {
                kind,
                path,
                destination: None,
            } => write!(f, "{kind:?} {path}"),
            Self::Started {
                kind,
                path,
                destination: Some(destination),
            } => {
                write!(f, "{kind:?} {path} {destination}")
            }
            Self::Succeeded => f.write_str("ok"),
            Self::Failed(kind) => f.write_str(codex_file_system::error::kind_name(*kind)),
            Self::Dropped => f.write_str("dropped"),
        }
    }
}
