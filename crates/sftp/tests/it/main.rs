//! Behaviour of `codex-sftp` through its public API, against a scripted server.
//!
//! Over in-process pipes time is tokio's paused clock and every request is counted. Where a
//! connection has to be made again, this binary is started as the server: see `program`. The same
//! filesystem against OpenSSH is in `tests/real`.

#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod cost;
mod errors;
mod fifo;
mod losses;
mod names;
mod peer;
mod program;
mod reads;
mod reconnect;
mod support;
mod writes;
