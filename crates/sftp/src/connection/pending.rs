//! Who waits for which answer.
//!
//! One short lock, never held over an await. An entry exists from the moment a request is queued
//! until its answer came, its call was dropped, or the connection ended.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::failure::Failure;
use crate::wire::{Malformed, Reply};

/// What a waiter gets: an answer, one that cannot be read, or word of the end.
pub(crate) type Outcome = Result<Result<Reply, Malformed>, Failure>;

/// The requests without an answer.
#[derive(Debug, Default)]
pub(crate) struct Pending {
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

/// An answer nobody waits for any more.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Orphan {
    /// Nothing is left to do.
    Nothing,
    /// The server opened something that has to be given back.
    Reply(Reply),
}

impl Pending {
    /// Enters a request under an id of its own; `None` once the connection is lost.
    pub(crate) fn enter(&self, opens: bool) -> Option<(u32, oneshot::Receiver<Outcome>)> {
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

    /// An id for a request whose answer nobody waits for.
    pub(crate) fn id_without_waiter(&self) -> u32 {
        self.lock().free_id()
    }

    /// Whether a request is still wanted, at the moment it is written. From here on it may have
    /// reached the server.
    pub(crate) fn start_writing(&self, id: u32) -> bool {
        match self.lock().waiters.get_mut(&id) {
            Some(waiter) => {
                waiter.is_written = true;
                true
            }
            None => false,
        }
    }

    /// Hands an answer to whoever waits for it.
    pub(crate) fn answer(&self, id: u32, reply: Result<Reply, Malformed>) -> Orphan {
        let waiter = self.lock().waiters.remove(&id);
        let unheard = match waiter {
            None => return Orphan::Nothing,
            Some(Waiter {
                sender: Some(sender),
                ..
            }) => sender.send(Ok(reply)).err(),
            Some(_) => Some(Ok(reply)),
        };
        match unheard {
            Some(Ok(Ok(reply))) => Orphan::Reply(reply),
            _ => Orphan::Nothing,
        }
    }

    /// Takes back a call's interest in an answer. A request that was not written is never sent.
    pub(crate) fn forget(&self, id: u32) {
        let mut state = self.lock();
        match state.waiters.get_mut(&id) {
            Some(waiter) if waiter.is_written && waiter.opens => waiter.sender = None,
            _ => drop(state.waiters.remove(&id)),
        }
    }

    /// Tells every waiter that the connection ended.
    pub(crate) fn lose(&self) {
        let mut state = self.lock();
        state.is_lost = true;
        let waiters = std::mem::take(&mut state.waiters);
        drop(state);
        for waiter in waiters.into_values() {
            let sent = waiter.is_written;
            if let Some(sender) = waiter.sender {
                // Whoever stopped waiting does not need to know.
                let _ = sender.send(Err(Failure::Lost { sent }));
            }
        }
    }

    /// Whether the connection ended.
    pub(crate) fn is_lost(&self) -> bool {
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
