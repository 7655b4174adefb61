//! How messages travel: one a line on pipes, one a WebSocket message, or through a child process.

#[cfg(feature = "client")]
pub(crate) mod process;
pub(crate) mod stdio;
#[cfg(feature = "websocket")]
pub(crate) mod websocket;
