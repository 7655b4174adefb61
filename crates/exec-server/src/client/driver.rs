//! The task that owns the connection: it alone reads, writes and makes the next one, with the
//! session that was lost.
//!
//! Reading and writing are two loops polled side by side, so a server that writes while it is
//! written to is never waited for crosswise. The writer comes first in every turn, since a
//! reader that always finds something would keep it from sending.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::connect::{Arrival, Connection, Dialer, Incoming, Outgoing, within};
use super::error::Cause;
use super::pending::Loss;
use super::rpc::{HandshakeFailure, Shared};
use super::{ClientOptions, ConnectError};
use crate::codec::{WireError, code, encode_notification, encode_request};
use crate::protocol::{INITIALIZED, Initialize, InitializeParams, Method as _};

/// How long a connection that takes nothing any more is still read.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// From how many bytes on a message is worth a pause.
const LARGE_MESSAGE_BYTES: usize = 256 * 1024;
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

/// Serves the calls of a client until it is closed, or until a connection that cannot be made
/// again is lost.
///
/// The future may be dropped at any time, even before its first poll, as it is when its runtime
/// ends: nobody waits in vain then.
pub(super) fn drive(
    shared: Arc<Shared>,
    first: Connection,
    dialer: Option<Dialer>,
) -> impl Future<Output = ()> + Send {
    let end_on_drop = EndOnDrop(shared);
    async move {
        let shared: &Shared = &end_on_drop.0;
        let id = shared.begin_handshake();
        let mut burst = Vec::new();
        // Sent without waiting for an answer: whatever waits by now leaves with it.
        burst.extend(initialize(&shared.options, id, None));
        burst.extend(initialized());
        let mut end = serve(shared, first, burst, true).await;
        while let End::Lost(cause) = end {
            let Some(dialer) = &dialer else {
                return shared.end(cause);
            };
            end = match next_connection(shared, dialer).await {
                Next::Closing => End::Closing,
                Next::Failed(cause) => End::Lost(cause),
                Next::Connected(connection) => {
                    let burst = initialized().into_iter().collect();
                    serve(shared, *connection, burst, false).await
                }
            };
        }
    }
}

struct EndOnDrop(Arc<Shared>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end(Cause::lost("the connection is closed"));
    }
}

/// How the service of a connection ended.
enum End {
    /// The client is closed.
    Closing,
    /// The connection is lost.
    Lost(Cause),
}

enum Next {
    Closing,
    /// Whoever waited knows.
    Failed(Cause),
    Connected(Box<Connection>),
}

/// Waits until a connection is wanted, and makes it.
async fn next_connection(shared: &Shared, dialer: &Dialer) -> Next {
    let made = async {
        while !shared.has_work() {
            shared.more().await;
        }
        reconnect(shared, dialer).await
    };
    tokio::select! {
        biased;
        () = shared.closed() => Next::Closing,
        made = made => match made {
            Ok(connection) => Next::Connected(Box::new(connection)),
            Err(error) => {
                let cause = Cause::from(&error);
                shared.fail_all(cause.clone());
                Next::Failed(cause)
            }
        },
    }
}

/// Why a connection is not served any longer.
enum Stop {
    Closing,
    Lost(Loss, Cause),
    /// The server does not take part in the handshake; nothing sent behind it was executed.
    Refused(Cause),
}

/// Serves one connection to its end and decides what its calls are told.
async fn serve(
    shared: &Shared,
    mut connection: Connection,
    burst: Vec<String>,
    awaits_greeting: bool,
) -> End {
    let stop = {
        let Connection {
            incoming, outgoing, ..
        } = &mut connection;
        tokio::select! {
            biased;
            () = shared.closed() => Stop::Closing,
            cause = greeting_deadline(shared, awaits_greeting) => Stop::Refused(cause),
            cause = write_all(shared, outgoing, burst) => Stop::Lost(Loss::Other, cause),
            stop = read_all(shared, incoming) => stop,
        }
    };
    let exit = connection.finish(matches!(stop, Stop::Closing)).await;
    match stop {
        Stop::Closing => End::Closing,
        Stop::Refused(cause) => {
            shared.fail_all(cause.clone());
            End::Lost(cause)
        }
        Stop::Lost(loss, cause) => {
            let cause = exit.as_ref().map_or(cause, Cause::from);
            tracing::debug!(cause = cause.message, "connection lost");
            shared.connection_lost(&loss, cause.clone());
            End::Lost(cause)
        }
    }
}

/// Fails when a handshake that is under way is not answered in time.
async fn greeting_deadline(shared: &Shared, awaits_greeting: bool) -> Cause {
    let limit = shared.options.initialize_timeout;
    if awaits_greeting && tokio::time::timeout(limit, shared.greeted()).await.is_err() {
        let message = match shared.unexpected() {
            Some(unexpected) => format!(
                "no answer within {limit:?}; what came is no exec-server's and begins {unexpected}"
            ),
            None => format!("no answer within {limit:?}"),
        };
        return Cause::no_handshake(std::io::ErrorKind::TimedOut, message);
    }
    std::future::pending().await
}

/// Writes whatever is ready, with one flush, again and again.
async fn write_all(shared: &Shared, outgoing: &mut Outgoing, mut burst: Vec<String>) -> Cause {
    loop {
        shared.pending(|pending| {
            while let Some(request) = pending.next_request() {
                burst.push(request);
            }
            let bytes: usize = burst.iter().map(String::len).sum();
            pending.statistics.bytes_sent += bytes as u64;
        });
        if burst.is_empty() {
            shared.more().await;
        } else if let Err(error) = outgoing.send(&mut burst).await {
            // What the server said before it stopped listening still counts.
            sleep(LAST_WORDS).await;
            return Cause::lost(format!("the connection is lost: {error}"));
        }
    }
}

/// Reads to the end of the connection.
async fn read_all(shared: &Shared, incoming: &mut Incoming) -> Stop {
    loop {
        // A server that floods would keep deadlines from being noticed: one read brings many messages.
        tokio::task::coop::consume_budget().await;
        match incoming.next().await {
            Arrival::Message(message) => match shared.receive(&message) {
                Ok(()) if message.len() >= LARGE_MESSAGE_BYTES => {
                    drop(message);
                    // Whoever waits for it takes it before the next one fills the memory.
                    tokio::task::yield_now().await;
                }
                Ok(()) => {}
                Err(HandshakeFailure::Rejected(error)) => {
                    return Stop::Refused(Cause::handshake(&error));
                }
                Err(HandshakeFailure::Shape(message)) => {
                    let kind = std::io::ErrorKind::InvalidData;
                    return Stop::Refused(Cause::no_handshake(kind, message));
                }
            },
            Arrival::Oversize => {
                let cause = Cause::lost("a message of the server is past the limit");
                return Stop::Lost(Loss::Oversize, cause);
            }
            Arrival::End(None) => {
                let cause = Cause::lost("the server closed the connection");
                return Stop::Lost(Loss::Other, cause);
            }
            Arrival::End(Some(error)) => {
                let cause = Cause::lost(format!("the connection is lost: {error}"));
                return Stop::Lost(Loss::Other, cause);
            }
        }
    }
}

/// Connects again and goes on with the last session, or with a fresh one if the server has
/// forgotten it.
///
/// A program that has never served is started once only: whatever ended it at once, such as a
/// wrong password of `ssh`, does so the next time too, and may be counted by somebody.
///
/// # Errors
/// The last of the attempts.
async fn reconnect(shared: &Shared, dialer: &Dialer) -> Result<Connection, ConnectError> {
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
fn initialize(options: &ClientOptions, id: i64, session: Option<&str>) -> Option<String> {
    let params = InitializeParams {
        client_name: options.client_name.clone(),
        resume_session_id: session.map(str::to_owned),
    };
    encode_request(id, Initialize::NAME, &params).ok()
}

/// The text of `initialized`.
fn initialized() -> Option<String> {
    encode_notification(INITIALIZED).ok()
}
