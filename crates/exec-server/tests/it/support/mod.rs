//! What the tests share: the other end of a client's pipe, and a small server on a socket.

mod file_server;
mod peer;

pub(crate) use file_server::{Cut, FileServer};
pub(crate) use peer::{Peer, client, greeted_client, path};

/// The bytes as they travel.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    use base64::Engine as _;

    base64::prelude::BASE64_STANDARD.encode(bytes)
}
