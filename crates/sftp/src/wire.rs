//! The messages of SFTP version 3: what a request looks like on the wire, and what an answer says.
//!
//! Paths, names, handles and data are byte strings, since a server may choose any. What is decoded
//! was bounded before it came here, and nothing in it is trusted: a message that ends early is
//! [`Malformed`], never a panic.

mod attributes;
mod reply;
mod request;

use bytes::{Buf, Bytes};

pub(crate) use attributes::{Attributes, FileType};
pub(crate) use reply::{Limits, Name, Reply, Version, code};
pub(crate) use request::{Frame, Request, init};

/// Name of the extension that tells how much one message may hold.
pub(crate) const LIMITS_EXTENSION: &[u8] = b"limits@openssh.com";

/// Longest message that is accepted, in bytes. Servers stay below 256 KiB.
pub(crate) const MAX_MESSAGE: usize = 1024 * 1024;

/// What a message needs besides the bytes of a file that it carries, generously.
pub(crate) const MESSAGE_OVERHEAD: usize = 1024;

/// The version spoken here.
pub(crate) const VERSION: u32 = 3;

/// A message that does not hold what its type promises.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed message: {0}")]
pub(crate) struct Malformed(&'static str);

const TOO_SHORT: Malformed = Malformed("it ends early");

/// Takes a byte string off the front, without copying it.
fn take_text(body: &mut Bytes) -> Result<Bytes, Malformed> {
    let length = take_u32(body)?;
    match usize::try_from(length) {
        Ok(length) if length <= body.len() => Ok(body.split_to(length)),
        _ => Err(Malformed("a string is longer than its message")),
    }
}

fn take_u8(body: &mut Bytes) -> Result<u8, Malformed> {
    body.try_get_u8().map_err(|_| TOO_SHORT)
}

fn take_u32(body: &mut Bytes) -> Result<u32, Malformed> {
    body.try_get_u32().map_err(|_| TOO_SHORT)
}

fn take_u64(body: &mut Bytes) -> Result<u64, Malformed> {
    body.try_get_u64().map_err(|_| TOO_SHORT)
}

/// Types of messages.
mod kind {
    pub(super) const INIT: u8 = 1;
    pub(super) const VERSION: u8 = 2;
    pub(super) const OPEN: u8 = 3;
    pub(super) const CLOSE: u8 = 4;
    pub(super) const READ: u8 = 5;
    pub(super) const WRITE: u8 = 6;
    pub(super) const LSTAT: u8 = 7;
    pub(super) const SETSTAT: u8 = 9;
    pub(super) const FSETSTAT: u8 = 10;
    pub(super) const OPENDIR: u8 = 11;
    pub(super) const READDIR: u8 = 12;
    pub(super) const REMOVE: u8 = 13;
    pub(super) const MKDIR: u8 = 14;
    pub(super) const RMDIR: u8 = 15;
    pub(super) const REALPATH: u8 = 16;
    pub(super) const STAT: u8 = 17;
    pub(super) const READLINK: u8 = 19;
    pub(super) const SYMLINK: u8 = 20;
    pub(super) const STATUS: u8 = 101;
    pub(super) const HANDLE: u8 = 102;
    pub(super) const DATA: u8 = 103;
    pub(super) const NAME: u8 = 104;
    pub(super) const ATTRS: u8 = 105;
    pub(super) const EXTENDED: u8 = 200;
    pub(super) const EXTENDED_REPLY: u8 = 201;
}
