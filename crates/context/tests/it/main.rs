//! Tests of the public API.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop at what they do not expect")]

mod load;
mod schedule;
mod support;
