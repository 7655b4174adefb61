//! How many messages of a connection are handled at once, and how many bytes of them.
//!
//! A small message counts as one; a large one counts by its bytes too, so that a client that sends
//! as much as it may with each request does not fill the memory while they run.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::ServerOptions;
use super::budget::{Budget, Share};

/// From how many bytes on a message counts by them.
const LARGE_MESSAGE_BYTES: usize = 64 * 1024;

/// The slots of one connection.
pub(super) struct Slots {
    messages: Arc<Semaphore>,
    bytes: Budget,
}

/// The right of one message to be handled.
#[derive(Debug)]
pub(super) struct Slot {
    _message: Option<OwnedSemaphorePermit>,
    _bytes: Option<Share>,
}

impl Slots {
    pub(super) fn new(options: &ServerOptions) -> Self {
        let messages = options.concurrent_requests.get();
        let bytes = u32::try_from(options.limits.inbound_message).unwrap_or(u32::MAX);
        Self {
            messages: Arc::new(Semaphore::new(messages.min(Semaphore::MAX_PERMITS))),
            bytes: Budget::new(bytes),
        }
    }

    /// Waits for the slot of a message of so many bytes.
    ///
    /// # Cancellation
    /// Takes nothing.
    pub(super) async fn next(&self, bytes: usize) -> Slot {
        // The semaphore is never closed, so there is always a slot in the end.
        let message = Arc::clone(&self.messages).acquire_owned().await.ok();
        let bytes = if bytes > LARGE_MESSAGE_BYTES {
            self.bytes.wait_for(bytes as u64).await
        } else {
            None
        };
        Slot {
            _message: message,
            _bytes: bytes,
        }
    }
}
