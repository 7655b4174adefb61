//! Reads that wait, panic or are counted, as a test says. Listings and writes wait with them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use codex_file_system::{
    ExecutorFileSystem, FilePrefix, FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry,
};
use codex_file_system_testkit::{Alteration, Altered, MemoryFileSystem};
use codex_path_uri::PathUri;
use tokio::sync::{Notify, Semaphore};

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

#[derive(Clone)]
pub(crate) struct Stub(Arc<State>);

struct State {
    reads: Reads,
    running: AtomicUsize,
    peak: AtomicUsize,
    large: AtomicUsize,
    started: Notify,
    released: Semaphore,
}

enum Reads {
    Panic,
    Wait,
    Count,
}

/// From how many bytes asked for on a read counts as large.
const LARGE: u64 = 1024 * 1024;

impl Stub {
    fn new(reads: Reads) -> Self {
        Self(Arc::new(State {
            reads,
            running: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            large: AtomicUsize::new(0),
            started: Notify::new(),
            released: Semaphore::new(0),
        }))
    }

    pub(crate) fn panicking() -> Self {
        Self::new(Reads::Panic)
    }

    /// Each read waits until it is released.
    pub(crate) fn waiting() -> Self {
        Self::new(Reads::Wait)
    }

    pub(crate) fn counting() -> Self {
        Self::new(Reads::Count)
    }

    /// An empty filesystem whose reads are these.
    pub(crate) fn filesystem(&self) -> Altered<MemoryFileSystem, Self> {
        self.over(MemoryFileSystem::posix())
    }

    pub(crate) fn over(&self, memory: MemoryFileSystem) -> Altered<MemoryFileSystem, Self> {
        Altered::new(memory, self.clone())
    }

    pub(crate) fn running(&self) -> usize {
        self.0.running.load(SeqCst)
    }

    pub(crate) fn peak(&self) -> usize {
        self.0.peak.load(SeqCst)
    }

    pub(crate) fn large_reads(&self) -> usize {
        self.0.large.load(SeqCst)
    }

    pub(crate) fn release_one(&self) {
        self.0.released.add_permits(1);
    }

    /// Waits until a read has started since the last time.
    pub(crate) async fn wait_for_running(&self) {
        while self.running() == 0 {
            self.0.started.notified().await;
        }
    }

    async fn read(
        &self,
        below: &dyn ExecutorFileSystem,
        path: &PathUri,
        max_bytes: u64,
    ) -> io::Result<FilePrefix> {
        match &self.0.reads {
            Reads::Panic => panic!("a filesystem with a bug"),
            Reads::Count => {
                if max_bytes >= LARGE {
                    self.0.large.fetch_add(1, SeqCst);
                }
                below.read_file_prefix(path, max_bytes, None, None).await
            }
            Reads::Wait => {
                self.wait().await;
                Ok(FilePrefix::new(Vec::new(), true))
            }
        }
    }

    /// Counts as running until it is released.
    async fn wait(&self) {
        let running = self.0.running.fetch_add(1, SeqCst) + 1;
        self.0.peak.fetch_max(running, SeqCst);
        self.0.started.notify_one();
        self.0.released.acquire().await.unwrap().forget();
        self.0.running.fetch_sub(1, SeqCst);
    }
}

impl Alteration for Stub {
    fn read_file<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        Box::pin(async move { Ok(self.read(below, path, u64::MAX).await?.bytes) })
    }

    fn read_directory<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            if matches!(self.0.reads, Reads::Wait) {
                self.wait().await;
                return Ok(Vec::new());
            }
            below.read_directory(path, sandbox).await
        })
    }

    fn write_file<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            if matches!(self.0.reads, Reads::Wait) {
                self.wait().await;
                return Ok(());
            }
            below.write_file(path, contents, sandbox).await
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        max_bytes: u64,
        _: Option<u64>,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        Box::pin(self.read(below, path, max_bytes))
    }
}
