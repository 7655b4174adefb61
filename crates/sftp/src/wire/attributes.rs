//! What a server says of a file. Every part may be missing.

use bytes::Bytes;
use codex_file_system::FileKind;

use super::primitive::{Malformed, take, take_text};

const SIZE: u32 = 0x1;
const OWNER: u32 = 0x2;
const PERMISSIONS: u32 = 0x4;
const TIMES: u32 = 0x8;
const EXTENDED: u32 = 0x8000_0000;

/// The bits of `permissions` that tell the type of a file.
const TYPE_MASK: u32 = 0o170_000;
/// The bits of `permissions` that can be set.
const MODE_MASK: u32 = 0o7777;

/// Attributes of a file, as far as anybody here asks.
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

    /// The permission bits alone.
    pub(crate) fn mode(&self) -> Option<u32> {
        self.permissions.map(|bits| bits & MODE_MASK)
    }

    /// Takes attributes off the front of a message.
    pub(super) fn take(body: &mut Bytes) -> Result<Self, Malformed> {
        let flags = take::<u32>(body)?;
        let mut attributes = Self::default();
        if flags & SIZE != 0 {
            attributes.size = Some(take(body)?);
        }
        if flags & OWNER != 0 {
            take::<u64>(body)?;
        }
        if flags & PERMISSIONS != 0 {
            attributes.permissions = Some(take(body)?);
        }
        if flags & TIMES != 0 {
            take::<u32>(body)?;
            attributes.modified = Some(take(body)?);
        }
        if flags & EXTENDED != 0 {
            // Nobody reads them, yet what comes behind them must be found.
            for _ in 0..take::<u32>(body)? {
                take_text(body)?;
                take_text(body)?;
            }
        }
        Ok(attributes)
    }
}

/// Flags and value that set nothing, or the permission bits alone.
pub(super) fn setting(mode: Option<u32>) -> Setting {
    match mode {
        None => Setting::Nothing(0),
        Some(mode) => Setting::Mode(PERMISSIONS, mode),
    }
}

/// Attributes as a request carries them.
#[derive(serde::Serialize)]
#[serde(untagged)]
pub(super) enum Setting {
    /// The flags.
    Nothing(u32),
    /// The flags and the permission bits.
    Mode(u32, u32),
}
