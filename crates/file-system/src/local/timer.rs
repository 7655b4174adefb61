//! Tokio's clock.

use std::pin::Pin;
use std::time::Duration;

use crate::wrap::Timer;

/// Sleeps on the clock of the tokio runtime it is polled in, which tests can pause.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTimer;

impl Timer for TokioTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move { tokio::time::sleep(duration).await })
    }
}
