//! What the tests share: the other end of a client's pipe, and a small server on a socket.

mod file_server;
mod peer;

pub(crate) use file_server::{Cut, FileServer};
pub(crate) use peer::{Peer, client, greeted_client, path};
