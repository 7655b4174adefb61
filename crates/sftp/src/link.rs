//! The way to the server: the live connection, and how another is made when it is lost.
//!
//! One reconnection serves all calls that wait for it. It is a future that any of them may drive,
//! so one that is dropped does not take it away from the others. If it fails, all of them fail with
//! its last error, and the next call begins anew.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{io, mem};

use codex_file_system::CommandSpec;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared as SharedFuture};
use tokio::time::{sleep, timeout};

use crate::attempt::{Attempt, Shared};
use crate::error::{ConnectError, Failure, SftpError};
use crate::handshake::{self, Connected};
use crate::operation::Operation;
use crate::options::SftpOptions;
use crate::rpc::{Reader, Writer};

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

/// The way to one server, shared by all clones of a filesystem.
pub(crate) struct Link {
    shared: Shared,
    /// What is started for another connection; `None` where there is no way to make one.
    program: Option<CommandSpec>,
    /// The connection, or the attempt to make it.
    dialing: Mutex<Dialing>,
}

type Dialing = SharedFuture<BoxFuture<'static, Result<Arc<Connected>, Arc<ConnectError>>>>;

impl Link {
    /// A link over two streams, which serve once and are greeted by the first call.
    pub(crate) fn over_streams(reader: Reader, writer: Writer, options: SftpOptions) -> Self {
        let greeting = handshake::streams((reader, writer), options.call_timeout);
        Self {
            shared: Shared::new(options),
            program: None,
            dialing: Mutex::new(shared(greeting)),
        }
    }

    /// A link to a program that is started and greeted now.
    pub(crate) async fn to_program(
        program: CommandSpec,
        options: SftpOptions,
    ) -> Result<Self, ConnectError> {
        let connected = handshake::program(&program, options.call_timeout).await?;
        Ok(Self {
            program: Some(program).filter(|_| options.reconnect),
            shared: Shared::new(options),
            dialing: Mutex::new(shared(async { Ok(connected) })),
        })
    }

    /// Makes one call, within its deadline.
    pub(crate) async fn perform<O: Operation>(&self, operation: O) -> io::Result<O::Output> {
        let call = self.attempts(operation);
        let Some(after) = self.shared.options.call_timeout else {
            return call.await;
        };
        timeout(after, call).await.unwrap_or_else(|_| {
            let payload = SftpError::TimedOut { after };
            Err(io::Error::new(io::ErrorKind::TimedOut, payload))
        })
    }

    async fn attempts<O: Operation>(&self, operation: O) -> io::Result<O::Output> {
        let mut attempt = 1;
        loop {
            let this = Attempt::new(&self.shared, self.connected().await?);
            match operation.run(&this).await {
                Err(Failure::Lost { .. }) if attempt < ATTEMPTS && !this.has_changed() => {
                    attempt += 1;
                }
                Err(Failure::Lost { sent }) => {
                    let sent = sent || this.has_changed();
                    return Err(Failure::Lost { sent }.into());
                }
                answer => return Ok(answer?),
            }
        }
    }

    /// The live connection, or the one that is being made.
    async fn connected(&self) -> Result<Arc<Connected>, Failure> {
        let dialing = self.dialing()?;
        dialing.await.map_err(unreachable)
    }

    /// The way to the live connection, another one if that is lost or was not made.
    fn dialing(&self) -> Result<Dialing, Failure> {
        let mut dialing = self.dialing.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = match dialing.peek() {
            None => return Ok(dialing.clone()),
            Some(Ok(connected)) if !connected.session.is_lost() => return Ok(dialing.clone()),
            Some(Ok(_)) => Failure::Lost { sent: false },
            Some(Err(reason)) => unreachable(Arc::clone(reason)),
        };
        let program = self.program.clone().ok_or(reason)?;
        let limit = self.shared.options.call_timeout;
        let again = shared(async move { redial(|| handshake::program(&program, limit)).await });
        let before = mem::replace(&mut *dialing, again.clone());
        drop(dialing);
        // Ending a connection takes locks of its own.
        drop(before);
        Ok(again)
    }
}

/// An attempt that any number of calls can drive and have the result of.
fn shared(
    dialing: impl Future<Output = Result<Connected, ConnectError>> + Send + 'static,
) -> Dialing {
    let dialing = dialing.map(|connected| connected.map(Arc::new).map_err(Arc::new));
    dialing.boxed().shared()
}

/// Dials again and again, with growing pauses, until a server answers.
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
            Ok(connected) => return Ok(connected),
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
