//! What is asked.

use bytes::{BufMut, Bytes, BytesMut};

use super::attributes::setting;
use super::primitive::{Malformed, Text, encoded};
use super::{LIMITS_EXTENSION, VERSION, kind};

/// Flags of an open for reading.
const READ: u32 = 0x1;
/// Flags of an open that creates a file or empties it.
const WRITE_CREATE_TRUNCATE: u32 = 0x2 | 0x8 | 0x10;

/// A request. Paths are the server's own spelling, handles are what it gave out.
#[derive(Clone, Debug)]
pub(crate) enum Request<'a> {
    /// Opens a file for reading.
    OpenToRead { path: &'a [u8] },
    /// Opens a file for writing, emptied or created.
    OpenToWrite { path: &'a [u8] },
    /// Gives a handle back.
    Close { handle: &'a [u8] },
    /// Reads at most so many bytes.
    Read {
        handle: &'a [u8],
        offset: u64,
        length: u32,
    },
    /// Writes bytes.
    Write {
        handle: &'a [u8],
        offset: u64,
        data: Bytes,
    },
    /// Attributes, links not followed.
    LinkStat { path: &'a [u8] },
    /// Attributes of the target.
    Stat { path: &'a [u8] },
    /// Sets the permission bits of a path.
    SetMode { path: &'a [u8], mode: u32 },
    /// Sets the permission bits of an open file.
    SetOpenMode { handle: &'a [u8], mode: u32 },
    /// Opens a directory.
    OpenDirectory { path: &'a [u8] },
    /// The next names of an open directory.
    ReadDirectory { handle: &'a [u8] },
    /// Removes what is no directory.
    Remove { path: &'a [u8] },
    /// Creates a directory.
    MakeDirectory { path: &'a [u8] },
    /// Removes an empty directory.
    RemoveDirectory { path: &'a [u8] },
    /// The path without links.
    RealPath { path: &'a [u8] },
    /// Where a link leads.
    ReadLink { path: &'a [u8] },
    /// Creates a link.
    MakeLink { target: &'a [u8], link: &'a [u8] },
    /// How much one message may hold.
    Limits,
}

/// An encoded message: its beginning, and the bytes of a file it may end with, not copied.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) head: Bytes,
    pub(crate) body: Bytes,
}

/// The first message of a connection.
pub(crate) fn init() -> Result<Frame, Malformed> {
    frame(kind::INIT, &encoded(&VERSION)?, Bytes::new())
}

impl Request<'_> {
    /// The message, under this id.
    pub(crate) fn encode(&self, id: u32) -> Result<Frame, Malformed> {
        let (kind, head) = self.parts(id)?;
        let body = match self {
            Request::Write { data, .. } => data.clone(),
            _ => Bytes::new(),
        };
        frame(kind, &head, body)
    }

    /// Whether a successful answer is a handle, which somebody has to give back.
    pub(crate) fn opens(&self) -> bool {
        matches!(
            self,
            Request::OpenToRead { .. }
                | Request::OpenToWrite { .. }
                | Request::OpenDirectory { .. }
        )
    }

    /// The name of the request in the protocol.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Request::OpenToRead { .. } | Request::OpenToWrite { .. } => "open",
            Request::Close { .. } => "close",
            Request::Read { .. } => "read",
            Request::Write { .. } => "write",
            Request::LinkStat { .. } => "lstat",
            Request::Stat { .. } => "stat",
            Request::SetMode { .. } => "setstat",
            Request::SetOpenMode { .. } => "fsetstat",
            Request::OpenDirectory { .. } => "opendir",
            Request::ReadDirectory { .. } => "readdir",
            Request::Remove { .. } => "remove",
            Request::MakeDirectory { .. } => "mkdir",
            Request::RemoveDirectory { .. } => "rmdir",
            Request::RealPath { .. } => "realpath",
            Request::ReadLink { .. } => "readlink",
            Request::MakeLink { .. } => "symlink",
            Request::Limits => "limits@openssh.com",
        }
    }

    /// Type and encoded beginning.
    fn parts(&self, id: u32) -> Result<(u8, Bytes), Malformed> {
        let nothing = setting(None);
        let of_path = |kind, path: &[u8]| Ok((kind, encoded(&(id, Text(path)))?));
        match *self {
            Request::OpenToRead { path } => {
                let head = encoded(&(id, Text(path), READ, nothing))?;
                Ok((kind::OPEN, head))
            }
            Request::OpenToWrite { path } => {
                let head = encoded(&(id, Text(path), WRITE_CREATE_TRUNCATE, nothing))?;
                Ok((kind::OPEN, head))
            }
            Request::Close { handle } => of_path(kind::CLOSE, handle),
            Request::Read {
                handle,
                offset,
                length,
            } => Ok((kind::READ, encoded(&(id, Text(handle), offset, length))?)),
            Request::Write {
                handle,
                offset,
                ref data,
            } => {
                let length = u32::try_from(data.len()).map_err(Malformed::new)?;
                Ok((kind::WRITE, encoded(&(id, Text(handle), offset, length))?))
            }
            Request::LinkStat { path } => of_path(kind::LSTAT, path),
            Request::Stat { path } => of_path(kind::STAT, path),
            Request::SetMode { path, mode } => {
                let head = encoded(&(id, Text(path), setting(Some(mode))))?;
                Ok((kind::SETSTAT, head))
            }
            Request::SetOpenMode { handle, mode } => {
                let head = encoded(&(id, Text(handle), setting(Some(mode))))?;
                Ok((kind::FSETSTAT, head))
            }
            Request::OpenDirectory { path } => of_path(kind::OPENDIR, path),
            Request::ReadDirectory { handle } => of_path(kind::READDIR, handle),
            Request::Remove { path } => of_path(kind::REMOVE, path),
            Request::MakeDirectory { path } => {
                Ok((kind::MKDIR, encoded(&(id, Text(path), nothing))?))
            }
            Request::RemoveDirectory { path } => of_path(kind::RMDIR, path),
            Request::RealPath { path } => of_path(kind::REALPATH, path),
            Request::ReadLink { path } => of_path(kind::READLINK, path),
            // The draft has the link first. OpenSSH sends the target first, and servers do as
            // OpenSSH does.
            Request::MakeLink { target, link } => {
                Ok((kind::SYMLINK, encoded(&(id, Text(target), Text(link)))?))
            }
            Request::Limits => of_path(kind::EXTENDED, LIMITS_EXTENSION),
        }
    }
}

/// Puts length and type before a message whose last `body` bytes follow `head`.
fn frame(kind: u8, head: &[u8], body: Bytes) -> Result<Frame, Malformed> {
    let length = 1 + head.len() + body.len();
    let mut whole = BytesMut::with_capacity(5 + head.len());
    whole.put_u32(u32::try_from(length).map_err(Malformed::new)?);
    whole.put_u8(kind);
    whole.put_slice(head);
    Ok(Frame {
        head: whole.freeze(),
        body,
    })
}
