//! The gate that turns calls into round trips.
//!
//! A call waits at the gate from its first poll; an opening lets all waiting calls go together, as
//! if every call took equally long. A call that is dropped takes its place back. The gate is a
//! [`Timer`], so the wrapper `Latency` holds calls back with it, and it knows no filesystem.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use codex_file_system::wrap::Timer;

/// A clock on which everybody who sleeps wakes up together, when it is told to.
#[derive(Clone)]
pub(crate) struct Gate {
    latency: Duration,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    next_ticket: u64,
    /// Whom to wake, by ticket; a call that is dropped takes its ticket back.
    waiting: BTreeMap<u64, Waker>,
    openings: u64,
    most: usize,
}

impl Gate {
    /// A closed gate that takes `latency` to open.
    pub(crate) fn new(latency: Duration) -> Self {
        Self {
            latency,
            held: Arc::default(),
        }
    }

    /// Lets all held calls go; `false` if there is none.
    pub(crate) fn open(&self) -> bool {
        let released = {
            let mut held = self.held();
            let released = std::mem::take(&mut held.waiting);
            if released.is_empty() {
                return false;
            }
            held.openings += 1;
            held.most = held.most.max(released.len());
            released
        };
        thread::sleep(self.latency);
        released.into_values().for_each(Waker::wake);
        true
    }

    /// How often the gate was opened, and for how many calls at most.
    pub(crate) fn rounds(&self) -> (u64, usize) {
        let held = self.held();
        (held.openings, held.most)
    }

    /// How long the openings took together.
    pub(crate) fn elapsed(&self) -> Duration {
        let (openings, _) = self.rounds();
        let openings = u32::try_from(openings).unwrap_or(u32::MAX);
        self.latency.saturating_mul(openings)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timer for Gate {
    fn sleep(&self, _duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(Passage {
            gate: self.clone(),
            ticket: None,
        })
    }
}

/// One call's way through the gate, from its first poll to the next opening.
struct Passage {
    gate: Gate,
    ticket: Option<u64>,
}

impl Future for Passage {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let gate = self.gate.clone();
        let mut held = gate.held();
        let ticket = match self.ticket {
            Some(ticket) if !held.waiting.contains_key(&ticket) => return Poll::Ready(()),
            Some(ticket) => ticket,
            None => {
                held.next_ticket += 1;
                held.next_ticket
            }
        };
        self.ticket = Some(ticket);
        held.waiting.insert(ticket, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.gate.held().waiting.remove(&ticket);
        }
    }
}
