//! The filesystem of another machine over JSON-RPC, on WebSocket or pipes: both ends.

pub mod envelope;
#[cfg(any(feature = "client", feature = "server"))]
mod error_map;
pub mod protocol;
#[cfg(any(feature = "client", feature = "server"))]
mod stdio;
#[cfg(feature = "websocket")]
mod websocket;

#[cfg(feature = "server")]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the one place that touches the host"
)]
mod local;
#[cfg(feature = "server")]
pub mod server;
