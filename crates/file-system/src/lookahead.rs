//! [`Lookahead`]: a serial program, and what it will probably ask next already on the way.
//!
//! A loader asks one call after another and judges each answer before the next call. Besides, it may *expect*
//! calls. [`Lookahead::drive`] polls the loader and makes expected calls, oldest first, only while the loader
//! waits. So the outcome is that of the serial program, in whatever order answers come; expectations decide
//! how long it takes, and nothing else.
//!
//! This is the one place of the workspace that keeps several calls in flight. It needs no runtime, spawns
//! nothing and starts nothing after the drive has ended.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use codex_path_uri::PathUri;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, Stream};

use crate::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, Walk,
    WalkOptions, Window,
};

mod read_call;
mod state;

pub use read_call::{Answer, Expectation, MAX_BEGINNING_BYTES, Question, ReadCall};
use state::{Contents, Filed, State, Turn};

/// The most bytes of file contents that are asked ahead and not taken (16 MiB).
const MAX_UNCLAIMED_BYTES: u64 = 16 * 1024 * 1024;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// A filesystem whose next calls can be told in advance.
///
/// It is an [`ExecutorFileSystem`] itself, so a loader asks it as any other. Metadata, listings and canonical
/// paths are kept as long as it lives: no such call is made twice, whichever loader asks. The contents of a
/// file are handed over once. No answer outlives it.
///
/// At most `window` calls are in flight. The loader's own call goes before all expected ones, and one place of
/// the window is always the loader's. A window of 1 asks nothing ahead. Of contents that no loader has taken,
/// four windows of calls and 16 MiB are asked ahead at most.
///
/// # Cancellation
/// When a drive ends or is dropped, calls that were not started never start, and those in flight are dropped.
///
/// # Examples
/// ```
/// use codex_file_system::{ExecutorFileSystem, Lookahead, ReadCall, Window};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/a.txt = A\n/srv/b.txt = B")?;
/// let fs = Lookahead::new(&memory, Window::default());
/// let paths = [PathUri::parse("file:///srv/a.txt")?, PathUri::parse("file:///srv/b.txt")?];
///
/// fs.expect_all(paths.iter().map(ReadCall::file));
/// let loader = async {
///     let mut text = String::new();
///     for path in &paths {
///         text += &fs.read_file_text(path, None).await?;
///     }
///     std::io::Result::Ok(text)
/// };
/// assert_eq!(futures::executor::block_on(fs.drive(loader))?, "AB");
/// # Ok(())
/// # }
/// ```
pub struct Lookahead<'f, F: ExecutorFileSystem + ?Sized = dyn ExecutorFileSystem + 'f> {
    fs: &'f F,
    sandbox: Sandbox<'f>,
    window: usize,
    state: Mutex<State<'f>>,
}

/// A call that was made: a line of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCall {
    /// The call.
    pub call: ReadCall,
    /// What it was asked for: the [phase](Lookahead::set_phase) of the loader that asked or expected it.
    pub phase: &'static str,
    /// The call whose answer it waited for.
    pub after: Option<ReadCall>,
    /// Whether it was asked ahead of the loader.
    pub is_ahead: bool,
}

impl<'f, F: ExecutorFileSystem + ?Sized> Lookahead<'f, F> {
    /// A lookahead over `fs` with at most `window` calls in flight.
    pub fn new(fs: &'f F, window: Window) -> Self {
        Self {
            fs,
            sandbox: None,
            window: window.get(),
            state: Mutex::default(),
        }
    }

    /// Sets the restriction of every expected call. Calls with another one pass through.
    #[must_use]
    pub fn with_sandbox(mut self, sandbox: Sandbox<'f>) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// The most calls in flight.
    pub fn window(&self) -> usize {
        self.window
    }

    /// Names what the loader asks for from here on, for the [plan](Self::plan).
    pub fn set_phase(&self, phase: &'static str) {
        self.state().set_phase(phase);
    }

    /// Says that these calls will probably be made, in this order. Makes none.
    pub fn expect_all(&self, calls: impl IntoIterator<Item = impl Into<Expectation<'f>>>) {
        if self.window > 1 {
            self.expect_after(None, calls);
        }
    }

    fn expect_after(
        &self,
        after: Option<&ReadCall>,
        calls: impl IntoIterator<Item = impl Into<Expectation<'f>>>,
    ) {
        for expectation in calls {
            let answered = self.state().expect(expectation.into(), after);
            // Below an answer that is here already, others may be.
            let mut hints = Vec::from_iter(answered);
            while let Some((hint, answer)) = hints.pop() {
                for expectation in hint(&answer) {
                    hints.extend(self.state().expect(expectation, after));
                }
            }
        }
    }

    /// Walks through `items`, with the calls of the next `width - 1` on the way while the loader waits.
    ///
    /// Items ahead of the loader are looked at only when it waits, so `items` is cloned.
    pub fn ahead<I>(
        &self,
        width: usize,
        items: I,
        call: impl Fn(&I::Item) -> Option<ReadCall> + Send + 'f,
    ) -> impl Iterator<Item = I::Item>
    where
        I: Iterator + Clone + Send + 'f,
    {
        let consumed = Arc::new(AtomicUsize::new(0));
        if self.window > 1 {
            let (mut next, mut given, progress) = (items.clone(), 0, Arc::downgrade(&consumed));
            self.state().sources.push(Box::new(move || {
                let consumed = progress.upgrade()?.load(Ordering::Relaxed);
                let until = consumed + width - consumed.min(1);
                let calls = next.by_ref().take(until.saturating_sub(given));
                let calls: Vec<_> = calls.map(|item| call(&item)).collect();
                given += calls.len();
                Some(calls.into_iter().flatten().collect())
            }));
        }
        items.inspect(move |_| {
            consumed.fetch_add(1, Ordering::Relaxed);
        })
    }

    /// Expects what lies ahead of the loader in the sequences it walks through.
    fn expect_from_sources(&self) {
        let mut sources = std::mem::take(&mut self.state().sources);
        sources.retain_mut(|source| match source() {
            Some(calls) => {
                self.expect_after(None, calls);
                true
            }
            None => false,
        });
        self.state().sources.append(&mut sources);
    }

    /// Releases what was asked ahead of a call that the loader will not make.
    pub fn forget(&self, call: &ReadCall) {
        self.state().forget(call);
    }

    /// At most the first `max_bytes` bytes of a file that is probably small.
    ///
    /// # Round trips
    /// 1, and another one if the file holds more than [`MAX_BEGINNING_BYTES`] and `max_bytes` is larger.
    ///
    /// # Errors
    /// Those of [`read_file_prefix`](ExecutorFileSystem::read_file_prefix).
    pub async fn read_beginning(&self, path: &PathUri, max_bytes: u64) -> io::Result<FilePrefix> {
        let first = max_bytes.min(MAX_BEGINNING_BYTES);
        let beginning = self
            .read_file_prefix(path, first, None, self.sandbox)
            .await?;
        if beginning.is_complete || first == max_bytes {
            return Ok(beginning);
        }
        self.read_file_prefix(path, max_bytes, beginning.size, self.sandbox)
            .await
    }

    /// Runs a loader, and expected calls while it waits.
    ///
    /// A drive inside another one runs the loader alone: the outer one makes the expected calls of both.
    pub async fn drive<T>(&self, loader: impl Future<Output = T>) -> T {
        if std::mem::replace(&mut self.state().is_driven, true) {
            return loader.await;
        }
        let mut loader = pin!(loader);
        let mut driver = Driver {
            lookahead: self,
            calls: FuturesUnordered::new(),
        };
        poll_fn(|context| {
            loop {
                if let Poll::Ready(outcome) = loader.as_mut().poll(context) {
                    return Poll::Ready(outcome);
                }
                if !driver.take_answers(context) && !driver.start_calls(context) {
                    return Poll::Pending;
                }
            }
        })
        .await
    }

    /// The calls whose answers the loader has got, in that order: what a refresh expects.
    pub fn calls_used(&self) -> Vec<ReadCall> {
        self.state().used.clone()
    }

    /// The calls that were made, in the order of their start.
    pub fn plan(&self) -> Vec<PlannedCall> {
        self.state().plan.clone()
    }

    /// Answers a call of the loader: with what is here, when it has come, or by making it.
    async fn answer(&self, call: &ReadCall, size_hint: Option<u64>) -> io::Result<Answer> {
        let mut place = Place::new(self);
        loop {
            match poll_fn(|context| place.poll_demand(call, context)).await {
                Turn::Answered(answer) => return answer,
                Turn::Make => {
                    let own = OwnCall {
                        lookahead: self,
                        call: Some(call),
                    };
                    own.file(perform(self.fs, call, size_hint, self.sandbox).await);
                }
            }
        }
    }

    /// Makes a call that is not remembered, in a place of the window.
    async fn pass<T>(&self, call: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        let mut place = Place::new(self);
        poll_fn(|context| place.poll_enter(context)).await;
        call.await
    }

    /// Makes a call that changes something: what was answered before says nothing any more.
    async fn change(&self, call: impl Future<Output = io::Result<()>>) -> io::Result<()> {
        let outcome = self.pass(call).await;
        self.state().forget_answers();
        outcome
    }

    /// Files an answer and what it makes probable. Returns whether a call of the loader may go on.
    fn file(&self, call: &ReadCall, mut answer: io::Result<Answer>) -> bool {
        let wakers = loop {
            // Apart, so that the lock is free while a hint speaks.
            let filed = self.state().file(call, answer);
            match filed {
                Filed::Done(wakers) => break wakers,
                Filed::HintFirst(hint, returned) => {
                    if let Ok(answer) = &returned {
                        self.expect_after(Some(call), hint(answer));
                    }
                    answer = returned;
                }
            }
        };
        let is_awaited = !wakers.is_empty();
        wake(wakers);
        is_awaited
    }

    fn state(&self) -> MutexGuard<'_, State<'f>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The calls that a drive polls.
struct Driver<'l, 'f, F: ExecutorFileSystem + ?Sized> {
    lookahead: &'l Lookahead<'f, F>,
    calls: FuturesUnordered<BoxFuture<'f, (ReadCall, io::Result<Answer>)>>,
}

impl<F: ExecutorFileSystem + ?Sized> Driver<'_, '_, F> {
    /// Files the answers that have come, up to one that the loader waits for. Returns whether there is one: the
    /// loader goes on with it before any other call is polled.
    fn take_answers(&mut self, context: &mut Context<'_>) -> bool {
        while let Poll::Ready(Some((call, answer))) = Pin::new(&mut self.calls).poll_next(context) {
            if self.lookahead.file(&call, answer) {
                return true;
            }
        }
        false
    }

    /// Starts expected calls, one after another, until the window is full or the loader may go on.
    fn start_calls(&mut self, context: &mut Context<'_>) -> bool {
        self.lookahead.expect_from_sources();
        let (fs, sandbox, window) = (
            self.lookahead.fs,
            self.lookahead.sandbox,
            self.lookahead.window,
        );
        let room = Contents {
            calls: 4 * window,
            bytes: MAX_UNCLAIMED_BYTES,
        };
        loop {
            let Some(call) = self.lookahead.state().start_expected(window, room) else {
                return false;
            };
            self.calls.push(Box::pin(async move {
                let answer = perform(fs, &call, None, sandbox).await;
                (call, answer)
            }));
            if self.take_answers(context) {
                return true;
            }
        }
    }
}

impl<F: ExecutorFileSystem + ?Sized> Drop for Driver<'_, '_, F> {
    fn drop(&mut self) {
        self.calls.clear();
        let wakers = self.lookahead.state().end_drive();
        wake(wakers);
    }
}

/// What one call of the loader takes of the window: a turn to wait for, or a place. Dropped, it takes nothing.
struct Place<'l, 'f, F: ExecutorFileSystem + ?Sized> {
    lookahead: &'l Lookahead<'f, F>,
    ticket: Option<u64>,
    is_inside: bool,
}

impl<'l, 'f, F: ExecutorFileSystem + ?Sized> Place<'l, 'f, F> {
    fn new(lookahead: &'l Lookahead<'f, F>) -> Self {
        Self {
            lookahead,
            ticket: None,
            is_inside: false,
        }
    }

    fn poll_demand(&mut self, call: &ReadCall, context: &mut Context<'_>) -> Poll<Turn> {
        let window = self.lookahead.window;
        self.lookahead
            .state()
            .demand(call, window, &mut self.ticket, context)
    }

    fn poll_enter(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let window = self.lookahead.window;
        let entered = self
            .lookahead
            .state()
            .enter(window, &mut self.ticket, context);
        self.is_inside = entered.is_ready();
        entered
    }
}

impl<F: ExecutorFileSystem + ?Sized> Drop for Place<'_, '_, F> {
    fn drop(&mut self) {
        let mut state = self.lookahead.state();
        state.withdraw(&mut self.ticket);
        let wakers = match self.is_inside {
            true => state.leave(None),
            false => Vec::new(),
        };
        drop(state);
        wake(wakers);
    }
}

/// A call that the loader makes itself. Dropped before its answer, it is as if it had not been asked.
struct OwnCall<'l, 'f, F: ExecutorFileSystem + ?Sized> {
    lookahead: &'l Lookahead<'f, F>,
    call: Option<&'l ReadCall>,
}

impl<F: ExecutorFileSystem + ?Sized> OwnCall<'_, '_, F> {
    fn file(mut self, answer: io::Result<Answer>) {
        if let Some(call) = self.call.take() {
            self.lookahead.file(call, answer);
        }
    }
}

impl<F: ExecutorFileSystem + ?Sized> Drop for OwnCall<'_, '_, F> {
    fn drop(&mut self) {
        if let Some(call) = self.call.take() {
            let wakers = self.lookahead.state().abandon(call);
            wake(wakers);
        }
    }
}

fn wake(wakers: Vec<Waker>) {
    wakers.into_iter().for_each(Waker::wake);
}

async fn perform<F: ExecutorFileSystem + ?Sized>(
    fs: &F,
    call: &ReadCall,
    size_hint: Option<u64>,
    sandbox: Sandbox<'_>,
) -> io::Result<Answer> {
    let path = &call.path;
    Ok(match &call.question {
        Question::Metadata => Answer::Metadata(fs.get_metadata(path, sandbox).await?),
        Question::Listing => Answer::Listing(Arc::new(fs.read_directory(path, sandbox).await?)),
        Question::CanonicalPath => Answer::CanonicalPath(fs.canonicalize(path, sandbox).await?),
        Question::File => Answer::File(fs.read_file(path, sandbox).await?),
        Question::Prefix { max_bytes } => Answer::Prefix(
            fs.read_file_prefix(path, *max_bytes, size_hint, sandbox)
                .await?,
        ),
        Question::Walk(options) => Answer::Walk(Arc::new(fs.walk(path, options, sandbox).await?)),
    })
}

/// The answer of a call is always that of its question.
fn unexpected_answer() -> io::Error {
    io::Error::other("the answer belongs to another question")
}

/// The methods whose answers are remembered.
macro_rules! remembered {
    ($($method:ident $call:ident $variant:ident($answer:ident) -> $out:ty = $given:expr;)*) => {$(
        fn $method<'a>(&'a self, path: &'a PathUri, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, $out> {
            Box::pin(async move {
                if sandbox != self.sandbox {
                    return self.pass(self.fs.$method(path, sandbox)).await;
                }
                match self.answer(&ReadCall::$call(path), None).await? {
                    Answer::$variant($answer) => Ok($given),
                    _ => Err(unexpected_answer()),
                }
            })
        }
    )*};
}

impl<F: ExecutorFileSystem + ?Sized> ExecutorFileSystem for Lookahead<'_, F> {
    remembered! {
        get_metadata metadata Metadata(it) -> FileMetadata = it;
        read_file file File(it) -> Vec<u8> = it;
        read_directory listing Listing(it) -> Vec<ReadDirectoryEntry> = Arc::unwrap_or_clone(it);
        canonicalize canonical CanonicalPath(it) -> PathUri = it;
    }

    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        Box::pin(async move {
            if sandbox != self.sandbox {
                return self
                    .pass(
                        self.fs
                            .read_file_prefix(path, max_bytes, size_hint, sandbox),
                    )
                    .await;
            }
            match self
                .answer(&ReadCall::prefix(path, max_bytes), size_hint)
                .await?
            {
                Answer::Prefix(prefix) => Ok(prefix),
                _ => Err(unexpected_answer()),
            }
        })
    }

    fn walk<'a>(
        &'a self,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        Box::pin(self.pass(self.fs.walk(root, options, sandbox)))
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(self.change(self.fs.write_file(path, contents, sandbox)))
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(self.change(self.fs.create_directory(path, options, sandbox)))
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(self.change(self.fs.remove(path, options, sandbox)))
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(self.change(self.fs.copy(source, destination, options, sandbox)))
    }
}
