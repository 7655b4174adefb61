//! The wrappers.

mod context;
mod counting;
mod latency;
mod limit;
mod observed;
mod timeout;
