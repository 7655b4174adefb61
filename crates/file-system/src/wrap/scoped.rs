//! [`Scoped`]: one directory and what is spelled below it.

use std::future::ready;
use std::io;

use codex_path_uri::PathUri;

use crate::call::{Call, Uniform};
use crate::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};

/// Refuses paths that are not lexically at or below one directory, without a call.
///
/// Paths keep their full spelling on both sides. Links are not resolved: a link below the root
/// may still lead out of it, so this keeps a caller to its task and confines nobody.
///
/// # Examples
/// ```
/// use std::io::ErrorKind;
///
/// use codex_file_system::ExecutorFileSystem;
/// use codex_file_system::wrap::Scoped;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/repo/a = x\n/etc/b = y")?;
/// let fs = Scoped::new(memory, PathUri::parse("file:///srv/repo")?);
/// let (inside, outside) =
///     (PathUri::parse("file:///srv/repo/a")?, PathUri::parse("file:///etc/b")?);
/// let read = |path| futures::executor::block_on(fs.read_file(path, None));
/// assert_eq!(read(&inside)?, b"x");
/// assert_eq!(read(&outside).map_err(|error| error.kind()), Err(ErrorKind::PermissionDenied));
/// # Ok(())
/// # }
/// ```
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
        if path.starts_with(&self.root) || self.contains_opaque(path) {
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

    /// Whether a path that is opaque for a name that is not Unicode lies below the root. Its
    /// readable form has a replacement character there and is otherwise the same, so it is
    /// compared, unless the root has such a character itself.
    fn contains_opaque(&self, path: &PathUri) -> bool {
        let Some(convention) = path.convention().filter(|_| path.is_opaque()) else {
            return false;
        };
        let readable = PathUri::from_native(&path.inferred_native_path_string(), convention);
        let is_ambiguous = self.root.as_str().contains("%EF%BF%BD");
        !is_ambiguous && readable.is_ok_and(|readable| readable.starts_with(&self.root))
    }
}

impl<F: ExecutorFileSystem> Uniform for Scoped<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        let refusal = self.check(call.path()).err();
        let refusal = refusal.or_else(|| self.check(call.destination()?).err());
        match refusal {
            Some(error) => Box::pin(ready(Err(error))),
            None => call.make(&self.inner),
        }
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Scoped<F> }
