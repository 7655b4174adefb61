//! [`Counting`]: what a piece of work costs, in calls.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::call::{Answer, Call, CallKind, Uniform};
use crate::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};

/// How many calls were started, by method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls of `get_metadata`.
    pub get_metadata: u64,
    /// Calls of `read_file`.
    pub read_file: u64,
    /// Calls of `read_directory`.
    pub read_directory: u64,
    /// Calls of `canonicalize`.
    pub canonicalize: u64,
    /// Calls of `write_file`.
    pub write_file: u64,
    /// Calls of `create_directory`.
    pub create_directory: u64,
    /// Calls of `remove`.
    pub remove: u64,
    /// Calls of `copy`.
    pub copy: u64,
    /// Calls of `read_file_text`.
    pub read_file_text: u64,
    /// Calls of `read_file_prefix`.
    pub read_file_prefix: u64,
    /// Calls of `walk`.
    pub walk: u64,
}

impl Calls {
    /// The calls of every method together.
    pub const fn total(&self) -> u64 {
        self.get_metadata
            + self.read_file
            + self.read_directory
            + self.canonicalize
            + self.write_file
            + self.create_directory
            + self.remove
            + self.copy
            + self.read_file_text
            + self.read_file_prefix
            + self.walk
    }

    fn of(&mut self, kind: CallKind) -> &mut u64 {
        match kind {
            CallKind::GetMetadata => &mut self.get_metadata,
            CallKind::ReadFile => &mut self.read_file,
            CallKind::ReadDirectory => &mut self.read_directory,
            CallKind::Canonicalize => &mut self.canonicalize,
            CallKind::WriteFile => &mut self.write_file,
            CallKind::CreateDirectory => &mut self.create_directory,
            CallKind::Remove => &mut self.remove,
            CallKind::Copy => &mut self.copy,
            CallKind::ReadFileText => &mut self.read_file_text,
            CallKind::ReadFilePrefix => &mut self.read_file_prefix,
            CallKind::Walk => &mut self.walk,
        }
    }
}

/// Counts the calls that reach the inner filesystem.
///
/// A call counts at the first poll of its future: a future that is never polled is no call. It
/// is in flight from then until it answers or is dropped. A provided method counts as itself,
/// not as what its default body calls below.
///
/// # Examples
/// ```
/// use codex_file_system::ExecutorFileSystem;
/// use codex_file_system::wrap::{Calls, Counting};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fs = Counting::new(MemoryFileSystem::from_tree(Flavor::Posix, "/a.txt = hello")?);
/// let path = PathUri::parse("file:///a.txt")?;
/// futures::executor::block_on(fs.read_file(&path, None))?;
/// assert_eq!(fs.calls(), Calls { read_file: 1, ..Calls::default() });
/// assert_eq!((fs.bytes_read(), fs.in_flight()), (5, 0));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Counting<F> {
    inner: F,
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    calls: Calls,
    in_flight: usize,
    peak_in_flight: usize,
    bytes_read: u64,
}

impl<F> Counting<F> {
    /// Counts from zero.
    pub fn new(inner: F) -> Self {
        Self {
            inner,
            counts: Mutex::default(),
        }
    }

    /// The calls started since the beginning or the last [`reset`](Self::reset).
    pub fn calls(&self) -> Calls {
        self.counts().calls
    }

    /// The most calls that were in flight at once since then.
    pub fn peak_in_flight(&self) -> usize {
        self.counts().peak_in_flight
    }

    /// The calls that have started and neither answered nor been dropped.
    pub fn in_flight(&self) -> usize {
        self.counts().in_flight
    }

    /// The bytes of file content in the answers since then.
    pub fn bytes_read(&self) -> u64 {
        self.counts().bytes_read
    }

    /// Starts again from zero. Calls in flight stay in flight and are the first peak.
    pub fn reset(&self) {
        let mut counts = self.counts();
        let in_flight = counts.in_flight;
        *counts = Counts {
            in_flight,
            peak_in_flight: in_flight,
            ..Counts::default()
        };
    }

    fn start(&self, kind: CallKind) -> InFlight<'_, F> {
        let mut counts = self.counts();
        *counts.calls.of(kind) += 1;
        counts.in_flight += 1;
        counts.peak_in_flight = counts.peak_in_flight.max(counts.in_flight);
        InFlight(self)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A started call; dropping it ends the call, answered or not.
struct InFlight<'a, F>(&'a Counting<F>);

impl<F> Drop for InFlight<'_, F> {
    fn drop(&mut self) {
        self.0.counts().in_flight -= 1;
    }
}

impl<F: ExecutorFileSystem> Uniform for Counting<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let _in_flight = self.start(C::KIND);
            let answer = call.make(&self.inner).await?;
            self.counts().bytes_read += answer.bytes_read();
            Ok(answer)
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Counting<F> }
