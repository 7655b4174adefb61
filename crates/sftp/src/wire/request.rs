//! What is asked.

use bytes::{BufMut, Bytes, BytesMut};

use super::attributes::PERMISSIONS;
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
pub(crate) fn init() -> Frame {
    let mut head = Head::new(kind::INIT);
    head.0.put_u32(VERSION);
    head.finish(Bytes::new())
}

impl Request<'_> {
    /// The message, under this id.
    pub(crate) fn encode(&self, id: u32) -> Frame {
        let of_path = |kind, path| Head::of(kind, id).text(path);
        let head = match *self {
            Request::OpenToRead { path } => of_path(kind::OPEN, path).number(READ).nothing_set(),
            Request::OpenToWrite { path } => of_path(kind::OPEN, path)
                .number(WRITE_CREATE_TRUNCATE)
                .nothing_set(),
            Request::Close { handle } => of_path(kind::CLOSE, handle),
            Request::Read {
                handle,
                offset,
                length,
            } => of_path(kind::READ, handle).long(offset).number(length),
            Request::Write {
                handle,
                offset,
                ref data,
            } => {
                let head = of_path(kind::WRITE, handle).long(offset);
                return head.length(data).finish(data.clone());
            }
            Request::LinkStat { path } => of_path(kind::LSTAT, path),
            Request::Stat { path } => of_path(kind::STAT, path),
            Request::SetMode { path, mode } => of_path(kind::SETSTAT, path).mode(mode),
            Request::SetOpenMode { handle, mode } => of_path(kind::FSETSTAT, handle).mode(mode),
            Request::OpenDirectory { path } => of_path(kind::OPENDIR, path),
            Request::ReadDirectory { handle } => of_path(kind::READDIR, handle),
            Request::Remove { path } => of_path(kind::REMOVE, path),
            Request::MakeDirectory { path } => of_path(kind::MKDIR, path).nothing_set(),
            Request::RemoveDirectory { path } => of_path(kind::RMDIR, path),
            Request::RealPath { path } => of_path(kind::REALPATH, path),
            Request::ReadLink { path } => of_path(kind::READLINK, path),
            // The draft has the link first. OpenSSH sends the target first, and servers do as
            // OpenSSH does.
            Request::MakeLink { target, link } => of_path(kind::SYMLINK, target).text(link),
            Request::Limits => of_path(kind::EXTENDED, LIMITS_EXTENSION),
        };
        head.finish(Bytes::new())
    }

    /// Whether a successful answer is a handle, which has to be given back.
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
}

/// A message under construction, with room for its length.
struct Head(BytesMut);

impl Head {
    fn new(kind: u8) -> Self {
        let mut head = BytesMut::with_capacity(64);
        head.put_u32(0);
        head.put_u8(kind);
        Self(head)
    }

    fn of(kind: u8, id: u32) -> Self {
        Self::new(kind).number(id)
    }

    fn number(mut self, value: u32) -> Self {
        self.0.put_u32(value);
        self
    }

    fn long(mut self, value: u64) -> Self {
        self.0.put_u64(value);
        self
    }

    /// The length of a byte string. Paths and handles are bounded where they come from, so none is
    /// longer than a message may be.
    fn length(self, text: &[u8]) -> Self {
        self.number(u32::try_from(text.len()).unwrap_or(u32::MAX))
    }

    fn text(mut self, text: &[u8]) -> Self {
        self = self.length(text);
        self.0.put_slice(text);
        self
    }

    /// Attributes that set nothing.
    fn nothing_set(self) -> Self {
        self.number(0)
    }

    /// Attributes that set the permission bits.
    fn mode(self, mode: u32) -> Self {
        self.number(PERMISSIONS).number(mode)
    }

    /// Fills in the length of a message that ends with `body`.
    fn finish(mut self, body: Bytes) -> Frame {
        const LENGTH: usize = size_of::<u32>();
        let length = self.0.len() - LENGTH + body.len();
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        if let Some(start) = self.0.get_mut(..LENGTH) {
            start.copy_from_slice(&length.to_be_bytes());
        }
        Frame {
            head: self.0.freeze(),
            body,
        }
    }
}
