//! Waking many tasks of a runtime from outside of it.
//!
//! Each wake from another thread costs the runtime a system call, however many are under way. So
//! those that come while one is under way are collected, and a task of the runtime wakes them all.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use tokio::runtime::Handle;

/// Wakers that wait to be woken together. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Wakes(Arc<Mutex<Vec<Waker>>>);

impl Wakes {
    /// Waits for a future that becomes ready in a thread of the runtime's blocking pool.
    pub(super) async fn together<F: Future + Unpin>(&self, mut future: F) -> F::Output {
        std::future::poll_fn(|context| self.poll(&mut future, context)).await
    }

    fn poll<F: Future + Unpin>(
        &self,
        future: &mut F,
        context: &mut Context<'_>,
    ) -> Poll<F::Output> {
        let waker = Arc::new(Collected {
            waker: context.waker().clone(),
            wakes: self.clone(),
        });
        Pin::new(future).poll(&mut Context::from_waker(&waker.into()))
    }

    fn wake(&self, waker: Waker) {
        // Outside of a runtime nobody would do it later.
        let Ok(runtime) = Handle::try_current() else {
            return waker.wake();
        };
        let mut wakers = self.wakers();
        wakers.push(waker);
        let is_first = wakers.len() == 1;
        drop(wakers);
        if is_first {
            let wakes = WakeAll(self.clone());
            // The task has one step; dropped by a runtime that ends, it does the same.
            drop(runtime.spawn(async move { drop(wakes) }));
        }
    }

    fn wakers(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes all that wait when it is dropped.
struct WakeAll(Wakes);

impl Drop for WakeAll {
    fn drop(&mut self) {
        let wakers = std::mem::take(&mut *self.0.wakers());
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A waker that waits for others.
struct Collected {
    waker: Waker,
    wakes: Wakes,
}

impl Wake for Collected {
    fn wake(self: Arc<Self>) {
        self.wakes.wake(self.waker.clone());
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use tokio::sync::oneshot;
    use tokio::task::spawn_blocking;

    use super::*;

    #[tokio::test]
    async fn everybody_who_waits_is_woken() {
        let wakes = Wakes::default();
        let (senders, waiting): (Vec<_>, Vec<_>) = (0..100)
            .map(|_| {
                let (sender, receiver) = oneshot::channel();
                let wakes = wakes.clone();
                let waiting = tokio::spawn(async move { wakes.together(receiver).await });
                (sender, waiting)
            })
            .unzip();
        tokio::task::yield_now().await;
        let sending = spawn_blocking(|| {
            for (number, sender) in senders.into_iter().enumerate() {
                sender.send(number).unwrap();
            }
        });
        for (number, waiting) in waiting.into_iter().enumerate() {
            assert_eq!(waiting.await.unwrap(), Ok(number));
        }
        sending.await.unwrap();
    }

    #[test]
    fn outside_of_a_runtime_everybody_is_woken_at_once() {
        let (sender, receiver) = oneshot::channel();
        let thread = std::thread::spawn(|| sender.send(7));
        let wakes = Wakes::default();
        assert_eq!(futures::executor::block_on(wakes.together(receiver)), Ok(7));
        thread.join().unwrap().unwrap();
    }
}
