//! Listing a directory.
//!
//! Linux tells names and kinds together, without a question about the directory itself; elsewhere the
//! standard library asks.

use std::fs;
use std::io;

use codex_path_uri::PathUri;

use super::sandbox::{Need, authorize};
use super::{Sandbox, host_path};
use crate::ReadDirectoryEntry;

/// The entries, in the order of names.
pub(super) fn directory(
    path: &PathUri,
    sandbox: Sandbox<'_>,
) -> io::Result<Vec<ReadDirectoryEntry>> {
    let path = host_path(path)?;
    authorize(sandbox, &[Need::read(&path)])?;
    let mut listing = host::entries(&path).map_err(|error| match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_dir() && error.kind() != io::ErrorKind::NotADirectory => {
            io::ErrorKind::NotADirectory.into()
        }
        _ => error,
    })?;
    listing.sort_unstable_by(|one, other| one.file_name.cmp(&other.file_name));
    Ok(listing)
}

/// A listing in as few system calls as it takes: one open, the reads, one close, and one question for
/// each link and for each entry whose kind the filesystem does not record.
#[cfg(target_os = "linux")]
mod host {
    use std::io;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, BorrowedFd};
    use std::path::Path;

    use codex_path_uri::FileName;
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, RawDirEntry, open, statat};
    use rustix::io::{Errno, retry_on_intr};

    use crate::{FileKind, ReadDirectoryEntry};

    /// Room for the entries that one read gives, in bytes; what the C library takes as well.
    const BUFFER: usize = 32 * 1024;

    pub(super) fn entries(path: &Path) -> io::Result<Vec<ReadDirectoryEntry>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = retry_on_intr(|| open(path, flags, Mode::empty()))?;
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut entries = RawDir::new(directory.as_fd(), &mut buffer);
        let mut listing = Vec::new();
        while let Some(entry) = entries.next() {
            listing.extend(listed(directory.as_fd(), &entry?));
        }
        Ok(listing)
    }

    /// An entry that is there. A link is asked for its target, others tell their kind.
    fn listed(directory: BorrowedFd<'_>, entry: &RawDirEntry<'_>) -> Option<ReadDirectoryEntry> {
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            return None;
        }
        let file_name = FileName::from_posix_bytes(name.to_bytes().to_vec()).ok()?;
        let ask = |flags| {
            let stat = retry_on_intr(|| statat(directory, name, flags))?;
            Ok(FileType::from_raw_mode(stat.st_mode))
        };
        let own = match entry.file_type() {
            FileType::Unknown => ask(AtFlags::SYMLINK_NOFOLLOW),
            known => Ok(known),
        };
        let (kind, is_symlink) = match own {
            Ok(FileType::Symlink) => {
                let target = ask(AtFlags::empty());
                (target.map_or(FileKind::BrokenLink, kind), true)
            }
            Ok(own) => (kind(own), false),
            Err(Errno::NOENT) => return None,
            // The filesystem records no kinds and does not let this one be asked for.
            Err(_) => return Some(ReadDirectoryEntry::new(file_name, FileKind::Other)),
        };
        Some(ReadDirectoryEntry::new(file_name, kind).with_is_symlink(Some(is_symlink)))
    }

    fn kind(file_type: FileType) -> FileKind {
        match file_type {
            FileType::RegularFile => FileKind::File,
            FileType::Directory => FileKind::Directory,
            _ => FileKind::Other,
        }
    }
}

/// A listing as the standard library gives it.
#[cfg(not(target_os = "linux"))]
mod host {
    use std::fs::{self, DirEntry};
    use std::io;
    use std::path::Path;

    use codex_path_uri::FileName;

    use crate::local::read::kind;
    use crate::{FileKind, ReadDirectoryEntry};

    pub(super) fn entries(path: &Path) -> io::Result<Vec<ReadDirectoryEntry>> {
        let mut listing = Vec::new();
        for entry in fs::read_dir(path)? {
            listing.extend(listed(&entry?));
        }
        Ok(listing)
    }

    /// An entry that is there. A link is asked for its target, others tell their kind.
    fn listed(entry: &DirEntry) -> Option<ReadDirectoryEntry> {
        let file_name = FileName::from_host(&entry.file_name()).ok()?;
        let (kind, is_symlink) = match entry.file_type() {
            Ok(own) if own.is_symlink() => {
                let target = fs::metadata(entry.path());
                let kind = target.map_or(FileKind::BrokenLink, |target| kind(target.file_type()));
                (kind, true)
            }
            Ok(own) => (kind(own), false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            // The host records no kinds and does not let this one be asked for.
            Err(_) => return Some(ReadDirectoryEntry::new(file_name, FileKind::Other)),
        };
        Some(ReadDirectoryEntry::new(file_name, kind).with_is_symlink(Some(is_symlink)))
    }
}
