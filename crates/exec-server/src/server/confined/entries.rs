//! The entries of one directory, as it records them.
//!
//! A directory that may be read need not be one that may be searched, so it is opened by its name
//! and read through that one handle.

use std::ffi::{OsStr, OsString};
use std::io;

use cap_std::fs::Dir;
use codex_file_system::FileKind;

/// What a directory records of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
    Link,
    Kind(FileKind),
    Unknown,
}

/// Reads the directory of this name in `parent`; `parent` itself, if there is none.
#[cfg(unix)]
pub(super) fn read(parent: &Dir, name: Option<&OsStr>) -> io::Result<Vec<(OsString, Recorded)>> {
    use std::os::unix::ffi::OsStrExt as _;

    use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
    use rustix::fs::{FileType, OFlags};

    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(OFlags::DIRECTORY.bits().cast_signed());
    let directory = parent.open_with(name.unwrap_or(OsStr::new(".")), &options)?;
    let mut entries = Vec::new();
    for entry in rustix::fs::Dir::new(directory)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let recorded = match entry.file_type() {
            FileType::Symlink => Recorded::Link,
            FileType::RegularFile => Recorded::Kind(FileKind::File),
            FileType::Directory => Recorded::Kind(FileKind::Directory),
            FileType::Unknown => Recorded::Unknown,
            _ => Recorded::Kind(FileKind::Other),
        };
        entries.push((name.to_owned(), recorded));
    }
    Ok(entries)
}

/// Reads the directory of this name in `parent`; `parent` itself, if there is none.
#[cfg(not(unix))]
pub(super) fn read(parent: &Dir, name: Option<&OsStr>) -> io::Result<Vec<(OsString, Recorded)>> {
    let listing = match name {
        Some(name) => parent.read_dir(name)?,
        None => parent.entries()?,
    };
    let recorded = |entry: cap_std::fs::DirEntry| match entry.file_type() {
        Ok(own) if own.is_symlink() => Recorded::Link,
        Ok(own) => Recorded::Kind(super::read::kind(own)),
        Err(_) => Recorded::Unknown,
    };
    listing
        .map(|entry| entry.map(|entry| (entry.file_name(), recorded(entry))))
        .collect()
}
