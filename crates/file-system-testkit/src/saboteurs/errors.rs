//! Saboteurs that tell the wrong kind of error.

use std::io::ErrorKind;

use codex_file_system::FileSystemFuture;

use crate::saboteurs::sabotage::Sabotage;

/// Tells one kind of error as another.
pub(super) struct Retold {
    pub(super) from: ErrorKind,
    pub(super) to: ErrorKind,
}

impl Sabotage for Retold {
    fn around<'a, T: Send + 'a>(
        &'a self,
        inner: FileSystemFuture<'a, T>,
    ) -> FileSystemFuture<'a, T> {
        Box::pin(async move {
            inner.await.map_err(|error| match error.kind() {
                kind if kind == self.from => self.to.into(),
                _ => error,
            })
        })
    }
}
