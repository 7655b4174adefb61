//! Behaviour of the configuration crate through its public API, on filesystems in memory.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod base_layers;
mod cases;
mod fallback_names;
mod hostile;
mod keys;
mod lookup;
mod markers;
mod merge;
mod messages;
mod overrides;
mod positions;
mod project_layers;
mod project_root;
mod round_trips;
mod stack;
mod support;
mod tree;
mod trust;
mod trust_policy;
mod values;
