//! The requests that wait for an answer.
//!
//! One short lock, never held over an await. An entry exists from the moment a request is queued
//! until its answer came, its call was dropped, or the connection ended.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::error::Failure;
use crate::wire::{Malformed, Reply};

/// What a waiter gets: an answer, one that cannot be read, or word of the end.
pub(super) type Outcome = Result<Result<Reply, Malformed>, Failure>;

/// The requests without an answer.
#[derive(Debug, Default)]
pub(super) struct Pending {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    waiters: HashMap<u32, Waiter>,
    next_id: u32,
    is_lost: bool,
}

#[derive(Debug)]
struct Waiter {
    /// `None` once the call was dropped and only the handle is waited for, to give it back.
    sender: Option<oneshot::Sender<Outcome>>,
    is_written: bool,
    opens: bool,
}

impl Pending {
    /// Enters a request under an id of its own; `None` once the connection is lost.
    pub(super) fn enter(&self, opens: bool) -> Option<(u32, oneshot::Receiver<Outcome>)> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        if state.is_lost {
            return None;
        }
        let id = state.free_id();
        let waiter = Waiter {
            sender: Some(sender),
            is_written: false,
            opens,
        };
        state.waiters.insert(id, waiter);
        Some((id, receiver))
    }

    /// An id for a request whose answer does not matter.
    pub(super) fn id_without_waiter(&self) -> u32 {
        self.lock().free_id()
    }

    /// Whether a request is still wanted, at the moment it is written. From here on it may have
    /// reached the server.
    pub(super) fn start_writing(&self, id: u32) -> bool {
        let mut state = self.lock();
        let waiter = state.waiters.get_mut(&id);
        waiter.map(|waiter| waiter.is_written = true).is_some()
    }

    /// Hands an answer to its waiter, or gives it back if the call was dropped.
    pub(super) fn answer(&self, id: u32, reply: Result<Reply, Malformed>) -> Option<Reply> {
        let waiter = self.lock().waiters.remove(&id)?;
        let unheard = match waiter.sender {
            Some(sender) => sender.send(Ok(reply)).err()?.ok()?,
            None => reply,
        };
        unheard.ok()
    }

    /// Takes back a call's interest in an answer. A request that was not written is never sent.
    pub(super) fn forget(&self, id: u32) {
        let mut state = self.lock();
        match state.waiters.get_mut(&id) {
            Some(waiter) if waiter.is_written && waiter.opens => waiter.sender = None,
            _ => drop(state.waiters.remove(&id)),
        }
    }

    /// Tells every waiter that the connection ended.
    pub(super) fn lose(&self) {
        let mut state = self.lock();
        state.is_lost = true;
        let waiters = std::mem::take(&mut state.waiters);
        drop(state);
        for waiter in waiters.into_values() {
            let sent = waiter.is_written;
            if let Some(sender) = waiter.sender {
                // A call that was dropped meanwhile does not need to know.
                let _ = sender.send(Err(Failure::Lost { sent }));
            }
        }
    }

    /// Whether the connection ended.
    pub(super) fn is_lost(&self) -> bool {
        self.lock().is_lost
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics under this lock, and the map is whole between any two lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn free_id(&mut self) -> u32 {
        loop {
            self.next_id = self.next_id.wrapping_add(1);
            if !self.waiters.contains_key(&self.next_id) {
                return self.next_id;
            }
        }
    }
}
