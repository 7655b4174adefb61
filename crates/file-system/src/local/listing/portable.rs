//! A listing as the standard library gives it.

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
