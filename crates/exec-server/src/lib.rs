//! The filesystem of another machine over JSON-RPC, on WebSocket or pipes: both ends.

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod definitions;
pub mod envelope;
#[cfg(any(feature = "client", feature = "server"))]
mod error_map;
#[cfg(feature = "server")]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the one place that touches the host"
)]
mod local;
pub mod protocol;
#[cfg(feature = "server")]
pub mod server;
#[cfg(any(feature = "client", feature = "server"))]
mod stdio;
#[cfg(feature = "websocket")]
mod websocket;

#[cfg(feature = "client")]
pub use client::{
    ClientOptions, ClientStatistics, ConnectError, RemoteCallError, RemoteFileSystem, SecretString,
    ServerInfo,
};
#[cfg(feature = "client")]
pub use definitions::{
    DefinitionError, DefinitionFault, EnvironmentDefinition, EnvironmentDefinitions,
    InvalidDestination, Target, docker_command, kubectl_command, ssh_command,
};
#[cfg(feature = "server")]
pub use server::{ConfinedFileSystem, EnvironmentInfo, Server, ServerOptions};
