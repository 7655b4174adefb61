//! Where a client's connections come from.

use std::time::Duration;

use codex_file_system::CommandSpec;
use tokio::time::timeout;

use super::connection::Connection;
#[cfg(feature = "websocket")]
use super::socket::Address;
use super::{ClientOptions, ConnectError, process};

/// A way to make a connection, again and again.
#[derive(Clone, Debug)]
pub(super) enum Dialer {
    /// To a WebSocket server.
    #[cfg(feature = "websocket")]
    WebSocket(Address),
    /// To a program that is started for it.
    Program(CommandSpec),
}

impl Dialer {
    /// Makes one connection within the time the options allow.
    pub(super) async fn dial(&self, options: &ClientOptions) -> Result<Connection, ConnectError> {
        match self {
            #[cfg(feature = "websocket")]
            Dialer::WebSocket(address) => {
                let connecting = address.connect(options.bearer.as_ref());
                let socket = within(options.connect_timeout, connecting).await?;
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
