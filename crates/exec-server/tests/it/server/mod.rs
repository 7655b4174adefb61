//! The server as a client meets it.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

mod cases;
mod confined;
mod expect;
mod fixture;
mod hardening;
mod http;
mod stub;
mod wire;
