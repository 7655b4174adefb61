//! How many bytes may be on their way at once: in requests, in what the filesystem gives, in answers.
//!
//! Whoever needs some waits in order, and gives them back when the share is dropped. One that needs
//! more than there are waits until it is alone.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long what is asked of a filesystem counts. One that takes longer has most likely given
/// nothing yet, and may hang for ever: it must not keep others waiting.
const PATIENCE: Duration = Duration::from_secs(1);

/// Some bytes that are taken until this is dropped.
pub(super) type Share = OwnedSemaphorePermit;

/// So many bytes, shared by all who need some.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    bytes: Arc<Semaphore>,
    all: u32,
}

impl Budget {
    pub(super) fn new(all: u32) -> Self {
        Self {
            bytes: Arc::new(Semaphore::new(all as usize)),
            all,
        }
    }

    /// Half of as many bytes.
    pub(super) fn half(&self) -> Self {
        Self::new(self.all / 2)
    }

    /// Waits for so many bytes. The budget is never closed, so there is always a share in the end.
    pub(super) async fn wait_for(&self, bytes: u64) -> Option<Share> {
        let room = Arc::clone(&self.bytes);
        room.acquire_many_owned(self.part(bytes)).await.ok()
    }

    /// So many bytes, if they are there at once.
    pub(super) fn take(&self, bytes: u64) -> Option<Share> {
        let room = Arc::clone(&self.bytes);
        room.try_acquire_many_owned(self.part(bytes)).ok()
    }

    /// What is asked of a filesystem when there is room for so many bytes, and their share.
    pub(super) async fn in_turn<T>(
        &self,
        bytes: u64,
        asked: impl Future<Output = T>,
    ) -> (T, Option<Share>) {
        let share = self.wait_for(bytes).await;
        let mut asked = pin!(asked);
        match timeout(PATIENCE, &mut asked).await {
            Ok(given) => (given, share),
            Err(_) => {
                drop(share);
                (asked.await, None)
            }
        }
    }

    fn part(&self, bytes: u64) -> u32 {
        u32::try_from(bytes).map_or(self.all, |bytes| bytes.min(self.all))
    }
}
