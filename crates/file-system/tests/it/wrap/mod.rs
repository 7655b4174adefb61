//! The wrappers.

mod allocations;
mod context;
mod counting;
mod latency;
mod limit;
mod refusing;
mod timeout;
