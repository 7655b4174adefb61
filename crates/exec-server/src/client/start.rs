//! Where a client's connections come from.

use std::time::Duration;

use codex_file_system::CommandSpec;
use tokio::time::timeout;

use super::connection::Connection;
use super::{ConnectError, process};
#[cfg(feature = "websocket")]
use super::{SecretString, socket::Address};

/// A way to make a connection, again and again.
#[derive(Clone, Debug)]
pub(super) enum Dialer {
    /// To a WebSocket server, with a token, within a time.
    #[cfg(feature = "websocket")]
    WebSocket {
        address: Address,
        bearer: Option<SecretString>,
        limit: Duration,
    },
    /// To a program that is started for it.
    Program(CommandSpec),
}

impl Dialer {
    /// Whether each connection starts a program.
    pub(super) fn is_program(&self) -> bool {
        matches!(self, Dialer::Program(_))
    }

    /// Makes one connection.
    pub(super) async fn dial(&self) -> Result<Connection, ConnectError> {
        match self {
            #[cfg(feature = "websocket")]
            Dialer::WebSocket {
                address,
                bearer,
                limit,
            } => {
                let socket = within(*limit, address.connect(bearer.as_ref())).await?;
                Ok(Connection::websocket(socket))
            }
            Dialer::Program(command) => {
                let (stdout, stdin, process) = process::start(command)?;
                Ok(Connection::lines(stdout, stdin, Some(process)))
            }
        }
    }
}

/// What `attempt` gives, if it comes in time.
pub(super) async fn within<T>(
    limit: Duration,
    attempt: impl Future<Output = Result<T, ConnectError>>,
) -> Result<T, ConnectError> {
    match timeout(limit, attempt).await {
        Ok(outcome) => outcome,
        Err(_) => Err(ConnectError::Timeout { after: limit }),
    }
}
