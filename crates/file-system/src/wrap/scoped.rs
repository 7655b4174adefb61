//! [`Scoped`]: one directory and what is spelled below it.

use std::future::ready;
use std::io;

use codex_path_uri::PathUri;

use super::forward::{Answer, Around, Call, forward_calls};
use crate::FileSystemFuture;

/// Refuses paths that are not lexically at or below one directory, without a call.
///
/// Paths keep their full spelling on both sides. Links are not resolved: a link below the root
/// may still lead out of it, so this keeps a caller to its task and confines nobody.
#[derive(Clone, Debug)]
pub struct Scoped<F> {
    inner: F,
    root: PathUri,
}

impl<F> Scoped<F> {
    /// Only `root` and paths below it reach `inner`.
    pub fn new(inner: F, root: PathUri) -> Self {
        Self { inner, root }
    }

    fn check(&self, path: &PathUri) -> io::Result<()> {
        if path.starts_with(&self.root) {
            return Ok(());
        }
        // A path that cannot be placed relative to the root is not outside of it: it is no path
        // of this filesystem.
        let is_comparable = !path.is_opaque() && path.convention() == self.root.convention();
        let kind = if is_comparable {
            io::ErrorKind::PermissionDenied
        } else {
            io::ErrorKind::InvalidInput
        };
        Err(io::Error::new(
            kind,
            format!("the path is not below `{}`", self.root),
        ))
    }
}

impl<F: Send + Sync> Around for Scoped<F> {
    fn around<'a, T: Answer + 'a>(
        &'a self,
        call: Call<'a>,
        inner: FileSystemFuture<'a, T>,
    ) -> FileSystemFuture<'a, T> {
        let refusal = self.check(call.path).err();
        let refusal = refusal.or_else(|| self.check(call.destination?).err());
        match refusal {
            Some(error) => Box::pin(ready(Err(error))),
            None => inner,
        }
    }
}

forward_calls!(Scoped);
