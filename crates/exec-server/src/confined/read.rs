//! The reading calls, and what a directory records of its entries.
//!
//! A directory that may be read need not be one that may be searched, so it is opened by its name
//! and read through that one handle.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _};

use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};
use cap_std::time::SystemTime;
use codex_file_system::{
    FileKind, FileMetadata, FilePrefix, MAX_READ_FILE_BYTES, ReadDirectoryEntry,
};
use codex_path_uri::{FileName, PathUri};

use super::resolve::{Directory, Found, LastLink};
use super::roots::{Roots, Seen, metadata_above};

pub(super) fn metadata(roots: &Roots, path: &PathUri) -> io::Result<FileMetadata> {
    let (root, names) = match roots.place_to_read(path)? {
        Seen::Inside(root, names) => (root, names),
        Seen::Above => return Ok(metadata_above()),
    };
    let found = Directory::root(root).find(names.into_iter(), LastLink::Follow)?;
    Ok(described(&found.metadata?, found.is_link))
}

pub(super) fn file(roots: &Roots, path: &PathUri) -> io::Result<Vec<u8>> {
    let (file, metadata) = opened(roots, path)?;
    let mut bytes = Vec::with_capacity(capacity(metadata.len()));
    // The file may grow meanwhile, and some report no length at all.
    file.take(MAX_READ_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_READ_FILE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

pub(super) fn prefix(roots: &Roots, path: &PathUri, max_bytes: u64) -> io::Result<FilePrefix> {
    let (file, metadata) = opened(roots, path)?;
    let mut bytes = Vec::with_capacity(capacity(metadata.len().min(max_bytes)));
    // One byte more tells whether this is all, whatever the reported length was.
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 <= max_bytes {
        let size = bytes.len() as u64;
        return Ok(FilePrefix::new(bytes, true).with_size(Some(size)));
    }
    bytes.pop();
    let size = Some(metadata.len()).filter(|size| *size > max_bytes);
    Ok(FilePrefix::new(bytes, false).with_size(size))
}

pub(super) fn directory(roots: &Roots, path: &PathUri) -> io::Result<Vec<ReadDirectoryEntry>> {
    let (root, names) = match roots.place_to_read(path)? {
        Seen::Inside(root, names) => (root, names),
        Seen::Above => return Ok(roots.way(path)),
    };
    let found = Directory::root(root).find(names.into_iter(), LastLink::Follow)?;
    let (directory, entries) = found.into_listing()?;
    let entries = entries.into_iter();
    let mut listing: Vec<_> = entries
        .filter_map(|(name, recorded)| listed(&directory, name, recorded))
        .collect();
    listing.sort_unstable_by(|one, other| one.file_name.cmp(&other.file_name));
    Ok(listing)
}

pub(super) fn canonical(roots: &Roots, path: &PathUri) -> io::Result<PathUri> {
    let (root, names) = match roots.place_to_read(path)? {
        Seen::Inside(root, names) => (root, names),
        Seen::Above => return Ok(path.clone()),
    };
    let found = Directory::root(root).find(names.into_iter(), LastLink::Follow)?;
    let canonical = found.canonical();
    found.metadata?;
    canonical
}

pub(super) fn opened(roots: &Roots, path: &PathUri) -> io::Result<(File, Metadata)> {
    let (root, names) = match roots.place_to_read(path)? {
        Seen::Inside(root, names) => (root, names),
        Seen::Above => return Err(io::ErrorKind::IsADirectory.into()),
    };
    let found = Directory::root(root).find(names.into_iter(), LastLink::Follow)?;
    let (file, metadata) = regular_file(found, OpenOptions::new().read(true))?;
    if metadata.len() > MAX_READ_FILE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok((file, metadata))
}

/// Opens a regular file, or one that is to be created. What is there decides before it is opened,
/// and again afterwards.
pub(super) fn regular_file(
    found: Found<'_>,
    options: &mut OpenOptions,
) -> io::Result<(File, Metadata)> {
    // What is missing may be created by the opening; the host knows whether it is.
    if let Ok(metadata) = &found.metadata {
        check_regular(metadata.file_type())?;
    }
    let Some(name) = &found.name else {
        return Err(io::ErrorKind::IsADirectory.into());
    };
    open_regular(found.parent.handle(), name, options)
}

pub(super) fn open_regular(
    directory: &Dir,
    name: &OsStr,
    options: &mut OpenOptions,
) -> io::Result<(File, Metadata)> {
    without_waiting(options);
    let file = directory.open_with(name, options)?;
    let metadata = file.metadata()?;
    check_regular(metadata.file_type())?;
    Ok((file, metadata))
}

pub(super) fn check_regular(file_type: FileType) -> io::Result<()> {
    match kind(file_type) {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(io::ErrorKind::IsADirectory.into()),
        FileKind::Other | FileKind::BrokenLink => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        )),
    }
}

/// A FIFO that took the name of a file is opened without waiting for its other end.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt as _;
    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn without_waiting(_options: &mut OpenOptions) {}

/// Room for the whole file and for the read that finds its end.
fn capacity(length: u64) -> usize {
    usize::try_from(length).map_or(0, |length| length.saturating_add(1))
}

/// An entry of a listing. A link is followed to its target; one that leads nowhere, or out of its
/// root, says so. Others tell their kind.
fn listed(
    directory: &Directory<'_>,
    name: OsString,
    recorded: Recorded,
) -> Option<ReadDirectoryEntry> {
    let file_name = FileName::from_host(&name).ok()?;
    if let Recorded::Kind(kind) = recorded {
        return Some(ReadDirectoryEntry::new(file_name, kind).with_is_symlink(Some(false)));
    }
    let found = directory.clone().find([name].into_iter(), LastLink::Follow);
    let found = found.and_then(|found| Ok((found.metadata?, found.is_link)));
    let (kind, is_symlink) = match found {
        Ok((target, is_link)) => (kind(target.file_type()), Some(is_link)),
        Err(_) if recorded == Recorded::Link => (FileKind::BrokenLink, Some(true)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        // The host records no kinds and does not let this one be asked for.
        Err(_) => (FileKind::Other, None),
    };
    Some(ReadDirectoryEntry::new(file_name, kind).with_is_symlink(is_symlink))
}

fn described(target: &Metadata, is_symlink: bool) -> FileMetadata {
    let kind = kind(target.file_type());
    FileMetadata::new(kind)
        .with_is_symlink(Some(is_symlink))
        .with_size((kind == FileKind::File).then_some(target.len()))
        .with_times(
            target.created().ok().map(SystemTime::into_std),
            target.modified().ok().map(SystemTime::into_std),
        )
}

pub(super) fn kind(file_type: FileType) -> FileKind {
    if file_type.is_file() {
        FileKind::File
    } else if file_type.is_dir() {
        FileKind::Directory
    } else {
        FileKind::Other
    }
}

/// What a directory records of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recorded {
    Link,
    Kind(FileKind),
    Unknown,
}

/// Reads the directory of this name in `parent`; `parent` itself, if there is none.
#[cfg(unix)]
pub(super) fn recorded(
    parent: &Dir,
    name: Option<&OsStr>,
) -> io::Result<Vec<(OsString, Recorded)>> {
    use std::os::unix::ffi::OsStrExt as _;

    use cap_std::fs::OpenOptionsExt as _;
    use rustix::fs::{FileType as Recorder, OFlags};

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
        let kind = match entry.file_type() {
            Recorder::Symlink => Recorded::Link,
            Recorder::RegularFile => Recorded::Kind(FileKind::File),
            Recorder::Directory => Recorded::Kind(FileKind::Directory),
            Recorder::Unknown => Recorded::Unknown,
            _ => Recorded::Kind(FileKind::Other),
        };
        entries.push((name.to_owned(), kind));
    }
    Ok(entries)
}

/// Reads the directory of this name in `parent`; `parent` itself, if there is none.
#[cfg(not(unix))]
pub(super) fn recorded(
    parent: &Dir,
    name: Option<&OsStr>,
) -> io::Result<Vec<(OsString, Recorded)>> {
    let listing = match name {
        Some(name) => parent.read_dir(name)?,
        None => parent.entries()?,
    };
    let described = |entry: cap_std::fs::DirEntry| match entry.file_type() {
        Ok(own) if own.is_symlink() => Recorded::Link,
        Ok(own) => Recorded::Kind(kind(own)),
        Err(_) => Recorded::Unknown,
    };
    listing
        .map(|entry| entry.map(|entry| (entry.file_name(), described(entry))))
        .collect()
}
