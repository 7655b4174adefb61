//! Behaviour of `codex-agents-md` through its public API.
//!
//! `case_file` reads the shared case table, `cases` and its neighbours run it; the other modules
//! state one area of rules each. Everything runs on the in-memory filesystem unless a name says
//! otherwise, and time is tokio's paused clock.
//!
//! The user's own files are on the host, so tests that have some on a POSIX tree need a Unix host.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests fail by panicking")]

mod assembly;
mod bad_input;
mod case_file;
mod case_run;
#[cfg(unix)]
mod cases_in_memory;
mod cases_on_disk;
mod cost;
mod environments;
mod errors;
mod events;
mod findings;
mod in_flight;
mod listings;
mod reads;
mod recorder;
mod report;
mod scripted;
mod serial_model;
mod support;
#[cfg(unix)]
mod user_level;
mod windows;
