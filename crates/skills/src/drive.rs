//! The async rim: keeps a window of calls in flight for one walk.
//!
//! Nothing is decided here. Every answer that is there is handed to the walk before another call is
//! made, so that the most urgent of all known calls goes next. Nothing is spawned: dropping the
//! future drops the calls in flight and makes no more.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use codex_file_system::wrap::Counting;
use codex_file_system::{ExecutorFileSystem, FileSystemSandboxContext, Window};
use codex_plugin::read_plugin_namespace;
use futures::stream::{FuturesUnordered, StreamExt};
use tracing::trace;

use crate::walk::{Answer, Call, EnvironmentWalk, Purpose};

type InFlight<'a> = Pin<Box<dyn Future<Output = (Purpose, Answer)> + Send + 'a>>;

/// Makes all calls of a walk, at most `window` at a time. Returns the bytes of skill files and
/// sidecars that were read.
pub(crate) async fn drive(
    walk: &mut EnvironmentWalk,
    fs: &dyn ExecutorFileSystem,
    sandbox: Option<&FileSystemSandboxContext>,
    window: Window,
) -> u64 {
    let mut rim = Rim {
        walk,
        in_flight: FuturesUnordered::new(),
        bytes: 0,
    };
    std::future::poll_fn(|cx| {
        loop {
            rim.make_calls(cx, window, |purpose, call| {
                Box::pin(perform(fs, sandbox, purpose, call))
            });
            if rim.in_flight.is_empty() {
                return Poll::Ready(rim.bytes);
            }
            if !rim.take_answers(cx) {
                return Poll::Pending;
            }
        }
    })
    .await
}

/// A walk with its calls in flight.
struct Rim<'w, 'f> {
    walk: &'w mut EnvironmentWalk,
    in_flight: FuturesUnordered<InFlight<'f>>,
    /// Bytes of file content read.
    bytes: u64,
}

impl<'f> Rim<'_, 'f> {
    /// Makes calls until the window is full or there is nothing to ask. A call that is answered at
    /// its first poll never takes a place in the window.
    fn make_calls(
        &mut self,
        cx: &mut Context<'_>,
        window: Window,
        perform: impl Fn(Purpose, Call) -> InFlight<'f>,
    ) {
        while self.in_flight.len() < window.get() {
            let Some((purpose, call)) = self.walk.next_call() else {
                return;
            };
            let mut future = perform(purpose, call);
            match future.as_mut().poll(cx) {
                Poll::Ready((purpose, answer)) => self.take(purpose, answer),
                Poll::Pending => self.in_flight.push(future),
            }
        }
    }

    /// Hands every answer that is there to the walk. Returns whether there was one.
    fn take_answers(&mut self, cx: &mut Context<'_>) -> bool {
        let mut has_answer = false;
        while let Poll::Ready(Some((purpose, answer))) = self.in_flight.poll_next_unpin(cx) {
            self.take(purpose, answer);
            has_answer = true;
        }
        has_answer
    }

    fn take(&mut self, purpose: Purpose, answer: Answer) {
        if let Answer::Contents(Ok(bytes)) = &answer {
            self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        }
        self.walk.take(purpose, answer);
    }
}

async fn perform(
    fs: &dyn ExecutorFileSystem,
    sandbox: Option<&FileSystemSandboxContext>,
    purpose: Purpose,
    call: Call,
) -> (Purpose, Answer) {
    trace!(?purpose, ?call, "skill call");
    let answer = match call {
        Call::List(path) => {
            let listing = fs.read_directory(&path, sandbox).await;
            Answer::Listing(listing.map_err(|error| error.kind()))
        }
        Call::Stat(path) => {
            let metadata = fs.get_metadata(&path, sandbox).await;
            Answer::Metadata(metadata.map_err(|error| error.kind()))
        }
        Call::Resolve(path) => {
            let canonical = fs.canonicalize(&path, sandbox).await;
            Answer::Path(canonical.map_err(|error| error.kind()))
        }
        Call::Read(path) => {
            let contents = fs.read_file(&path, sandbox).await;
            Answer::Contents(contents.map_err(|error| error.kind()))
        }
        Call::Namespace { directory, present } => {
            let counting = Counting::new(fs);
            // Apart, because few calls are of this kind and all are as large as the largest.
            let read = Box::pin(read_plugin_namespace(
                &counting, &directory, present, sandbox,
            ));
            let read = read.await;
            Answer::Namespace(read.map_err(Box::new), counting.calls())
        }
    };
    (purpose, answer)
}
