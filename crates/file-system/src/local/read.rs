//! The reading calls, but for listings.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use codex_path_uri::PathUri;

use super::sandbox::{Need, authorize};
use super::{Sandbox, host_path};
use crate::{FileKind, FileMetadata, FilePrefix, MAX_READ_FILE_BYTES};

/// Longest file, in bytes, for which room is filled with zeros so that one read can do.
const SHORT_FILE: u64 = 64 * 1024;

pub(super) fn metadata(path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<FileMetadata> {
    let path = host_path(path)?;
    authorize(sandbox, &[Need::read(&path)])?;
    let own = fs::symlink_metadata(&path)?;
    if !own.is_symlink() {
        return Ok(described(&own, false));
    }
    Ok(described(&fs::metadata(&path)?, true))
}

pub(super) fn file(path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<Vec<u8>> {
    let (file, metadata) = opened(path, sandbox)?;
    if metadata.len() > MAX_READ_FILE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let bytes = read_at_most(MAX_READ_FILE_BYTES + 1, file, metadata.len())?;
    if bytes.len() as u64 > MAX_READ_FILE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

pub(super) fn prefix(
    path: &PathUri,
    max_bytes: u64,
    sandbox: Sandbox<'_>,
) -> io::Result<FilePrefix> {
    let (file, metadata) = opened(path, sandbox)?;
    // One byte more tells whether this is all, whatever the reported length was.
    let mut bytes = read_at_most(max_bytes.saturating_add(1), file, metadata.len())?;
    let is_complete = bytes.len() as u64 <= max_bytes;
    if is_complete {
        let size = bytes.len() as u64;
        return Ok(FilePrefix::new(bytes, true).with_size(Some(size)));
    }
    bytes.pop();
    let size = Some(metadata.len()).filter(|size| *size > max_bytes);
    Ok(FilePrefix::new(bytes, false).with_size(size))
}

pub(super) fn canonical(path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<PathUri> {
    let path = host_path(path)?;
    authorize(sandbox, &[Need::read(&path)])?;
    PathUri::from_host_native_path(fs::canonicalize(&path)?)
}

fn opened(path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<(File, Metadata)> {
    let path = host_path(path)?;
    authorize(sandbox, &[Need::read(&path)])?;
    regular_file(&path, OpenOptions::new().read(true))
}

/// The first `limit` bytes of a file that reports this length.
///
/// The file may grow meanwhile, and some report no length at all, so the length is a hint. A short
/// file that is as long as it says takes one read: a read that stops there with room left has found
/// the end.
fn read_at_most(limit: u64, mut file: File, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if (1..=SHORT_FILE.min(limit.saturating_sub(1))).contains(&length) {
        bytes.resize(capacity(length), 0);
        let read = match file.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            read => read?,
        };
        bytes.truncate(read);
        if read as u64 == length {
            return Ok(bytes);
        }
    } else {
        bytes.reserve(capacity(length.min(limit)));
    }
    let left = limit.saturating_sub(bytes.len() as u64);
    file.take(left).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Room for the whole file and for the read that finds its end.
fn capacity(length: u64) -> usize {
    usize::try_from(length).map_or(0, |length| length.saturating_add(1))
}

fn described(target: &Metadata, is_symlink: bool) -> FileMetadata {
    let kind = kind(target.file_type());
    FileMetadata::new(kind)
        .with_is_symlink(Some(is_symlink))
        .with_size((kind == FileKind::File).then_some(target.len()))
        .with_times(target.created().ok(), target.modified().ok())
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

/// Opens a regular file.
pub(super) fn regular_file(path: &Path, options: &mut OpenOptions) -> io::Result<(File, Metadata)> {
    without_waiting(options);
    let file = options
        .open(path)
        .map_err(|error| classified_again(path, error))?;
    let metadata = file.metadata()?;
    check_regular(&metadata)?;
    Ok((file, metadata))
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn without_waiting(_options: &mut OpenOptions) {}

fn check_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(io::ErrorKind::IsADirectory.into())
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// What is there decides before what the attempt to open it said: a directory that may not be
/// read is a directory, a socket is no regular file. Where the two agree, the error of the host
/// stays, as it carries a number.
fn classified_again(path: &Path, error: io::Error) -> io::Error {
    let found = fs::metadata(path).and_then(|metadata| check_regular(&metadata));
    match found {
        Err(found) if found.kind() != error.kind() && found.raw_os_error().is_none() => found,
        _ => error,
    }
}
