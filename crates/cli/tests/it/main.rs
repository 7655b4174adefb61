//! The command as a person or a script runs it: the real binary, in a sandbox of its own.
//!
//! Every run has a hermetic environment (no variable is inherited, the machine's configuration
//! files are those of the sandbox) and fresh directories. Whole outputs are compared. Trees with
//! links, modes and odd names, and terminals, need a Unix host.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests fail by panicking, and their trees are on the host"
)]

mod pseudo_terminal;
mod sandbox;

mod arrows;
mod authentication;
mod cases;
mod check;
mod completions;
mod config;
mod cost;
mod distance;
mod documentation;
mod environment;
mod environments;
mod failures;
mod from_codex_rs;
mod host;
mod hostile;
mod house;
mod instructions;
mod plugins;
mod reach;
mod root;
mod serve;
mod server;
mod show;
mod skills;
mod startup;
mod terminal;
mod tls;
mod trace;
mod uri;
