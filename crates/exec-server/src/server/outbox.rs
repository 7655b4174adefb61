//! What waits to be written to a client.
//!
//! Answers are written in the order they come, but for this: a large one does not hold up the
//! small ones behind it. What waits is bounded twice. Every answer holds the *slot* of its
//! request until the writer takes it, so there are never more of them than requests run at once;
//! and a large one holds *room* for its bytes until it is written. A client that does not read
//! runs out of both, and its requests are not read any more.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// From how many bytes on an answer needs room.
pub(super) const LARGE_REPLY_BYTES: usize = 256 * 1024;

/// Some bytes of an answer, until they are written.
pub(super) type Room = OwnedSemaphorePermit;

/// The right of one request to run: one of so many, and the bytes of a large one.
pub(super) type Slot = [Option<OwnedSemaphorePermit>; 2];

/// An answer on its way.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) slot: Slot,
    pub(super) room: Option<Room>,
}

/// The answers of one connection.
#[derive(Debug)]
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    changed: Notify,
    room: Arc<Semaphore>,
    all_room: u32,
}

#[derive(Debug, Default)]
struct Waiting {
    small: VecDeque<Reply>,
    large: VecDeque<Reply>,
    is_closed: bool,
}

/// Answers to be written together.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) texts: Vec<String>,
    /// Given back when the batch was written.
    pub(super) room: Option<Room>,
}

impl Outbox {
    pub(super) fn new(all_room: u32) -> Self {
        Self {
            waiting: Mutex::default(),
            changed: Notify::new(),
            room: Arc::new(Semaphore::new(all_room as usize)),
            all_room,
        }
    }

    /// Waits for the room of an answer of about so many bytes; none is needed for a small one.
    /// An answer larger than all room waits until it is the only one.
    pub(super) async fn room_for(&self, bytes: u64) -> Option<Room> {
        if bytes <= LARGE_REPLY_BYTES as u64 {
            return None;
        }
        let room = Arc::clone(&self.room);
        // The semaphore is never closed, so there is always room in the end.
        room.acquire_many_owned(self.part(bytes)).await.ok()
    }

    /// The room of an answer of about so many bytes, if there is some at once.
    pub(super) fn try_room_for(&self, bytes: u64) -> Result<Option<Room>, NoRoom> {
        if bytes <= LARGE_REPLY_BYTES as u64 {
            return Ok(None);
        }
        let room = Arc::clone(&self.room).try_acquire_many_owned(self.part(bytes));
        room.map(Some).map_err(|_| NoRoom)
    }

    fn part(&self, bytes: u64) -> u32 {
        u32::try_from(bytes).map_or(self.all_room, |bytes| bytes.min(self.all_room))
    }

    /// Hands an answer to the writer.
    pub(super) fn push(&self, reply: Reply) {
        let mut waiting = self.waiting();
        if reply.text.len() <= LARGE_REPLY_BYTES {
            waiting.small.push_back(reply);
        } else {
            waiting.large.push_back(reply);
        }
        drop(waiting);
        self.changed.notify_one();
    }

    /// No answer follows.
    pub(super) fn close(&self) {
        self.waiting().is_closed = true;
        self.changed.notify_one();
    }

    /// What is to be written next: all small answers and one large one. `None` after the last.
    ///
    /// # Cancellation
    /// Loses nothing.
    pub(super) async fn next(&self) -> Option<Batch> {
        loop {
            match self.take() {
                (batch, _) if !batch.texts.is_empty() => return Some(batch),
                (_, true) => return None,
                // A change since then is remembered, so waiting for it ends at once.
                _ => self.changed.notified().await,
            }
        }
    }

    /// What is to be written next, and whether it is the last.
    fn take(&self) -> (Batch, bool) {
        let mut waiting = self.waiting();
        let small = std::mem::take(&mut waiting.small);
        let large = waiting.large.pop_front();
        let is_last = waiting.is_closed && waiting.large.is_empty();
        drop(waiting);
        let mut batch = Batch::default();
        for reply in small.into_iter().chain(large) {
            batch.texts.push(reply.text);
            batch.room = batch.room.or(reply.room);
            // The next request may run while this answer is written.
            drop(reply.slot);
        }
        (batch, is_last)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// There is no room at once.
#[derive(Debug)]
pub(super) struct NoRoom;

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[tokio::test]
    async fn small_answers_leave_before_one_large_one_and_what_waits_leaves_before_the_end() {
        let outbox = Outbox::new(1);
        for length in [LARGE_REPLY_BYTES + 1, 1, LARGE_REPLY_BYTES + 2, 2] {
            outbox.push(Reply {
                text: "x".repeat(length),
                slot: [None, None],
                room: None,
            });
        }
        outbox.close();
        let mut batches = Vec::new();
        while let Some(batch) = outbox.next().await {
            batches.push(batch.texts.iter().map(String::len).collect::<Vec<_>>());
        }
        let first = vec![1, 2, LARGE_REPLY_BYTES + 1];
        assert_eq!(batches, [first, vec![LARGE_REPLY_BYTES + 2]]);
    }
}
