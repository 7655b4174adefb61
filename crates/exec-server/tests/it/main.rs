//! Behaviour of both ends through the public API.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests look at what a process leaves behind"
)]

mod cases;
mod client;
mod definitions;
#[cfg(feature = "server")]
mod memory;
#[cfg(all(unix, feature = "local"))]
#[expect(clippy::expect_used, reason = "tests fail by panicking")]
mod server;
mod support;
