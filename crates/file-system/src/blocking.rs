//! [`BlockingFileSystem`]: the calls of the trait where an answer is a plain result.

use std::io;

use codex_path_uri::PathUri;
use futures::FutureExt;

use crate::call::{Call, Uniform};
use crate::executor::{whole_prefix, whole_text};
use crate::{
    CopyOptions, CreateDirectoryOptions, FileMetadata, FilePrefix, FileSystemFuture,
    FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, Walk, WalkOptions,
    uniform_file_system, walk_by_listing,
};

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// A filesystem that answers on the thread that asks.
///
/// For an implementation of [`ExecutorFileSystem`](crate::ExecutorFileSystem) over calls that block. Each method has the
/// result of the method of the same name there, and the same default body. Where the thread is to
/// be found is said once for all of them, in [`Uniform`](crate::call::Uniform): at the first poll,
/// by [`make_blocking`](crate::call::Call::make_blocking), or elsewhere, by
/// [`detach`](crate::call::Call::detach).
///
/// # Examples
/// ```
/// use codex_file_system::{BlockingFileSystem, LocalFileSystem};
/// use codex_path_uri::PathUri;
///
/// let here = PathUri::from_host_native_path(env!("CARGO_MANIFEST_DIR"))?;
/// let manifest = here.join("Cargo.toml")?;
/// let text = LocalFileSystem::inline().read_file_text(&manifest, None)?;
/// assert!(text.starts_with("[package]"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait BlockingFileSystem: Send + Sync {
    /// [`get_metadata`](crate::ExecutorFileSystem::get_metadata).
    ///
    /// # Errors
    /// The table of [`ExecutorFileSystem`](crate::ExecutorFileSystem), as for every method.
    fn get_metadata(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<FileMetadata>;

    /// [`read_file`](crate::ExecutorFileSystem::read_file).
    fn read_file(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<Vec<u8>>;

    /// [`read_directory`](crate::ExecutorFileSystem::read_directory).
    fn read_directory(
        &self,
        path: &PathUri,
        sandbox: Sandbox<'_>,
    ) -> io::Result<Vec<ReadDirectoryEntry>>;

    /// [`canonicalize`](crate::ExecutorFileSystem::canonicalize).
    fn canonicalize(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<PathUri>;

    /// [`write_file`](crate::ExecutorFileSystem::write_file).
    fn write_file(&self, path: &PathUri, contents: Vec<u8>, sandbox: Sandbox<'_>)
    -> io::Result<()>;

    /// [`create_directory`](crate::ExecutorFileSystem::create_directory).
    fn create_directory(
        &self,
        path: &PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()>;

    /// [`remove`](crate::ExecutorFileSystem::remove).
    fn remove(
        &self,
        path: &PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()>;

    /// [`copy`](crate::ExecutorFileSystem::copy).
    fn copy(
        &self,
        source: &PathUri,
        destination: &PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()>;

    /// [`read_file_text`](crate::ExecutorFileSystem::read_file_text).
    fn read_file_text(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<String> {
        whole_text(self.read_file(path, sandbox)?)
    }

    /// [`read_file_prefix`](crate::ExecutorFileSystem::read_file_prefix).
    fn read_file_prefix(
        &self,
        path: &PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'_>,
    ) -> io::Result<FilePrefix> {
        // The whole file comes anyway: there is nothing to choose.
        let _ = size_hint;
        Ok(whole_prefix(self.read_file(path, sandbox)?, max_bytes))
    }

    /// [`walk`](crate::ExecutorFileSystem::walk).
    fn walk(
        &self,
        root: &PathUri,
        options: &WalkOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<Walk> {
        let walk = walk_by_listing(&Polled(self), root, options, sandbox).now_or_never();
        walk.unwrap_or_else(|| Err(io::Error::other("a call on this thread did not end")))
    }
}

/// The filesystem that answers at the first poll.
struct Polled<'b, B: ?Sized>(&'b B);

impl<B: BlockingFileSystem + ?Sized> Uniform for Polled<'_, B> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move { call.make_blocking(self.0) })
    }
}

uniform_file_system! { impl[B: BlockingFileSystem + ?Sized] for Polled<'_, B> }
