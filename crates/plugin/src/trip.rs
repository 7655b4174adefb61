//! One trip: calls in an ordered window.
//!
//! A call is sent as soon as a slot is free, in the order of the questions, and its answer is accepted
//! in that order too, so results never depend on who answers first. What the accepted answers make
//! pointless is not sent. If it is already under way, its answer is awaited in its turn and thrown
//! away: the stated number of round trips holds, and no work is left behind on the other side.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use codex_file_system::{ExecutorFileSystem, FileMetadata, FileSystemFuture, Window};
use codex_path_uri::PathUri;

/// A call under way. The sandbox is none: roots are selected by the host itself.
pub(crate) enum Call<'a> {
    Metadata(FileSystemFuture<'a, FileMetadata>),
    Canonicalize(FileSystemFuture<'a, PathUri>),
    Read(FileSystemFuture<'a, Vec<u8>>),
}

/// The answer to a call.
pub(crate) enum Answer {
    Metadata(io::Result<FileMetadata>),
    Canonical(io::Result<PathUri>),
    Bytes(io::Result<Vec<u8>>),
}

/// A question that one call answers.
pub(crate) trait Ask: Copy {
    type Call: Future<Output = Answer> + Unpin;

    /// Creates the call; it is sent when it is first polled.
    fn call(self) -> Self::Call;
}

/// What the answers of one trip mean.
pub(crate) trait Trip<A> {
    /// Whether an answer can still matter. Once it cannot, it never can again.
    fn matters(&self, ask: A) -> bool;

    /// Takes the answer to the earliest question that matters and has none yet.
    fn accept(&mut self, ask: A, answer: Answer);
}

/// Asks the questions that matter, in order, at most `window` at a time.
///
/// Each freed slot is filled before the next answer is accepted: with a window at least as large as
/// the calls of one root, every call of a root is sent before its first answer is looked at. With
/// [`Window::SERIAL`] no call is made that a serial algorithm would not make.
pub(crate) async fn run<A: Ask>(window: Window, asks: Vec<A>, trip: &mut impl Trip<A>) {
    let mut asks = asks.into_iter();
    let mut queue: VecDeque<Slot<A>> = VecDeque::with_capacity(window.get());
    poll_fn(|context| {
        queue.iter_mut().for_each(|slot| slot.poll(context));
        loop {
            while queue.len() < window.get()
                && let Some(ask) = asks.find(|ask| trip.matters(*ask))
            {
                let mut slot = Slot {
                    ask,
                    state: State::Waiting(ask.call()),
                };
                slot.poll(context);
                queue.push_back(slot);
            }
            match queue.pop_front() {
                None => return Poll::Ready(()),
                Some(Slot {
                    ask,
                    state: State::Answered(answer),
                }) => {
                    if trip.matters(ask) {
                        trip.accept(ask, answer);
                    }
                }
                Some(waiting) => {
                    queue.push_front(waiting);
                    return Poll::Pending;
                }
            }
        }
    })
    .await;
}

struct Slot<A: Ask> {
    ask: A,
    state: State<A::Call>,
}

enum State<C> {
    Waiting(C),
    Answered(Answer),
}

impl<A: Ask> Slot<A> {
    fn poll(&mut self, context: &mut Context<'_>) {
        if let State::Waiting(call) = &mut self.state
            && let Poll::Ready(answer) = Pin::new(call).poll(context)
        {
            self.state = State::Answered(answer);
        }
    }
}

impl<'a> Call<'a> {
    pub(crate) fn metadata(fs: &'a dyn ExecutorFileSystem, path: &'a PathUri) -> Self {
        tracing::trace!(call = "get_metadata", %path);
        Self::Metadata(fs.get_metadata(path, None))
    }

    pub(crate) fn canonicalize(fs: &'a dyn ExecutorFileSystem, path: &'a PathUri) -> Self {
        tracing::trace!(call = "canonicalize", %path);
        Self::Canonicalize(fs.canonicalize(path, None))
    }

    pub(crate) fn read(fs: &'a dyn ExecutorFileSystem, path: &'a PathUri) -> Self {
        tracing::trace!(call = "read_file", %path);
        Self::Read(fs.read_file(path, None))
    }
}

impl Future for Call<'_> {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        match self.get_mut() {
            Self::Metadata(future) => future.as_mut().poll(context).map(Answer::Metadata),
            Self::Canonicalize(future) => future.as_mut().poll(context).map(Answer::Canonical),
            Self::Read(future) => future.as_mut().poll(context).map(Answer::Bytes),
        }
    }
}
