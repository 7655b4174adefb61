//! [`Observed`]: somebody who watches every call begin and end.

use std::io;

use codex_path_uri::PathUri;

use crate::call::{Answer, Call, CallKind, Uniform};
use crate::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};

/// Who watches the calls of an [`Observed`] filesystem.
///
/// Both methods run inside the poll of a call, in whatever context it is polled: they must be
/// quick and must not block.
pub trait Observer: Send + Sync {
    /// What is kept of a call while it is in flight.
    type Started: Send;

    /// A call is about to reach the inner filesystem: its future is polled for the first time.
    /// `path` is the one asked for; the source of a copy.
    fn started(&self, kind: CallKind, path: &PathUri) -> Self::Started;

    /// The call is over. Each started call ends exactly once.
    fn ended(&self, call: Self::Started, end: CallEnd);
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEnd {
    /// It answered.
    Answered {
        /// The bytes of file content in the answer.
        bytes: u64,
    },
    /// It failed.
    Failed(io::ErrorKind),
    /// Its future was dropped before it answered.
    Dropped,
}

/// Lets an [`Observer`] watch the calls that reach the inner filesystem.
///
/// A call begins at the first poll of its future and ends when it answers or is dropped, as for
/// [`Counting`](super::Counting). What the observer does with it changes no result.
///
/// # Examples
/// ```
/// use std::sync::Mutex;
///
/// use codex_file_system::ExecutorFileSystem;
/// use codex_file_system::wrap::{CallEnd, CallKind, Observed, Observer};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// #[derive(Default)]
/// struct Log(Mutex<Vec<(CallKind, CallEnd)>>);
///
/// impl Observer for Log {
///     type Started = CallKind;
///
///     fn started(&self, kind: CallKind, _path: &PathUri) -> CallKind {
///         kind
///     }
///
///     fn ended(&self, kind: CallKind, end: CallEnd) {
///         self.0.lock().unwrap().push((kind, end));
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/a.txt = hello")?;
/// let fs = Observed::new(memory, Log::default());
/// futures::executor::block_on(fs.read_file(&PathUri::parse("file:///a.txt")?, None))?;
/// let log = fs.observer().0.lock().unwrap();
/// assert_eq!(*log, [(CallKind::ReadFile, CallEnd::Answered { bytes: 5 })]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Observed<F, O> {
    inner: F,
    observer: O,
}

impl<F, O> Observed<F, O> {
    /// `observer` watches the calls on `inner`.
    pub fn new(inner: F, observer: O) -> Self {
        Self { inner, observer }
    }

    /// Who watches.
    pub fn observer(&self) -> &O {
        &self.observer
    }
}

/// A started call; dropping it tells its end, whatever that was.
struct InFlight<'a, O: Observer> {
    observer: &'a O,
    call: Option<O::Started>,
    end: CallEnd,
}

impl<O: Observer> Drop for InFlight<'_, O> {
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            self.observer.ended(call, self.end);
        }
    }
}

impl<F: ExecutorFileSystem, O: Observer> Uniform for Observed<F, O> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let mut in_flight = InFlight {
                observer: &self.observer,
                call: Some(self.observer.started(C::KIND, call.path())),
                end: CallEnd::Dropped,
            };
            let answer = call.make(&self.inner).await;
            in_flight.end = match &answer {
                Ok(answer) => CallEnd::Answered {
                    bytes: answer.bytes_read(),
                },
                Err(error) => CallEnd::Failed(error.kind()),
            };
            answer
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem, O: Observer] for Observed<F, O> }
