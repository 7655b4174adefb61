//! The task that owns the connection: it alone reads, writes and makes the next one.
//!
//! Reading and writing are two loops polled side by side, so a server that writes while it is
//! written to is never waited for crosswise. The writer comes first in every turn, since a
//! reader that always finds something would keep it from sending.

use std::sync::Arc;
use std::time::Duration;

use super::connection::{Arrival, Connection, Incoming, Outgoing};
use super::error::Cause;
use super::pending::Loss;
use super::reconnect::{initialize, initialized, reconnect};
use super::shared::{HandshakeFailure, Shared};
use super::start::Dialer;

/// How long a connection that takes nothing any more is still read.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// From how many bytes on a message is worth a pause.
const LARGE_MESSAGE_BYTES: usize = 256 * 1024;

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

/// Serves one connection to its end and settles what its calls are told.
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
        let message = match shared.stray() {
            Some(stray) => format!(
                "no answer within {limit:?}; what came is no exec-server's and begins {stray}"
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
            tokio::time::sleep(LAST_WORDS).await;
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
