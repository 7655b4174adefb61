//! [`Limit`]: a bound on the calls an environment sees at once.
//!
//! The queue of waiters is in order of arrival, and the first `free` of them may go. Giving back
//! a permit, or leaving the queue from among those, makes exactly one further waiter eligible,
//! and that one is woken. So no permit is lost with a dropped waiter, and nobody overtakes.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::call::{Call, Uniform};
use crate::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};

/// Lets at most n inner calls run; the others wait, first come first served.
///
/// Wrappers that share a [`LimitHandle`] share the bound. A dropped waiter leaves the queue, a
/// dropped call frees its place.
///
/// # Examples
/// ```
/// use codex_file_system::wrap::{Limit, LimitHandle};
/// use codex_file_system_testkit::MemoryFileSystem;
///
/// // Whatever is read or searched through the two, the machine sees eight calls at once.
/// let handle = LimitHandle::new(8);
/// let memory = MemoryFileSystem::posix();
/// let for_skills = Limit::new(&memory, handle.clone());
/// let for_instructions = Limit::new(&memory, handle);
/// # drop((for_skills, for_instructions));
/// ```
#[derive(Clone, Debug)]
pub struct Limit<F> {
    inner: F,
    handle: LimitHandle,
}

impl<F> Limit<F> {
    /// Bounds the calls of `inner` together with those of all holders of the handle.
    pub fn new(inner: F, handle: LimitHandle) -> Self {
        Self { inner, handle }
    }
}

impl<F: ExecutorFileSystem> Uniform for Limit<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let _permit = self.handle.acquire().await;
            call.make(&self.inner).await
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Limit<F> }

/// One bound for any number of [`Limit`] wrappers; clones share it.
#[derive(Clone, Debug)]
pub struct LimitHandle(Arc<Mutex<Queue>>);

impl LimitHandle {
    /// A bound of `n` calls at once. Zero counts as one, as nothing would ever run otherwise.
    pub fn new(n: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue {
            free: n.max(1),
            ..Queue::default()
        })))
    }

    fn acquire(&self) -> Acquire<'_> {
        Acquire {
            handle: self,
            ticket: None,
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Default)]
struct Queue {
    free: usize,
    next_ticket: u64,
    /// In order of arrival, which is the order of the tickets.
    waiting: VecDeque<Waiter>,
}

#[derive(Debug)]
struct Waiter {
    ticket: u64,
    waker: Option<Waker>,
}

impl Queue {
    fn join(&mut self) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.waiting.push_back(Waiter {
            ticket,
            waker: None,
        });
        ticket
    }

    fn position(&self, ticket: u64) -> usize {
        self.waiting
            .partition_point(|waiter| waiter.ticket < ticket)
    }

    /// Takes a permit if the ticket is among the first `free`; else remembers whom to wake.
    fn admit(&mut self, ticket: u64, waker: &Waker) -> bool {
        let position = self.position(ticket);
        if position < self.free {
            self.waiting.remove(position);
            self.free -= 1;
            return true;
        }
        if let Some(waiter) = self.waiting.get_mut(position) {
            waiter.waker = Some(waker.clone());
        }
        false
    }

    #[must_use]
    fn leave(&mut self, ticket: u64) -> Option<Waker> {
        let position = self.position(ticket);
        self.waiting.remove(position);
        if position < self.free {
            self.last_eligible()
        } else {
            None
        }
    }

    #[must_use]
    fn release(&mut self) -> Option<Waker> {
        self.free += 1;
        self.last_eligible()
    }

    fn last_eligible(&mut self) -> Option<Waker> {
        self.waiting.get_mut(self.free - 1)?.waker.take()
    }
}

struct Acquire<'a> {
    handle: &'a LimitHandle,
    ticket: Option<u64>,
}

impl<'a> Future for Acquire<'a> {
    type Output = Permit<'a>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit<'a>> {
        let handle = self.handle;
        let mut queue = handle.queue();
        let ticket = *self.ticket.get_or_insert_with(|| queue.join());
        if queue.admit(ticket, context.waker()) {
            self.ticket = None;
            Poll::Ready(Permit(handle))
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            let next = self.handle.queue().leave(ticket);
            wake(next);
        }
    }
}

struct Permit<'a>(&'a LimitHandle);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let next = self.0.queue().release();
        wake(next);
    }
}

/// Called without the lock, as waking may run foreign code.
fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}
