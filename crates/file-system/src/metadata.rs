//! What a metadata call, a listing and a bounded read return.
//!
//! The flags of [`FileMetadata`] are derived from its kind when it is built, so they agree with
//! it. `None` means "this filesystem cannot say at no extra cost", never a guess. Nothing here
//! holds a path: the caller knows what it asked for.

use std::time::{SystemTime, UNIX_EPOCH};

use codex_path_uri::FileName;

/// The kind of a file, after following links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A FIFO, socket, device or anything else that is neither.
    Other,
    /// In a listing: a link whose target is missing, loops or may not be reached. Every loader counts it
    /// as absent and tells it. `get_metadata` never answers it.
    BrokenLink,
}

/// What [`get_metadata`](crate::ExecutorFileSystem::get_metadata) tells of a path.
///
/// # Examples
/// ```
/// use codex_file_system::{FileKind, FileMetadata};
///
/// let metadata = FileMetadata::new(FileKind::File).with_size(Some(9));
/// assert!(metadata.is_file && !metadata.is_directory);
/// assert_eq!(metadata.is_symlink, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileMetadata {
    /// The kind of the target, links followed.
    pub kind: FileKind,
    /// Whether `kind` is [`FileKind::File`].
    pub is_file: bool,
    /// Whether `kind` is [`FileKind::Directory`].
    pub is_directory: bool,
    /// Whether the last component of the path asked for is itself a link.
    pub is_symlink: Option<bool>,
    /// Length of the target in bytes.
    pub size: Option<u64>,
    /// Creation time of the target, in milliseconds since the Unix epoch.
    pub created_at_ms: Option<i64>,
    /// Last modification of the target, in milliseconds since the Unix epoch.
    pub modified_at_ms: Option<i64>,
}

impl FileMetadata {
    /// Metadata of a file of this kind about which nothing else is known.
    pub fn new(kind: FileKind) -> Self {
        Self {
            kind,
            is_file: kind == FileKind::File,
            is_directory: kind == FileKind::Directory,
            is_symlink: None,
            size: None,
            created_at_ms: None,
            modified_at_ms: None,
        }
    }

    /// Sets whether the last component is a link.
    #[must_use]
    pub fn with_is_symlink(mut self, is_symlink: Option<bool>) -> Self {
        self.is_symlink = is_symlink;
        self
    }

    /// Sets the length in bytes.
    #[must_use]
    pub fn with_size(mut self, size: Option<u64>) -> Self {
        self.size = size;
        self
    }

    /// Sets both times as a host tells them. One that no number of milliseconds says is unknown.
    #[must_use]
    pub fn with_times(self, created: Option<SystemTime>, modified: Option<SystemTime>) -> Self {
        self.with_created_at_ms(created.and_then(milliseconds))
            .with_modified_at_ms(modified.and_then(milliseconds))
    }

    /// Sets the creation time in milliseconds since the Unix epoch.
    #[must_use]
    pub fn with_created_at_ms(mut self, created_at_ms: Option<i64>) -> Self {
        self.created_at_ms = created_at_ms;
        self
    }

    /// Sets the modification time in milliseconds since the Unix epoch.
    #[must_use]
    pub fn with_modified_at_ms(mut self, modified_at_ms: Option<i64>) -> Self {
        self.modified_at_ms = modified_at_ms;
        self
    }
}

/// Milliseconds since the Unix epoch, towards it.
fn milliseconds(time: SystemTime) -> Option<i64> {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).ok(),
        Err(before) => i64::try_from(before.duration().as_millis())
            .ok()
            .map(|before| -before),
    }
}

/// One entry of a directory listing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadDirectoryEntry {
    /// The name, lossless; joining it to the directory reaches the entry.
    pub file_name: FileName,
    /// The kind of the target, links followed.
    pub kind: FileKind,
    /// Whether the entry itself is a link.
    pub is_symlink: Option<bool>,
}

impl ReadDirectoryEntry {
    /// An entry of this name and kind of which it is not known whether it is a link.
    pub fn new(file_name: FileName, kind: FileKind) -> Self {
        Self {
            file_name,
            kind,
            is_symlink: None,
        }
    }

    /// Sets whether the entry itself is a link.
    #[must_use]
    pub fn with_is_symlink(mut self, is_symlink: Option<bool>) -> Self {
        self.is_symlink = is_symlink;
        self
    }

    /// Whether the target is a regular file.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.kind == FileKind::File
    }

    /// Whether the target is a directory.
    #[must_use]
    pub fn is_directory(&self) -> bool {
        self.kind == FileKind::Directory
    }
}

/// The beginning of a file, as a bounded read returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FilePrefix {
    /// At most as many bytes as were asked for, from the start of the file.
    pub bytes: Vec<u8>,
    /// Length of the whole file in bytes.
    pub size: Option<u64>,
    /// Whether `bytes` is the whole file.
    pub is_complete: bool,
}

impl FilePrefix {
    /// A prefix of a file whose whole length is not known.
    pub fn new(bytes: Vec<u8>, is_complete: bool) -> Self {
        Self {
            bytes,
            size: None,
            is_complete,
        }
    }

    /// Sets the length of the whole file in bytes.
    #[must_use]
    pub fn with_size(mut self, size: Option<u64>) -> Self {
        self.size = size;
        self
    }
}
