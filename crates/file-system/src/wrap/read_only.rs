//! [`ReadOnly`]: a filesystem nobody changes.

use std::future::ready;
use std::io;

use crate::call::{Call, Uniform};
use crate::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};

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

impl<F: ExecutorFileSystem> Uniform for ReadOnly<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        if C::KIND.is_write() {
            return Box::pin(ready(Err(io::ErrorKind::ReadOnlyFilesystem.into())));
        }
        call.make(&self.inner)
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for ReadOnly<F> }
