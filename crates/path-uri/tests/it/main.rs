//! Behaviour of the crate through its public interface.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod cases;
mod checks;
mod devices;
mod fallbacks;
mod home;
mod laws;
mod strategies;
mod types;
