//! Behaviour of the crate through its public API.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod environment;
mod error;
mod find_up;
mod support;
mod walk;
mod wrap;
