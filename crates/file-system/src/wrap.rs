//! Wrappers: filesystems that add one property to another filesystem.
//!
//! | wrapper | adds |
//! |---|---|
//! | [`Context`] | operation, path and environment in every error, and one trace event per call |
//! | [`Counting`] | counts of calls, of calls in flight and of bytes read |
//! | [`Latency`] | the delay of a distant machine, on any clock |
//! | [`Limit`] | at most n calls at once, first come first served |
//! | [`Observed`] | somebody who watches every call begin and end |
//! | [`Timeout`] | an end to waiting |
//!
//! They nest in any order over any [`ExecutorFileSystem`](crate::ExecutorFileSystem), owned,
//! borrowed or shared; another is one function, in [`call`](crate::call). Each forwards provided
//! methods to the inner override, passes the sandbox on, holds no lock over an await and spawns
//! nothing. None changes a result, retries or caches.

mod context;
mod counting;
mod latency;
#[cfg(feature = "local")]
mod limit;
mod observed;
mod timeout;

pub use crate::call::CallKind;
pub use context::Context;
pub use counting::{Calls, Counting};
pub use latency::{Latency, Timer};
#[cfg(feature = "local")]
pub use limit::{Limit, LimitHandle};
pub use observed::{CallEnd, Observed, Observer};
pub use timeout::Timeout;
