//! Tests of the public API.

mod load;
mod support;
