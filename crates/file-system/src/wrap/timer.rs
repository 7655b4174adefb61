//! How a wrapper waits, without knowing a runtime.

use std::pin::Pin;
use std::time::Duration;

/// A clock to sleep on: that of a runtime, or a virtual one in tests.
pub trait Timer: Send + Sync {
    /// A future that is ready when `duration` has passed since its first poll or its creation.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}
