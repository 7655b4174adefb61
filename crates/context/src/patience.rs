//! An end to waiting, on tokio's clock.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use codex_file_system::ExecutorFileSystem;
use codex_file_system::wrap::{Timeout, Timer};

/// A filesystem whose calls end in time, where there is a clock.
pub(crate) fn patient(
    filesystem: Arc<dyn ExecutorFileSystem>,
    timeout: Duration,
) -> Arc<dyn ExecutorFileSystem> {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => Arc::new(Timeout::new(filesystem, Tokio, timeout)),
        Err(_) => filesystem,
    }
}

struct Tokio;

impl Timer for Tokio {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}
