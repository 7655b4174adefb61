//! Tests of the testkit itself, through its public API.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod altered;
mod arb;
mod cases;
mod conformance;
mod contract;
mod faulty;
mod laws;
mod literal;
mod memory;
mod meter;
mod on_disk;
mod saboteurs;
mod sandbox;
mod support;
mod trace;
mod windows;
