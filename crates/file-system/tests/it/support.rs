//! What several test modules need: a table of answers, and a paused clock.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::task::{Context, Waker};
use std::time::Duration;

use codex_file_system::wrap::Latency;
use codex_file_system::{
    ExecutorFileSystem, FileKind, FileMetadata, FileSystemFuture, FileSystemSandboxContext,
    TokioTimer,
};
pub(crate) use codex_file_system_testkit::meter::on_paused_clock;
use codex_file_system_testkit::{Alteration, Altered, MemoryFileSystem};
use codex_path_uri::PathUri;
use futures::FutureExt;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

pub(crate) fn uri(text: &str) -> PathUri {
    PathUri::parse(text).unwrap()
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

/// A filesystem that answers metadata calls from a table.
pub(crate) type Table = Altered<MemoryFileSystem, Answers>;

/// The table, and what was asked. Answers are there at the first poll.
#[derive(Debug)]
pub(crate) struct Answers {
    pub(crate) answers: HashMap<PathUri, Result<FileKind, io::ErrorKind>>,
    others: Others,
    asked: Mutex<Vec<PathUri>>,
}

/// What becomes of the paths that are not in the table.
#[derive(Debug)]
enum Others {
    Absent,
    AskedBelow,
}

/// What is not in the table is absent.
pub(crate) fn table(
    answers: impl IntoIterator<Item = (PathUri, Result<FileKind, io::ErrorKind>)>,
) -> Table {
    let answers = Answers::new(answers, Others::Absent);
    Altered::new(MemoryFileSystem::posix(), answers)
}

/// What is not in the table is asked of `memory`.
pub(crate) fn table_over(
    memory: MemoryFileSystem,
    answers: impl IntoIterator<Item = (PathUri, Result<FileKind, io::ErrorKind>)>,
) -> Table {
    Altered::new(memory, Answers::new(answers, Others::AskedBelow))
}

impl Answers {
    fn new(
        answers: impl IntoIterator<Item = (PathUri, Result<FileKind, io::ErrorKind>)>,
        others: Others,
    ) -> Self {
        // Room for every search of these tests, so that the log allocates nothing on the way.
        let asked = Mutex::new(Vec::with_capacity(300));
        Self {
            answers: answers.into_iter().collect(),
            others,
            asked,
        }
    }

    /// The paths asked for, in the order of the first polls.
    pub(crate) fn asked(&self) -> Vec<PathUri> {
        self.asked.lock().unwrap().clone()
    }
}

impl Alteration for Answers {
    fn get_metadata<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        Box::pin(async move {
            self.asked.lock().unwrap().push(path.clone());
            match (self.answers.get(path), &self.others) {
                (Some(Ok(kind)), _) => Ok(FileMetadata::new(*kind)),
                (Some(Err(kind)), _) => Err((*kind).into()),
                (None, Others::AskedBelow) => below.get_metadata(path, sandbox).await,
                (None, Others::Absent) => Err(io::ErrorKind::NotFound.into()),
            }
        })
    }
}
