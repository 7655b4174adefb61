//! [`ReadOnly`]: a filesystem nobody changes.

use std::future::ready;
use std::io;

use super::forward::{Answer, Around, Call, forward_calls};
use crate::FileSystemFuture;

/// Refuses every write with [`ReadOnlyFilesystem`](io::ErrorKind::ReadOnlyFilesystem), without
/// a call.
#[derive(Clone, Debug)]
pub struct ReadOnly<F> {
    inner: F,
}

impl<F> ReadOnly<F> {
    /// Only reads reach `inner`.
    pub fn new(inner: F) -> Self {
        Self { inner }
    }
}

impl<F: Send + Sync> Around for ReadOnly<F> {
    fn around<'a, T: Answer + 'a>(
        &'a self,
        call: Call<'a>,
        inner: FileSystemFuture<'a, T>,
    ) -> FileSystemFuture<'a, T> {
        if call.kind.is_write() {
            return Box::pin(ready(Err(io::ErrorKind::ReadOnlyFilesystem.into())));
        }
        inner
    }
}

forward_calls!(ReadOnly);
