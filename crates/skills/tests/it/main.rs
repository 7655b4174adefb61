//! The behaviour of the crate, through its public API, on filesystems in memory and on disk.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod budget;
mod cases;
mod frontmatter;
mod guide;
mod laws;
mod mentions;
mod model;
mod obstacles;
mod reading;
mod roots;
mod round_trips;
mod rules;
mod sentences;
mod sidecar;
mod support;
mod threats;
mod wording;
