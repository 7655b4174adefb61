//! Making a connection again, with the session that was lost.
//!
//! Calls are sent only when the server has taken the session, so none is lost to a handshake
//! that has to be repeated.

use std::time::Duration;

use tokio::time::sleep;

use super::connection::{Arrival, Connection};
use super::shared::{HandshakeFailure, Shared};
use super::start::{Dialer, within};
use super::{ClientOptions, ConnectError};
use crate::envelope::{WireError, code, encode_notification, encode_request};
use crate::protocol::{INITIALIZED, Initialize, InitializeParams, Method as _};

/// How long to wait before each attempt.
const DELAYS: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
];
/// How long to wait for the server to notice that the session's old connection is gone.
const ATTACHED_DELAY: Duration = Duration::from_millis(100);
/// How often to ask again for a session that is still attached.
const ATTACHED_RETRIES: u32 = 10;

/// Connects again and goes on with the last session, or with a fresh one if the server has
/// forgotten it.
///
/// A program that has never served is started once only: whatever ended it at once, such as a
/// wrong password of `ssh`, does so the next time too, and may be counted by somebody.
///
/// # Errors
/// The last of the attempts.
pub(super) async fn reconnect(
    shared: &Shared,
    dialer: &Dialer,
) -> Result<Connection, ConnectError> {
    let mut last = ConnectError::Timeout {
        after: Duration::ZERO,
    };
    let has_served = !dialer.is_program() || shared.info().is_some();
    let attempts = if has_served { DELAYS.len() } else { 1 };
    for delay in DELAYS.into_iter().take(attempts) {
        sleep(delay).await;
        match attempt(shared, dialer).await {
            Ok(connection) => {
                shared.pending(|pending| pending.statistics.reconnections += 1);
                return Ok(connection);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn attempt(shared: &Shared, dialer: &Dialer) -> Result<Connection, ConnectError> {
    let options = &shared.options;
    let mut connection = dialer.dial().await?;
    let greeting = within(options.initialize_timeout, greet(shared, &mut connection));
    match greeting.await {
        Ok(()) => Ok(connection),
        // How a process ended says more than that its pipe did.
        Err(error) => Err(connection.finish(false).await.unwrap_or(error)),
    }
}

/// What one `initialize` came to.
enum Greeting {
    Done,
    Refused(WireError),
}

/// Performs the handshake up to the server's answer.
async fn greet(shared: &Shared, connection: &mut Connection) -> Result<(), ConnectError> {
    let mut session = shared.info().map(|info| info.session_id.clone());
    let mut id = shared.begin_handshake();
    let mut retries = 0;
    loop {
        let error = match ask(shared, connection, id, session.as_deref()).await? {
            Greeting::Done => return Ok(()),
            Greeting::Refused(error) => error,
        };
        if error.code == code::SESSION_ATTACHED && retries < ATTACHED_RETRIES {
            retries += 1;
            sleep(ATTACHED_DELAY).await;
        } else if error.code == code::INVALID_REQUEST && session.is_some() {
            session = None;
        } else {
            let message = error.message;
            return Err(ConnectError::HandshakeRejected { message });
        }
        id = shared.repeat_handshake();
    }
}

/// Sends one `initialize` and waits for its answer.
async fn ask(
    shared: &Shared,
    connection: &mut Connection,
    id: i64,
    session: Option<&str>,
) -> Result<Greeting, ConnectError> {
    let rejected = |message: String| ConnectError::HandshakeRejected { message };
    let mut burst = Vec::from_iter(initialize(&shared.options, id, session));
    let bytes: usize = burst.iter().map(String::len).sum();
    shared.pending(|pending| pending.statistics.bytes_sent += bytes as u64);
    let sent = connection.outgoing.send(&mut burst).await;
    sent.map_err(|error| rejected(error.to_string()))?;
    loop {
        match connection.incoming.next().await {
            Arrival::Message(message) => match shared.receive(&message) {
                Ok(()) if shared.is_greeted() => return Ok(Greeting::Done),
                Ok(()) => {}
                Err(HandshakeFailure::Rejected(error)) => return Ok(Greeting::Refused(error)),
                Err(HandshakeFailure::Shape(message)) => return Err(rejected(message)),
            },
            Arrival::Oversize => return Err(rejected("a message is past the limit".to_owned())),
            Arrival::End(None) => return Err(rejected("the connection was closed".to_owned())),
            Arrival::End(Some(error)) => return Err(rejected(error.to_string())),
        }
    }
}

/// The text of `initialize`. It cannot fail to be JSON; without it the server would answer
/// nothing, which the deadline of the handshake reports.
pub(super) fn initialize(
    options: &ClientOptions,
    id: i64,
    session: Option<&str>,
) -> Option<String> {
    let params = InitializeParams {
        client_name: options.client_name.as_str().into(),
        resume_session_id: session.map(Into::into),
    };
    encode_request(id, Initialize::NAME, &params).ok()
}

/// The text of `initialized`.
pub(super) fn initialized() -> Option<String> {
    encode_notification(INITIALIZED).ok()
}
