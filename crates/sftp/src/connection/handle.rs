//! Something open on the server, given back when nobody needs it any more.

use bytes::Bytes;

use super::session::Session;
use crate::failure::Failure;
use crate::wire::{Reply, Request};

/// An open file or directory. Dropping it sends a close that nobody waits for.
pub(crate) struct OpenHandle<'s> {
    session: &'s Session,
    handle: Bytes,
    is_open: bool,
}

impl<'s> OpenHandle<'s> {
    /// Takes the handle out of the answer of an open.
    pub(crate) fn new(session: &'s Session, reply: Reply) -> Result<Self, Failure> {
        match reply {
            Reply::Handle(handle) => Ok(Self {
                session,
                handle,
                is_open: true,
            }),
            _ => Err(Failure::protocol("open", "no handle")),
        }
    }

    /// What the server calls it.
    pub(crate) fn name(&self) -> &Bytes {
        &self.handle
    }

    /// Marks it as given back, by a close that is waited for.
    pub(crate) fn into_name(mut self) -> Bytes {
        self.is_open = false;
        std::mem::take(&mut self.handle)
    }
}

impl Drop for OpenHandle<'_> {
    fn drop(&mut self) {
        if self.is_open {
            let handle = &self.handle;
            self.session.post(&Request::Close { handle });
        }
    }
}
