//! [`Limit`]: a bound on the calls an environment sees at once.
//!
//! Tokio's semaphore, which is fair: no permit is lost with a dropped waiter, and nobody overtakes.

use std::sync::Arc;

use tokio::sync::Semaphore;

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
            // Nothing closes the semaphore, so that there always is a permit in the end.
            let _permit = self.handle.0.acquire().await;
            call.make(&self.inner).await
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Limit<F> }

/// One bound for any number of [`Limit`] wrappers; clones share it.
#[derive(Clone, Debug)]
pub struct LimitHandle(Arc<Semaphore>);

impl LimitHandle {
    /// A bound of `n` calls at once. Zero counts as one, as nothing would ever run otherwise.
    pub fn new(n: usize) -> Self {
        let n = n.clamp(1, Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(n)))
    }
}
