//! What the tests share: the other end of a client's pipe, and a small server of its own.

mod peer;

pub(crate) use peer::{Peer, client, greeted_client, path};
