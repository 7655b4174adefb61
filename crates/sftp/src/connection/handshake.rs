//! The first words: which version, how much a message may hold, and how paths are spelled.
//!
//! Nothing is asked before the server has spoken. Then its own directory and, where announced,
//! its limits are asked for together. Once for each connection; no call pays for it.

use std::io;
use std::sync::Arc;

use bytes::BytesMut;
use tokio::io::AsyncWriteExt;
use tokio::sync::oneshot;

use super::pending::Pending;
use super::session::{Facts, Session};
use super::streams::{Reader, Streams, Writer, next_message, write};
use crate::error::ConnectError;
use crate::failure::Failure;
use crate::spelling::convention_of;
use crate::wire::{self, Limits, Malformed, Reply, Request, Version};

/// How many bytes are shown of what is no message.
const SHOWN: usize = 40;

/// Opens a session on two streams.
pub(super) async fn open(
    mut reader: Reader,
    mut writer: Writer,
    lifeline: Option<oneshot::Sender<()>>,
) -> Result<Session, ConnectError> {
    let mut buffer = BytesMut::new();
    let init = wire::init().map_err(rejected)?;
    write(&mut writer, &init)
        .await
        .map_err(|_| ConnectError::Closed)?;
    writer.flush().await.map_err(|_| ConnectError::Closed)?;
    let first = match next_message(&mut reader, &mut buffer).await {
        Ok(Some(message)) => message,
        Ok(None) => return Err(ConnectError::Closed),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            return Err(no_message(&error, &buffer));
        }
        Err(_) => return Err(ConnectError::Closed),
    };
    let version = Version::decode(first).map_err(rejected)?;
    if version.number != wire::VERSION {
        return Err(rejected(format_args!("version {}", version.number)));
    }
    let pending = Arc::new(Pending::default());
    let (streams, outgoing) = Streams::start(reader, buffer, writer, lifeline, &pending);
    let mut session = Session::new(pending, outgoing, streams);
    session.facts = learn(&session, version).await?;
    tracing::debug!(facts = ?session.facts, "sftp session");
    Ok(session)
}

async fn learn(session: &Session, version: Version) -> Result<Facts, ConnectError> {
    let directory = session.send(&Request::RealPath { path: b"." });
    let limits = version.tells_limits.then(|| session.send(&Request::Limits));
    let mut facts = session.facts;
    match directory.await {
        Ok(Reply::Names(names)) => {
            if let Some(own) = names.first() {
                facts.convention = convention_of(&own.name);
            }
        }
        Err(Failure::Lost { .. }) => return Err(ConnectError::Closed),
        // A server that cannot tell where it is keeps to what the protocol says.
        Ok(_) | Err(_) => {}
    }
    if let Some(limits) = limits
        && let Ok(Reply::Extended(body)) = limits.await
    {
        facts.limits = Limits::decode(body).map_err(rejected)?;
    }
    Ok(facts)
}

fn rejected(reason: impl ToString) -> ConnectError {
    ConnectError::HandshakeRejected {
        reason: reason.to_string(),
    }
}

/// Text where the first message should be, usually printed by a login script of the machine.
fn no_message(error: &io::Error, received: &[u8]) -> ConnectError {
    let beginning = received.get(..SHOWN).unwrap_or(received);
    rejected(format_args!(
        "{error}, beginning with `{}`; does a login script over there print text?",
        beginning.escape_ascii()
    ))
}

/// What the wire says is what is wrong.
impl From<Malformed> for ConnectError {
    fn from(malformed: Malformed) -> Self {
        rejected(malformed)
    }
}
