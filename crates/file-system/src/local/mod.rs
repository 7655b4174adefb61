//! This host as a filesystem: the only place of the crate that touches it.
//!
//! Host paths are made from a [`PathUri`] here and nowhere else. What is done is in `read`,
//! `listing`, `write` and `copy`, one function a call; `sandbox` decides before they begin. Where it
//! is done, on the blocking pool or on the polling thread, is decided here.

use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};

use codex_path_uri::PathUri;
use futures::FutureExt;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::walk::walk_by_listing;
use crate::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, Walk,
    WalkOptions,
};

mod copy;
mod error;
mod listing;
mod open;
mod read;
mod sandbox;
mod timer;
mod write;

pub use timer::TokioTimer;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// The filesystem of this host.
///
/// Sandboxes are enforced. A call costs the system calls of its work and no more:
/// `get_metadata` is one `lstat`, and one `stat` for a link; a listing is one `stat` for each
/// link in it and none for other entries; a bounded read reads what is asked for. Reading never
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

    fn run<'a, T: Send + 'static>(
        &self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
        job: impl FnOnce(&PathUri, Sandbox<'_>) -> io::Result<T> + Send + 'static,
    ) -> FileSystemFuture<'a, T> {
        match self.place {
            Place::PollingThread => {
                Box::pin(async move { job(path, sandbox).map_err(error::with_known_kind) })
            }
            Place::BlockingPool => Box::pin(async move {
                let (path, sandbox) = (path.clone(), sandbox.cloned());
                let answer = on_blocking_pool(move || job(&path, sandbox.as_ref())).await;
                answer.map_err(error::with_known_kind)
            }),
        }
    }
}

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

impl ExecutorFileSystem for LocalFileSystem {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        self.run(path, sandbox, read::metadata)
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        self.run(path, sandbox, read::file)
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        self.run(path, sandbox, listing::directory)
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        self.run(path, sandbox, read::canonical)
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |path, sandbox| {
            write::file(path, &contents, sandbox)
        })
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |path, sandbox| {
            write::directory(path, options, sandbox)
        })
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |path, sandbox| {
            write::removal(path, options, sandbox)
        })
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        let destination = destination.clone();
        self.run(source, sandbox, move |source, sandbox| {
            copy::entry(source, &destination, options, sandbox)
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        _size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        self.run(path, sandbox, move |path, sandbox| {
            read::prefix(path, max_bytes, sandbox)
        })
    }

    /// One job instead of one for each call of the walk.
    fn walk<'a>(
        &'a self,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        let options = options.clone();
        self.run(root, sandbox, move |root, sandbox| {
            let inline = LocalFileSystem::inline();
            let walk = walk_by_listing(&inline, root, &options, sandbox).now_or_never();
            walk.unwrap_or_else(|| Err(io::Error::other("a call on this thread did not end")))
        })
    }
}
