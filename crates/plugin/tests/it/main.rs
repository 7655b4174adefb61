//! The behaviour of the crate, through its public API, on filesystems in memory and on disk.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod agent_plugins;
mod cases;
mod diagnostics;
mod errors;
mod finder;
mod foreign_roots;
mod guide;
mod installed;
mod json_layer;
mod layout;
mod manifest_fields;
mod mcp;
mod names;
mod path_rule;
mod properties;
mod provider;
mod resources;
mod round_trips;
mod selected_roots;
mod sources;
mod support;
mod threats;
