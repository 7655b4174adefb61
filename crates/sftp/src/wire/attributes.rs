//! What a server says of a file. Every part may be missing.

use bytes::Bytes;
use codex_file_system::FileKind;

use super::{Malformed, take_text, take_u32, take_u64};

const SIZE: u32 = 0x1;
const OWNER: u32 = 0x2;
pub(super) const PERMISSIONS: u32 = 0x4;
const TIMES: u32 = 0x8;
const EXTENDED: u32 = 0x8000_0000;

/// The bits of `permissions` that tell the type of a file.
const TYPE_MASK: u32 = 0o170_000;
/// The bits of `permissions` that can be set.
const MODE_MASK: u32 = 0o7777;

/// Attributes of a file, as far as they are used here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    /// Length in bytes.
    pub(crate) size: Option<u64>,
    /// Type and permission bits as POSIX has them.
    pub(crate) permissions: Option<u32>,
    /// Last modification in seconds since the Unix epoch.
    pub(crate) modified: Option<u32>,
}

/// The type of a file, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileType {
    File,
    Directory,
    Link,
    Fifo,
    Other,
}

impl FileType {
    /// The kind of the file, unless it is a link.
    pub(crate) fn kind(self) -> Option<FileKind> {
        match self {
            FileType::File => Some(FileKind::File),
            FileType::Directory => Some(FileKind::Directory),
            FileType::Fifo | FileType::Other => Some(FileKind::Other),
            FileType::Link => None,
        }
    }
}

impl Attributes {
    /// The type, if the server tells permissions at all.
    pub(crate) fn file_type(&self) -> Option<FileType> {
        self.permissions.map(|bits| match bits & TYPE_MASK {
            0o100_000 => FileType::File,
            0o040_000 => FileType::Directory,
            0o120_000 => FileType::Link,
            0o010_000 => FileType::Fifo,
            _ => FileType::Other,
        })
    }

    /// The kind of the file that the attributes of a target describe.
    pub(crate) fn kind(&self) -> Result<FileKind, Malformed> {
        match self.file_type().map(FileType::kind) {
            // A server that follows links tells of none.
            Some(kind) => Ok(kind.unwrap_or(FileKind::Other)),
            None => Err(Malformed("the type of the file is missing")),
        }
    }

    /// The permission bits alone.
    pub(crate) fn mode(&self) -> Option<u32> {
        self.permissions.map(|bits| bits & MODE_MASK)
    }

    /// Takes attributes off the front of a message.
    pub(super) fn take(body: &mut Bytes) -> Result<Self, Malformed> {
        let flags = take_u32(body)?;
        let mut attributes = Self::default();
        if flags & SIZE != 0 {
            attributes.size = Some(take_u64(body)?);
        }
        if flags & OWNER != 0 {
            take_u64(body)?;
        }
        if flags & PERMISSIONS != 0 {
            attributes.permissions = Some(take_u32(body)?);
        }
        if flags & TIMES != 0 {
            take_u32(body)?;
            attributes.modified = Some(take_u32(body)?);
        }
        if flags & EXTENDED != 0 {
            // They are not used, yet what follows them must be found.
            for _ in 0..take_u32(body)? {
                take_text(body)?;
                take_text(body)?;
            }
        }
        Ok(attributes)
    }
}
