//! Behaviour of the crate through its public API.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests of the local filesystem look behind it"
)]

mod environment;
mod error;
mod find_up;
#[cfg(unix)]
mod local;
mod lookahead;
#[cfg(unix)]
mod process;
mod sandbox;
mod support;
mod walk;
mod wrap;
