//! The server: any filesystem, offered to a client at the other end of a pipe or a socket.
//!
//! ```text
//! websocket.rs  http.rs  auth.rs   who may come in, and as what
//!        \
//!    connection.rs  outbox.rs      messages in order, requests at once, answers as they come
//!         |    \
//! session.rs    dispatch.rs        from a method's name to what it does
//!               /     |     \
//!        files.rs listing.rs handles.rs
//! ```
//!
//! The server reads no environment variable, prints nothing and installs no subscriber. It does
//! not know which machine the filesystem is of: paths are read by the convention of
//! [`EnvironmentInfo::cwd`], errors by their kind. Whatever a client sends is answered or closes
//! its own connection, nothing else.

#[cfg(feature = "websocket")]
mod auth;
mod connection;
mod dispatch;
mod files;
pub(crate) mod handles;
#[cfg(feature = "websocket")]
mod http;
mod listing;
mod options;
mod outbox;
mod session;
#[cfg(feature = "websocket")]
mod websocket;

use std::fmt;
use std::io;
use std::sync::Arc;

use codex_file_system::ExecutorFileSystem;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, watch};

#[cfg(feature = "websocket")]
pub use auth::{Auth, AuthError, CapabilityToken, SignedBearer};
pub use options::{Access, EnvironmentInfo, Limits, ServerOptions};

use self::handles::{OpenFiles, PrefixFiles};
use self::session::Sessions;
pub use crate::confined::ConfinedFileSystem;
use crate::protocol;

/// A filesystem offered to clients. Clones are the same server: they share its sessions, its
/// limits and its end.
///
/// # Examples
/// A server and a raw client on an in-memory pipe:
/// ```
/// use std::sync::Arc;
///
/// use codex_exec_server::server::{EnvironmentInfo, Server, ServerOptions};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/AGENTS.md = Be brief.")?;
/// let info = EnvironmentInfo::new(PathUri::parse("file:///srv")?);
/// let server = Server::new(Arc::new(memory), ServerOptions::new(info));
///
/// let (mut client, pipe) = tokio::io::duplex(4096);
/// let (reader, writer) = tokio::io::split(pipe);
/// let serving = tokio::spawn(async move { server.serve_stdio(reader, writer).await });
///
/// client.write_all(br#"{"id": 1, "method": "initialize", "params": {"clientName": "doc"}}
/// {"method": "initialized"}
/// {"id": 2, "method": "fs/readFile", "params": {"path": "file:///srv/AGENTS.md"}}
/// "#).await?;
/// client.shutdown().await?;
///
/// let mut answers = String::new();
/// client.read_to_string(&mut answers).await?;
/// assert!(answers.ends_with("{\"id\":2,\"result\":{\"dataBase64\":\"QmUgYnJpZWYu\"}}\n"));
/// serving.await??;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Server {
    service: Arc<Service>,
    is_ending: Arc<watch::Sender<bool>>,
}

/// What all connections of a server share.
struct Service {
    filesystem: Arc<dyn ExecutorFileSystem>,
    files: Arc<dyn OpenFiles>,
    options: ServerOptions,
    sessions: Arc<Sessions>,
    /// Room for the files that all connections hold open.
    open_files: Arc<Semaphore>,
    /// The object of the handshake, made once.
    wire_info: protocol::EnvironmentInfo,
}

impl Server {
    /// Serves any filesystem. Files are read in blocks by
    /// [`read_file_prefix`](ExecutorFileSystem::read_file_prefix), and cannot be opened to be
    /// replaced.
    ///
    /// A block costs the prefix that ends with it; as much again is read along, at most 16 MiB, so
    /// that a file in blocks of 1 MiB takes as many reads as its length has doublings, and one for
    /// each 16 MiB more. Four handles at once read ahead, whatever clients open.
    pub fn new(filesystem: Arc<dyn ExecutorFileSystem>, options: ServerOptions) -> Self {
        let files = PrefixFiles::new(Arc::clone(&filesystem));
        Self::with_open_files(filesystem, Arc::new(files), options)
    }

    /// Serves a filesystem whose files can be kept open.
    pub(crate) fn with_open_files(
        filesystem: Arc<dyn ExecutorFileSystem>,
        files: Arc<dyn OpenFiles>,
        options: ServerOptions,
    ) -> Self {
        let service = Service {
            wire_info: options.info.to_wire(files.enforces_sandboxes()),
            filesystem,
            files,
            sessions: Arc::default(),
            open_files: Arc::new(Semaphore::new(options.limits.handles())),
            options,
        };
        Self {
            service: Arc::new(service),
            is_ending: Arc::new(watch::Sender::new(false)),
        }
    }

    /// The same server, not yet serving, whose calls go through what `wrap` makes of its
    /// filesystem: a wrapper that counts, delays or limits them.
    ///
    /// Blocks of open files are read and written past it, since they are no calls of a filesystem.
    #[must_use]
    pub fn wrapped(
        &self,
        wrap: impl FnOnce(Arc<dyn ExecutorFileSystem>) -> Arc<dyn ExecutorFileSystem>,
    ) -> Self {
        let service = &self.service;
        let filesystem = wrap(Arc::clone(&service.filesystem));
        Self::with_open_files(
            filesystem,
            Arc::clone(&service.files),
            service.options.clone(),
        )
    }

    /// Serves one client on a pair of pipes, one message a line, until the end of the input or
    /// [`shutdown`](Self::shutdown).
    ///
    /// Requests that were read are answered before this returns, an unterminated last line
    /// included.
    ///
    /// # Errors
    /// A pipe that cannot be read, or one that cannot be written to. What a client sends is never
    /// an error here.
    ///
    /// # Cancellation
    /// Dropping the future drops the requests that run.
    pub async fn serve_stdio(
        &self,
        reader: impl AsyncRead + Send + Unpin,
        writer: impl AsyncWrite + Send + Unpin,
    ) -> io::Result<()> {
        connection::serve_pipes(&self.service, reader, writer, self.is_ending.subscribe()).await
    }

    /// Serves clients that come to a listening socket, over WebSocket, until
    /// [`shutdown`](Self::shutdown).
    ///
    /// `GET /readyz` is answered with 200, whoever asks. A request that carries `Origin` comes
    /// from a browser and is refused. Any other client is let in by
    /// [`ServerOptions::auth`].
    ///
    /// # Errors
    /// None in practice: a client that cannot be accepted is logged and the next one is awaited.
    ///
    /// # Cancellation
    /// Dropping the future drops every connection.
    #[cfg(feature = "websocket")]
    pub async fn serve_websocket(&self, listener: tokio::net::TcpListener) -> io::Result<()> {
        websocket::serve(&self.service, listener, self.is_ending.subscribe()).await
    }

    /// Ends the server: no connection is accepted and no request is read any more, requests that
    /// run have two seconds to end, connections are closed, and the serving futures return.
    pub fn shutdown(&self) {
        self.is_ending.send_replace(true);
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}
