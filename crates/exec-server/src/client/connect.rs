//! Where a client's connections come from, and one connection: messages in, messages out, and the
//! process at the other end if there is one.

use std::io;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use codex_file_system::CommandSpec;
#[cfg(feature = "websocket")]
use futures::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;
#[cfg(feature = "websocket")]
use tokio_tungstenite::tungstenite;

use super::ConnectError;
#[cfg(feature = "websocket")]
use super::SecretString;
#[cfg(feature = "websocket")]
use super::address::{Address, ClientSocket};
use crate::protocol::MAX_CLIENT_INBOUND_MESSAGE;
use crate::transport::process::{self, Process};
use crate::transport::stdio::{Line, LineReader};
#[cfg(feature = "websocket")]
use crate::transport::websocket::{Received, is_oversize, received};

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
                let started = process::start(command);
                let (stdout, stdin, process) = started.map_err(|source| ConnectError::Spawn {
                    program: command.program.clone(),
                    source,
                })?;
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

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(2);

pub(super) struct Connection {
    pub(super) incoming: Incoming,
    pub(super) outgoing: Outgoing,
    process: Option<Process>,
}

/// Messages of the server.
pub(super) enum Incoming {
    /// One a line.
    Lines(LineReader<Pin<Box<dyn AsyncRead + Send>>>),
    /// WebSocket messages.
    #[cfg(feature = "websocket")]
    WebSocket(SplitStream<ClientSocket>),
}

/// Messages to the server.
pub(super) enum Outgoing {
    /// One a line.
    Lines(Pin<Box<dyn AsyncWrite + Send>>),
    /// WebSocket messages.
    #[cfg(feature = "websocket")]
    WebSocket(SplitSink<ClientSocket, tungstenite::Message>),
}

/// What came in.
pub(super) enum Arrival {
    Message(Bytes),
    /// A message past the limit, after which the connection is of no use.
    Oversize,
    /// The server is gone; `None` if it said so in good order.
    End(Option<io::Error>),
}

impl Connection {
    /// A connection on pipes, maybe those of a process.
    pub(super) fn lines(
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + 'static,
        process: Option<Process>,
    ) -> Self {
        let reader: Pin<Box<dyn AsyncRead + Send>> = Box::pin(reader);
        Self {
            incoming: Incoming::Lines(LineReader::new(reader, MAX_CLIENT_INBOUND_MESSAGE)),
            outgoing: Outgoing::Lines(Box::pin(writer)),
            process,
        }
    }

    /// A connection on a WebSocket.
    #[cfg(feature = "websocket")]
    pub(super) fn websocket(socket: ClientSocket) -> Self {
        let (sink, stream) = socket.split();
        Self {
            incoming: Incoming::WebSocket(stream),
            outgoing: Outgoing::WebSocket(sink),
            process: None,
        }
    }

    /// Lets go of the connection, with a goodbye if it is still of use. Ends the process, if
    /// there is one, and says how it ended.
    pub(super) async fn finish(self, says_goodbye: bool) -> Option<ConnectError> {
        let Self {
            incoming,
            mut outgoing,
            process,
        } = self;
        if says_goodbye {
            // A server that does not take the goodbye is left all the same.
            let _ = timeout(GOODBYE, outgoing.goodbye()).await;
        }
        drop((incoming, outgoing));
        let exit = process?.finish(GOODBYE).await?;
        Some(ConnectError::ChildExited {
            status: exit.status,
            stderr_tail: exit.stderr_tail,
        })
    }
}

impl Incoming {
    /// The next message.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub(super) async fn next(&mut self) -> Arrival {
        match self {
            Incoming::Lines(lines) => match lines.next().await {
                Ok(Some(Line::Message(line))) => Arrival::Message(line),
                Ok(Some(Line::TooLong)) => Arrival::Oversize,
                Ok(None) => Arrival::End(None),
                Err(error) => Arrival::End(Some(error)),
            },
            #[cfg(feature = "websocket")]
            Incoming::WebSocket(stream) => next_of_websocket(stream).await,
        }
    }
}

#[cfg(feature = "websocket")]
async fn next_of_websocket(stream: &mut SplitStream<ClientSocket>) -> Arrival {
    loop {
        match stream.next().await {
            Some(Ok(message)) => match received(message) {
                Received::Message(bytes) => return Arrival::Message(bytes),
                Received::Liveness => {}
                Received::Close => return Arrival::End(None),
            },
            Some(Err(error)) if is_oversize(&error) => return Arrival::Oversize,
            Some(Err(error)) => return Arrival::End(Some(io::Error::other(error))),
            None => return Arrival::End(None),
        }
    }
}

impl Outgoing {
    /// Writes messages with one flush.
    pub(super) async fn send(&mut self, messages: &mut Vec<String>) -> io::Result<()> {
        match self {
            Outgoing::Lines(writer) => {
                let mut lines = String::with_capacity(messages.iter().map(|m| m.len() + 1).sum());
                for message in messages.drain(..) {
                    lines.push_str(&message);
                    lines.push('\n');
                }
                writer.write_all(lines.as_bytes()).await?;
                writer.flush().await
            }
            #[cfg(feature = "websocket")]
            Outgoing::WebSocket(sink) => {
                for message in messages.drain(..) {
                    let message = tungstenite::Message::text(message);
                    sink.feed(message).await.map_err(io::Error::other)?;
                }
                sink.flush().await.map_err(io::Error::other)
            }
        }
    }

    async fn goodbye(&mut self) -> io::Result<()> {
        match self {
            Outgoing::Lines(writer) => writer.shutdown().await,
            #[cfg(feature = "websocket")]
            Outgoing::WebSocket(sink) => {
                let close = tungstenite::Message::Close(None);
                sink.send(close).await.map_err(io::Error::other)
            }
        }
    }
}
