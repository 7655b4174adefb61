//! [`Timeout`]: an end to waiting.

use std::time::Duration;
use std::{fmt, io};

use futures::future::{Either, select};

use super::Timer;
use crate::call::{Call, Uniform};
use crate::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};

/// Ends a call with [`TimedOut`](io::ErrorKind::TimedOut) when it takes too long.
///
/// Time runs from the first poll of each call. An answer that is there in the same moment wins.
/// The inner future is dropped, so what its filesystem does on dropping applies.
pub struct Timeout<F> {
    inner: F,
    timer: Box<dyn Timer>,
    duration: Duration,
}

impl<F> Timeout<F> {
    /// Each call may take `duration`.
    pub fn new(inner: F, timer: impl Timer + 'static, duration: Duration) -> Self {
        Self {
            inner,
            timer: Box::new(timer),
            duration,
        }
    }
}

impl<F: ExecutorFileSystem> Uniform for Timeout<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            match select(call.make(&self.inner), self.timer.sleep(self.duration)).await {
                Either::Left((answer, _)) => answer,
                Either::Right(((), _)) => {
                    let message = format!("no answer within {:?}", self.duration);
                    Err(io::Error::new(io::ErrorKind::TimedOut, message))
                }
            }
        })
    }
}

impl<F: fmt::Debug> fmt::Debug for Timeout<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout")
            .field("inner", &self.inner)
            .field("duration", &self.duration)
            .finish_non_exhaustive()
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Timeout<F> }
