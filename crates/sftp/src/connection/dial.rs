//! One attempt to reach a server: start the program, or take the streams, and greet.

use std::time::Duration;

use codex_file_system::CommandSpec;
use tokio::time::timeout;

use super::session::Session;
use super::streams::{Reader, Writer};
use super::{child, handshake};
use crate::error::ConnectError;

/// Starts a program and greets what it leads to.
pub(super) async fn program(
    spec: &CommandSpec,
    limit: Option<Duration>,
) -> Result<Session, ConnectError> {
    let started = child::start(spec)?;
    let greeting = handshake::open(started.reader, started.writer, Some(started.lifeline));
    match within(limit, greeting).await {
        // The streams are closed by now: the program ended, or is made to.
        Err(ConnectError::Closed) => match started.exit.await {
            Ok(exit) => Err(ConnectError::ChildExited {
                status: exit.status,
                stderr_tail: exit.stderr_tail,
            }),
            Err(_) => Err(ConnectError::Closed),
        },
        answer => answer,
    }
}

/// Greets what is at the other end of two streams.
pub(super) async fn streams(
    (reader, writer): (Reader, Writer),
    limit: Option<Duration>,
) -> Result<Session, ConnectError> {
    within(limit, handshake::open(reader, writer, None)).await
}

async fn within(
    limit: Option<Duration>,
    greeting: impl Future<Output = Result<Session, ConnectError>>,
) -> Result<Session, ConnectError> {
    let Some(after) = limit else {
        return greeting.await;
    };
    match timeout(after, greeting).await {
        Ok(answer) => answer,
        Err(_) => Err(ConnectError::Timeout { after }),
    }
}
