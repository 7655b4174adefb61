//! [`Latency`]: the delay of a distant machine.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use codex_path_uri::PathUri;

use crate::call::{Call, Uniform};
use crate::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};

/// Delays every call, whether it succeeds or fails.
///
/// On a paused clock the time a search takes is exact, so tests assert round trips as virtual
/// time. A delay of zero does not touch the timer.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use codex_file_system::wrap::{Latency, Timer};
/// use codex_file_system_testkit::MemoryFileSystem;
/// use codex_path_uri::PathUri;
///
/// # fn delay(timer: impl Timer + 'static) -> Result<(), Box<dyn std::error::Error>> {
/// let half = Duration::from_millis(25);
/// let slow_root = PathUri::parse("file:///net")?;
/// let fs = Latency::new(MemoryFileSystem::posix(), timer, half, half)
///     .with_path(slow_root, Duration::from_secs(3));
/// # drop(fs);
/// # Ok(())
/// # }
/// ```
pub struct Latency<F> {
    inner: F,
    timer: Box<dyn Timer>,
    before: Duration,
    after: Duration,
    by_path: HashMap<PathUri, Duration>,
}

impl<F> Latency<F> {
    /// Sleeps `before` ahead of and `after` behind each inner call.
    pub fn new(inner: F, timer: impl Timer + 'static, before: Duration, after: Duration) -> Self {
        Self {
            inner,
            timer: Box::new(timer),
            before,
            after,
            by_path: HashMap::new(),
        }
    }

    /// Gives calls on one path a total of their own, all of it ahead of the inner call. A copy
    /// goes by its source.
    #[must_use]
    pub fn with_path(mut self, path: PathUri, total: Duration) -> Self {
        self.by_path.insert(path, total);
        self
    }

    fn delays(&self, path: &PathUri) -> (Duration, Duration) {
        match self.by_path.get(path) {
            Some(total) => (*total, Duration::ZERO),
            None => (self.before, self.after),
        }
    }

    async fn sleep(&self, duration: Duration) {
        if !duration.is_zero() {
            self.timer.sleep(duration).await;
        }
    }
}

impl<F: ExecutorFileSystem> Uniform for Latency<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let (before, after) = self.delays(call.path());
            self.sleep(before).await;
            let answer = call.make(&self.inner).await;
            self.sleep(after).await;
            answer
        })
    }
}

impl<F: fmt::Debug> fmt::Debug for Latency<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Latency")
            .field("inner", &self.inner)
            .field("before", &self.before)
            .field("after", &self.after)
            .field("by_path", &self.by_path)
            .finish_non_exhaustive()
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Latency<F> }

/// A clock to sleep on: that of a runtime, or a virtual one in tests.
pub trait Timer: Send + Sync {
    /// A future that is ready when `duration` has passed since its first poll or its creation.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}
