//! The runtimes of the command, and what they need of the host.
//!
//! A runtime that is refused a descriptor or a thread panics, at its start or later. So the host is
//! asked for them first, all at once; they are given back before the runtime takes its own.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::{io, thread};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;

use crate::exit;

/// What to do where there is no runtime.
pub(crate) const ADVICE: &str =
    "close other programs or raise the limits on open files, threads and memory (see `ulimit`)";

/// Threads for what blocks: the two standard streams, and a file or the name of a host.
const BLOCKING_THREADS: usize = 3;

/// Pairs of descriptors that a runtime holds: for events, for waking it up and for signals.
#[cfg(unix)]
const DESCRIPTOR_PAIRS: usize = 3;

/// A runtime on the thread that drives it.
///
/// # Errors
/// When the host has no threads or descriptors left.
pub(crate) fn on_this_thread() -> io::Result<Runtime> {
    reserve(BLOCKING_THREADS)?;
    Builder::new_current_thread().enable_all().build()
}

/// A runtime on one thread for each processor.
///
/// # Errors
/// As [`on_this_thread`].
pub(crate) fn on_every_processor() -> io::Result<Runtime> {
    let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    reserve(workers + BLOCKING_THREADS)?;
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(workers).enable_all().build()
}

/// Makes sure that the host has the descriptors of a runtime and so many threads.
fn reserve(threads: usize) -> io::Result<()> {
    #[cfg(unix)]
    let _descriptors = (0..DESCRIPTOR_PAIRS)
        .map(|_| std::os::unix::net::UnixStream::pair())
        .collect::<io::Result<Vec<_>>>()?;
    // The threads wait at a door, so that all of them are there at once.
    let door = Mutex::new(());
    thread::scope(|scope| {
        let closed = door.lock();
        let started = (0..threads).map(|_| {
            let thread = thread::Builder::new();
            thread.spawn_scoped(scope, || drop(door.lock()))
        });
        let started = started.collect::<io::Result<Vec<_>>>();
        drop(closed);
        started.map(drop)
    })
}

/// How long an interrupted run may take to end.
#[cfg(unix)]
const GRACE: std::time::Duration = std::time::Duration::from_secs(1);

/// Whether a signal asks the run to end. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Interruption(Arc<Asked>);

#[derive(Debug)]
struct Asked {
    told: Notify,
    /// How the process ends.
    code: AtomicU8,
}

impl Interruption {
    /// Listens to signals from now on.
    ///
    /// # Errors
    /// When the system does not take the handlers, or has no thread left.
    pub(crate) fn listen() -> io::Result<Self> {
        let interruption = Self(Arc::new(Asked {
            told: Notify::new(),
            code: AtomicU8::new(exit::INTERRUPTED),
        }));
        #[cfg(unix)]
        interruption.clone().listen_on_a_thread()?;
        #[cfg(not(unix))]
        exit::at_interrupt()?;
        Ok(interruption)
    }

    /// Waits until a signal asks the run to end, and gives the exit code.
    pub(crate) async fn asked(&self) -> u8 {
        self.0.told.notified().await;
        self.0.code.load(Ordering::Acquire)
    }

    #[cfg(unix)]
    fn listen_on_a_thread(self) -> io::Result<()> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;

        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let listening = move || {
            let Some(first) = signals.forever().next() else {
                return;
            };
            let code = exit::of_signal(first);
            self.0.code.store(code, Ordering::Release);
            self.0.told.notify_one();
            for signal in [SIGINT, SIGTERM] {
                // Where the system does not take it, the time is what ends the process.
                let _ = exit::at_signal(signal);
            }
            std::thread::sleep(GRACE);
            signal_hook::low_level::exit(i32::from(code));
        };
        std::thread::Builder::new().spawn(listening).map(drop)
    }
}
