//! The way to the server: the live connection, and how another is made when it is lost.
//!
//! One reconnection serves all who wait for it. It is a future that any of them may drive, so
//! none that is dropped takes it away from the others. If it fails, all of them fail with its
//! last error, and the next call begins anew.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, mem};

use codex_file_system::CommandSpec;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::dial;
use super::lane::Lane;
use super::session::Session;
use super::streams::{Reader, Writer};
use crate::error::{ConnectError, SftpError};
use crate::failure::Failure;
use crate::operation::Operation;
use crate::options::SftpOptions;
use crate::suspects::Suspects;

/// How long each attempt of a reconnection waits before it begins.
const PAUSES: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
];

/// How often a call is tried: once more after the connection was lost.
const ATTEMPTS: usize = 2;

/// Where connections come from.
pub(crate) enum Source {
    /// A program, which can be started again.
    Program(Arc<CommandSpec>),
    /// Two streams, which serve once.
    Streams(Reader, Writer),
}

/// The way to one server, shared by all clones of a filesystem.
pub(crate) struct Link {
    pub(super) options: SftpOptions,
    /// Turns of the calls that hold something open.
    pub(super) turns: Semaphore,
    pub(super) suspects: Suspects,
    program: Option<Arc<CommandSpec>>,
    state: Mutex<State>,
}

type Dialing = Shared<BoxFuture<'static, Result<Arc<Session>, Arc<ConnectError>>>>;

enum State {
    Live(Arc<Session>),
    Dialing(Dialing),
    /// There is no connection, for this reason if one was sought.
    Down(Option<Arc<ConnectError>>),
}

impl Link {
    /// A link that begins with its first call.
    pub(crate) fn new(source: Source, options: SftpOptions) -> Self {
        let limit = options.call_timeout;
        let (program, state) = match source {
            Source::Program(program) => (Some(program), State::Down(None)),
            Source::Streams(reader, writer) => {
                let dialing = async move {
                    let session = dial::streams((reader, writer), limit).await;
                    session.map(Arc::new).map_err(Arc::new)
                };
                (None, State::Dialing(dialing.boxed().shared()))
            }
        };
        Self {
            turns: Semaphore::new(options.max_in_flight.clamp(1, Semaphore::MAX_PERMITS)),
            suspects: Suspects::default(),
            program: program.filter(|_| options.reconnect),
            state: Mutex::new(state),
            options,
        }
    }

    /// A link to a program that is started and greeted now.
    pub(crate) async fn to_program(
        spec: CommandSpec,
        options: SftpOptions,
    ) -> Result<Self, ConnectError> {
        let session = dial::program(&spec, options.call_timeout).await?;
        let link = Self::new(Source::Program(Arc::new(spec)), options);
        *link.lock() = State::Live(Arc::new(session));
        Ok(link)
    }

    /// Makes one call, within its deadline.
    pub(crate) async fn perform<O: Operation>(&self, operation: O) -> io::Result<O::Output> {
        let call = self.attempts(operation);
        let Some(after) = self.options.call_timeout else {
            return call.await;
        };
        timeout(after, call).await.unwrap_or_else(|_| {
            let payload = SftpError::TimedOut { after };
            Err(io::Error::new(io::ErrorKind::TimedOut, payload))
        })
    }

    async fn attempts<O: Operation>(&self, mut operation: O) -> io::Result<O::Output> {
        let mut attempt = 1;
        loop {
            let lane = Lane::new(self, self.session().await?);
            match operation.run(&lane).await {
                Err(Failure::Lost { .. }) if attempt < ATTEMPTS && !lane.has_changed() => {
                    attempt += 1;
                }
                Err(Failure::Lost { sent }) => {
                    let sent = sent || lane.has_changed();
                    return Err(Failure::Lost { sent }.into());
                }
                answer => return Ok(answer?),
            }
        }
    }

    /// The live connection, or the one that is being made.
    async fn session(&self) -> Result<Arc<Session>, Failure> {
        let dialing = match self.live_or_dialing()? {
            Ok(session) => return Ok(session),
            Err(dialing) => dialing,
        };
        let answer = dialing.clone().await;
        let mut state = self.lock();
        if matches!(&*state, State::Dialing(other) if other.ptr_eq(&dialing)) {
            *state = match &answer {
                Ok(session) => State::Live(Arc::clone(session)),
                Err(error) => State::Down(Some(Arc::clone(error))),
            };
        }
        drop(state);
        answer.map_err(unreachable)
    }

    fn live_or_dialing(&self) -> Result<Result<Arc<Session>, Dialing>, Failure> {
        let mut state = self.lock();
        let reason = match &*state {
            State::Live(session) if !session.is_lost() => return Ok(Ok(Arc::clone(session))),
            State::Live(_) => None,
            State::Dialing(dialing) => return Ok(Err(dialing.clone())),
            State::Down(reason) => reason.clone(),
        };
        let Some(program) = &self.program else {
            return Err(reason.map_or(Failure::Lost { sent: false }, unreachable));
        };
        let (program, limit) = (Arc::clone(program), self.options.call_timeout);
        let again = async move {
            let session = redial(|| dial::program(&program, limit)).await;
            session.map(Arc::new).map_err(Arc::new)
        };
        let dialing = again.boxed().shared();
        let before = mem::replace(&mut *state, State::Dialing(dialing.clone()));
        // Ending a connection takes locks of its own.
        drop(state);
        drop(before);
        Ok(Err(dialing))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Dials again and again, with growing pauses, until somebody answers.
///
/// # Errors
/// That of the last attempt.
async fn redial<T, A>(mut dial: impl FnMut() -> A) -> Result<T, ConnectError>
where
    A: Future<Output = Result<T, ConnectError>>,
{
    let mut last = ConnectError::Closed;
    for pause in PAUSES {
        if !pause.is_zero() {
            sleep(pause).await;
        }
        match dial().await {
            Ok(session) => return Ok(session),
            Err(error) => {
                tracing::debug!(%error, "sftp reconnection failed");
                last = error;
            }
        }
    }
    Err(last)
}

fn unreachable(source: Arc<ConnectError>) -> Failure {
    let kind = source.kind();
    Failure::Decided(io::Error::new(kind, SftpError::Unreachable { source }))
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_reconnection_begins_at_once_and_then_after_pauses_that_double() {
        let begin = Instant::now();
        let mut attempts = Vec::new();
        let answer: Result<(), _> = redial(|| {
            attempts.push(begin.elapsed().as_millis());
            async { Err(ConnectError::Closed) }
        })
        .await;
        assert!(answer.is_err());
        // Each attempt comes 100, 200, 400, 800 ms after the one before it.
        assert_eq!(attempts, [0, 100, 300, 700, 1500]);
    }
}
