//! Signals that end a run while it asks another machine.
//!
//! A program that was started to reach the machine must not outlive the run. So the first signal
//! only asks the load to end, which drops every connection, and that kills what was started. A
//! second signal, or one second in which the run does not end, ends the process at once. A run on
//! this machine starts nothing and needs none of this: see [`exit::at_interrupt`]. A hang-up is left
//! to the system: `nohup` asks it to be ignored, and a terminal that goes away tells the programs, too.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

use crate::exit;

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
