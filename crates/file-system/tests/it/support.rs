//! What several test modules need: a table of answers, and a paused clock.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::task::{Context, Waker};
use std::time::Duration;

use codex_file_system::wrap::Latency;
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileKind, FileMetadata,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, TokioTimer,
};
use codex_file_system_testkit::MemoryFileSystem;
use codex_path_uri::PathUri;
use futures::FutureExt;
use tokio::time::Instant;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

pub(crate) fn uri(text: &str) -> PathUri {
    PathUri::parse(text).unwrap()
}

/// Runs a future on tokio's paused clock and says how much virtual time it took.
pub(crate) fn on_paused_clock<T>(future: impl Future<Output = T>) -> (T, Duration) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let start = Instant::now();
        let answer = future.await;
        (answer, start.elapsed())
    })
}

/// The answer of a future that is ready at its first poll.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    future
        .now_or_never()
        .expect("a filesystem in memory answers at once")
}

/// Polls once, and leaves nobody to be woken.
pub(crate) fn is_pending(future: &mut (impl Future + Unpin)) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    future.poll_unpin(&mut context).is_pending()
}

pub(crate) fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Every call takes this long, all of it ahead of the inner call.
pub(crate) fn delayed<F>(inner: F, milliseconds: u64) -> Latency<F> {
    Latency::new(inner, TokioTimer, ms(milliseconds), Duration::ZERO)
}

/// Answers metadata calls from a table, at the first poll; what is not in it is asked of the
/// filesystem below, or absent. Every other call is `Unsupported`.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) answers: HashMap<PathUri, Result<FileKind, io::ErrorKind>>,
    below: Option<MemoryFileSystem>,
    asked: Mutex<Vec<PathUri>>,
}

impl Table {
    pub(crate) fn new(
        answers: impl IntoIterator<Item = (PathUri, Result<FileKind, io::ErrorKind>)>,
    ) -> Self {
        // Room for every search of these tests, so that the log allocates nothing on the way.
        let asked = Mutex::new(Vec::with_capacity(300));
        Self {
            answers: answers.into_iter().collect(),
            below: None,
            asked,
        }
    }

    pub(crate) fn over(self, below: MemoryFileSystem) -> Self {
        Self {
            below: Some(below),
            ..self
        }
    }

    /// The paths asked for, in the order of the first polls.
    pub(crate) fn asked(&self) -> Vec<PathUri> {
        self.asked.lock().unwrap().clone()
    }
}

fn unsupported<'a, T: Send + 'a>() -> FileSystemFuture<'a, T> {
    Box::pin(std::future::ready(Err(io::ErrorKind::Unsupported.into())))
}

impl ExecutorFileSystem for Table {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(path.clone());
            match (self.answers.get(path), &self.below) {
                (Some(Ok(kind)), _) => Ok(FileMetadata::new(*kind)),
                (Some(Err(kind)), _) => Err((*kind).into()),
                (None, Some(below)) => below.get_metadata(path, sandbox).await,
                (None, None) => Err(io::ErrorKind::NotFound.into()),
            }
        })
    }

    fn read_file<'a>(&'a self, _: &'a PathUri, _: Sandbox<'a>) -> FileSystemFuture<'a, Vec<u8>> {
        unsupported()
    }

    fn read_directory<'a>(
        &'a self,
        _: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        unsupported()
    }

    fn canonicalize<'a>(&'a self, _: &'a PathUri, _: Sandbox<'a>) -> FileSystemFuture<'a, PathUri> {
        unsupported()
    }

    fn write_file<'a>(
        &'a self,
        _: &'a PathUri,
        _: Vec<u8>,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        unsupported()
    }

    fn create_directory<'a>(
        &'a self,
        _: &'a PathUri,
        _: CreateDirectoryOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        unsupported()
    }

    fn remove<'a>(
        &'a self,
        _: &'a PathUri,
        _: RemoveOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        unsupported()
    }

    fn copy<'a>(
        &'a self,
        _: &'a PathUri,
        _: &'a PathUri,
        _: CopyOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        unsupported()
    }
}
