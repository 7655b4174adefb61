//! Behaviour of the crate through its public interface.

#![expect(clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod cases;
