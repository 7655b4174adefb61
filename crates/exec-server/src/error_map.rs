//! How an error crosses the wire without losing its kind.
//!
//! Our server sends the kind by name and the system's number beside it. From a server that sends
//! neither, the kind is read off the number at the end of the message, else off the code. Nothing
//! else in a message is ever interpreted.

#[cfg(feature = "client")]
mod incoming;
#[cfg(feature = "client")]
mod numbers;
#[cfg(feature = "server")]
mod outgoing;

#[cfg(feature = "client")]
pub(crate) use incoming::{kind_of, kind_of_walk_error};
#[cfg(feature = "client")]
pub(crate) use numbers::Platform;
#[cfg(feature = "server")]
pub(crate) use outgoing::{Access, refusal, to_wire};
