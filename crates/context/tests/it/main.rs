//! Tests of the public API.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod layout;
mod load;
mod machines;
mod model;
#[cfg(feature = "exec-server")]
mod over_the_wire;
mod refresh;
mod schedule;
mod separate;
mod strict;
mod support;
