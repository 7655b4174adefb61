//! The connection: messages out and in, answers matched by id, the program behind the pipes, and
//! what happens when it all ends.

mod child;
mod dial;
mod handle;
mod handshake;
mod lane;
mod link;
mod pending;
mod session;
mod streams;

pub(crate) use handle::OpenHandle;
pub(crate) use lane::Lane;
pub(crate) use link::{Link, Source};
pub(crate) use session::Answer;
