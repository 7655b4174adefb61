//! The behaviour of the crate, through its public API, on filesystems in memory and on disk.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod cases;
mod laws;
mod model;
mod round_trips;
mod support;
mod threats;
