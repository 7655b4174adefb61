//! The filesystem of another machine over JSON-RPC, on WebSocket or pipes: both ends.
//!
//! An agent's files may lie on a build host, in a container, on another operating system. The
//! *client*, [`RemoteFileSystem`], makes that machine an
//! [`ExecutorFileSystem`] like any other; the *server*,
//! [`Server`], offers any such filesystem to a client. They speak the protocol of
//! `codex exec-server`, so each also works with the published program at the other end.
//!
//! ```
//! use std::sync::Arc;
//!
//! use codex_exec_server::server::{EnvironmentInfo, Server, ServerOptions};
//! use codex_exec_server::{ClientOptions, RemoteFileSystem};
//! use codex_file_system::ExecutorFileSystem;
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::PathUri;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A Windows machine, as far as anybody can tell.
//! let files = MemoryFileSystem::from_tree(Flavor::Windows, "C:/w/AGENTS.md = Be brief.")?;
//! let info = EnvironmentInfo::new(PathUri::parse("file:///C:/w")?);
//! let server = Server::new(Arc::new(files), ServerOptions::new(info));
//!
//! let (here, there) = tokio::io::duplex(4096);
//! let (reader, writer) = tokio::io::split(there);
//! tokio::spawn(async move { server.serve_stdio(reader, writer).await });
//!
//! let (reader, writer) = tokio::io::split(here);
//! let remote = RemoteFileSystem::from_streams(reader, writer, ClientOptions::new("a-host"));
//! let path = PathUri::parse("file:///C:/w/AGENTS.md")?;
//! assert_eq!(remote.read_file_text(&path, None).await?, "Be brief.");
//! # Ok(())
//! # }
//! ```
//!
//! # One call, one round trip
//!
//! The wire is the cost, so nothing on it is for show. The handshake leaves together with the
//! first calls; every call but the reading of large files is one request; requests are answered in
//! any order; whatever is ready at once is written with one flush. What several blocks need is
//! stated at [`RemoteFileSystem`], and tests count it.
//!
//! # What survives the wire
//!
//! The *kind* of an error does: the server sends it by name, and from a server that does not the
//! client reads it off the system's error number. *Names* do, whatever bytes they hold. A *lost
//! connection* is made again for whoever waits, and reads go on as if nothing had happened; a
//! write that was sent is never sent twice. One file too large for a message takes no other call
//! with it.
//!
//! # What is here
//!
//! | module or item | what it is |
//! |---|---|
//! | [`RemoteFileSystem`], [`ClientOptions`] | the client: a URL, a program to start, or two streams |
//! | [`EnvironmentDefinitions`] | what `environments.toml` says, and where each environment is |
//! | [`server`] | the server, its limits, who may come in, and confinement to some directories |
//!
//! # What it never does
//!
//! A failing remote never becomes a read of this host's own files. Neither end reads the process
//! environment: the host passes values in. The client caches nothing. A sandbox that restricts
//! anything is enforced by the server, where it says that it can, or is `Unsupported`; it is never
//! ignored. HTTP requests and watching, which the published server offers too, are out of scope,
//! and so are processes on our own server; with the feature `process` a client starts them on a
//! published one.

#[cfg(feature = "client")]
mod client;
mod codec;
#[cfg(feature = "server")]
mod confined;
#[cfg(feature = "client")]
mod definitions;
#[cfg(any(feature = "client", feature = "server"))]
mod error_map;
#[cfg(feature = "server")]
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that touches the host"
)]
mod local;
mod protocol;
#[cfg(feature = "server")]
pub mod server;
#[cfg(any(feature = "client", feature = "server"))]
mod transport;

#[cfg(feature = "client")]
pub use client::{
    ClientOptions, ClientStatistics, ConnectError, RemoteCallError, RemoteFileSystem, SecretString,
    ServerInfo,
};
#[cfg(feature = "process")]
pub use client::{ProcessOutput, RemoteCommand, RemoteProcess};
pub use codex_file_system::ExecutorFileSystem;
#[cfg(feature = "client")]
pub use definitions::{
    DefinitionError, DefinitionFault, EnvironmentDefinition, EnvironmentDefinitions,
    InvalidDestination, Target, TextPosition, docker_command, kubectl_command, ssh_command,
};
pub use protocol::Shell;
#[cfg(feature = "server")]
pub use server::{ConfinedFileSystem, EnvironmentInfo, Server, ServerOptions};

// What only both ends may know is tested from the inside, on the same tables as they are.
#[cfg(test)]
#[path = "../tests/unit/messages.rs"]
mod messages;
