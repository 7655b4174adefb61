//! This host as a filesystem: the only place of the crate that touches it.
//!
//! Host paths are made from a [`PathUri`] here and nowhere else. What is done is in `read`,
//! `list` and `write`, one function a call; `sandbox` decides before they begin. Where it
//! is done, on the blocking pool or on the polling thread, is decided here.

use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fs, io};

use codex_path_uri::PathUri;
use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::call::{Call, Uniform};
use crate::error::{broken_link, kind_from_name, kind_name};
use crate::wrap::Timer;
use crate::{
    BlockingFileSystem, CopyOptions, CreateDirectoryOptions, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions,
    uniform_file_system,
};

mod list;
mod read;
mod sandbox;
mod write;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// The filesystem of this host.
///
/// Sandboxes are enforced. A call costs the system calls of its work and no more:
/// `get_metadata` is one `lstat`, and one `stat` for a link; a listing is one `stat` for each
/// link in it and none for other entries; a bounded read reads what is asked for; a reading call
/// that finds nothing is one `lstat` more, which tells a broken link. Reading never
/// waits for the other end of a FIFO.
///
/// # Examples
/// ```
/// use codex_file_system::{ExecutorFileSystem, FileKind, LocalFileSystem};
/// use codex_path_uri::PathUri;
///
/// let here = PathUri::from_host_native_path(env!("CARGO_MANIFEST_DIR"))?;
/// let fs = LocalFileSystem::inline();
/// let metadata = futures::executor::block_on(fs.get_metadata(&here, None))?;
/// assert_eq!(metadata.kind, FileKind::Directory);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LocalFileSystem {
    place: Place,
}

/// Where the work of a call is done.
#[derive(Clone, Copy, Debug)]
enum Place {
    BlockingPool,
    PollingThread,
}

impl LocalFileSystem {
    /// Runs each call as one job on tokio's blocking pool. Outside a tokio runtime every call is
    /// [`Unsupported`](io::ErrorKind::Unsupported).
    ///
    /// A job that has not begun when its future is dropped never begins.
    #[expect(
        clippy::new_without_default,
        reason = "neither way of running calls is the obvious one; a host chooses"
    )]
    pub fn new() -> Self {
        Self {
            place: Place::BlockingPool,
        }
    }

    /// Runs each call on the thread that polls it, so that every future is ready at its first
    /// poll: for hosts that run discovery on a thread of its own.
    pub fn inline() -> Self {
        Self {
            place: Place::PollingThread,
        }
    }
}

impl Uniform for LocalFileSystem {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        match self.place {
            Place::PollingThread => Box::pin(async move { call.make_blocking(self) }),
            Place::BlockingPool => Box::pin(async move {
                let (filesystem, job) = (*self, call.detach());
                on_blocking_pool(move || job(&filesystem)).await
            }),
        }
    }
}

uniform_file_system! { impl for LocalFileSystem }

/// The path as the host takes it. One that no call can name is refused before anything is asked,
/// whatever the sandbox of the call allows.
fn host_path(path: &PathUri) -> io::Result<PathBuf> {
    let native = path.to_path_buf()?;
    if native.as_os_str().as_encoded_bytes().contains(&0) {
        let message = "a name contains NUL";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(native)
}

async fn on_blocking_pool<T: Send + 'static>(
    job: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let runtime = Handle::try_current()
        .map_err(|outside| io::Error::new(io::ErrorKind::Unsupported, outside))?;
    match AbortOnDrop(runtime.spawn_blocking(job)).await {
        Ok(answer) => answer,
        Err(ended) => Err(io::Error::other(ended)),
    }
}

/// Aborts a job that has not begun when nobody waits for it any more.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Future for AbortOnDrop<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll_unpin(context)
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The calls themselves, wherever they are made.
impl BlockingFileSystem for LocalFileSystem {
    fn get_metadata(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<FileMetadata> {
        read::metadata(path, sandbox).map_err(|error| told_of_link(path, error))
    }

    fn read_file(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<Vec<u8>> {
        read::file(path, sandbox).map_err(|error| told_of_link(path, error))
    }

    fn read_directory(
        &self,
        path: &PathUri,
        sandbox: Sandbox<'_>,
    ) -> io::Result<Vec<ReadDirectoryEntry>> {
        list::directory(path, sandbox).map_err(|error| told_of_link(path, error))
    }

    fn canonicalize(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<PathUri> {
        read::canonical(path, sandbox).map_err(|error| told_of_link(path, error))
    }

    fn write_file(
        &self,
        path: &PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        write::file(path, &contents, sandbox).map_err(with_known_kind)
    }

    fn create_directory(
        &self,
        path: &PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        write::directory(path, options, sandbox).map_err(with_known_kind)
    }

    fn remove(
        &self,
        path: &PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        write::removal(path, options, sandbox).map_err(with_known_kind)
    }

    fn copy(
        &self,
        source: &PathUri,
        destination: &PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        write::copy(source, destination, options, sandbox).map_err(with_known_kind)
    }

    fn read_file_prefix(
        &self,
        path: &PathUri,
        max_bytes: u64,
        _size_hint: Option<u64>,
        sandbox: Sandbox<'_>,
    ) -> io::Result<FilePrefix> {
        read::prefix(path, max_bytes, sandbox).map_err(|error| told_of_link(path, error))
    }
}

/// Sleeps on the clock of the tokio runtime it is polled in, which tests can pause.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioTimer;

impl Timer for TokioTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move { tokio::time::sleep(duration).await })
    }
}

/// An error number without a kind of its own becomes [`io::ErrorKind::Other`], with the error of
/// the host as the source.
fn with_known_kind(error: io::Error) -> io::Error {
    let kind = error.kind();
    if kind_from_name(kind_name(kind)) == kind {
        error
    } else {
        io::Error::other(error)
    }
}

/// What a reading call failed with: a `NotFound` tells whether the path itself is a link.
///
/// A sandbox that denies the path has answered before; here its target was looked for.
fn told_of_link(path: &PathUri, error: io::Error) -> io::Error {
    let is_link = || {
        let own = host_path(path).and_then(fs::symlink_metadata);
        own.is_ok_and(|own| own.is_symlink())
    };
    if error.kind() == io::ErrorKind::NotFound && is_link() {
        return broken_link(error);
    }
    with_known_kind(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_error_number_without_a_kind_is_other_with_the_host_error_as_the_source() {
        let no_such_device = 6;
        let error = with_known_kind(io::Error::from_raw_os_error(no_such_device));
        assert_eq!(error.kind(), io::ErrorKind::Other);
        let source = error
            .get_ref()
            .and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(
            source.and_then(io::Error::raw_os_error),
            Some(no_such_device)
        );
    }

    #[test]
    fn an_error_with_a_kind_is_left_alone() {
        let error = with_known_kind(io::Error::from_raw_os_error(2));
        assert_eq!(error.raw_os_error(), Some(2));
    }
}
