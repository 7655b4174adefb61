//! The filesystem of another machine over JSON-RPC, on WebSocket or pipes: both ends.

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "client")]
mod definitions;
pub mod envelope;
#[cfg(any(feature = "client", feature = "server"))]
mod error_map;
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
