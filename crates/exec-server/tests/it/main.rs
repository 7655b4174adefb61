//! Behaviour of both ends through the public API.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod client;
#[cfg(unix)]
mod server;
mod support;
