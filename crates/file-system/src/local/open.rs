//! Opening files without waiting for anybody, and saying why it failed.
//!
//! A FIFO is opened without blocking and then recognized by its handle. What the host says of a
//! path that is no regular file differs between hosts and kinds of file, so a failure is judged
//! again by what is there.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file.
pub(super) fn regular_file(path: &Path, options: &mut OpenOptions) -> io::Result<(File, Metadata)> {
    without_waiting(options);
    let file = options
        .open(path)
        .map_err(|error| judged_again(path, error))?;
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
fn judged_again(path: &Path, error: io::Error) -> io::Error {
    let judged = fs::metadata(path).and_then(|metadata| check_regular(&metadata));
    match judged {
        Err(judged) if judged.kind() != error.kind() && judged.raw_os_error().is_none() => judged,
        _ => error,
    }
}
