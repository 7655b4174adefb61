//! `read_file` and `read_file_prefix`: an open, reads in a window, a close nobody waits for.
//!
//! How many reads a file needs is known from its size. A hint gives it, else a stat. For a prefix
//! the stat is waited for: of a path that nothing is known of, only what is a regular file is
//! opened, as opening a FIFO blocks the server. For a whole file the stat goes out together with
//! the open, which costs no round trip; where it turns out that a FIFO is being opened, the
//! connection is given up.

use std::io;

use codex_file_system::{FilePrefix, MAX_READ_FILE_BYTES};
use futures::future::join;

use super::{Operation, kind_of, not_a_file, refused_file};
use crate::attempt::{Attempt, attributes};
use crate::error::Failure;
use crate::path::ServerPath;
use crate::rpc::{Answer, OpenHandle};
use crate::wire::{Attributes, FileType, Request};

mod window;

use window::ReadWindow;

/// The beginning of a file, or all of it.
pub(crate) struct Read {
    pub(crate) path: ServerPath,
    pub(crate) extent: Extent,
}

/// How much of a file is wanted.
#[derive(Clone, Copy)]
pub(crate) enum Extent {
    /// All of it, or an error.
    Whole,
    /// At most so many bytes of a file that may have this size.
    Prefix {
        max_bytes: u64,
        size_hint: Option<u64>,
    },
}

impl Operation for Read {
    type Output = FilePrefix;

    async fn run(&self, attempt: &Attempt<'_>) -> Result<FilePrefix, Failure> {
        let path = attempt.path(&self.path)?;
        match self.extent {
            Extent::Whole => {
                let bytes = whole(attempt, path, None).await?;
                let size = bytes.len() as u64;
                Ok(FilePrefix::new(bytes, true).with_size(Some(size)))
            }
            Extent::Prefix {
                max_bytes,
                size_hint,
            } => prefix(attempt, path, max_bytes, size_hint).await,
        }
    }
}

/// Reads a whole file, whose size a hint may tell.
///
/// # Errors
/// `FileTooLarge` for a file above the limit of the contract.
pub(super) async fn whole(
    attempt: &Attempt<'_>,
    path: &[u8],
    size_hint: Option<u64>,
) -> Result<Vec<u8>, Failure> {
    let _turn = attempt.turn().await?;
    let (file, size) = if may_be_opened(attempt, path, size_hint) {
        let open = attempt.send(&Request::OpenToRead { path });
        let file = open.handle().await;
        (decided(attempt, path, file).await?, size_hint)
    } else if attempt.shared.special_files.contains(path) {
        open_regular(attempt, path).await?
    } else {
        open_examined(attempt, path, async {
            attempt.send(&Request::OpenToRead { path }).handle().await
        })
        .await?
    };
    if size.is_some_and(|size| size > MAX_READ_FILE_BYTES) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let window = ReadWindow::new(attempt, &file, MAX_READ_FILE_BYTES, size);
    let (bytes, is_complete) = decided(attempt, path, window.run().await).await?;
    if is_complete {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::FileTooLarge.into())
    }
}

/// Reads the beginning of a file of any size; asks for one byte more than is wanted at most.
async fn prefix(
    attempt: &Attempt<'_>,
    path: &[u8],
    max_bytes: u64,
    size_hint: Option<u64>,
) -> Result<FilePrefix, Failure> {
    let _turn = attempt.turn().await?;
    let is_known = may_be_opened(attempt, path, size_hint);
    let (file, size) = if is_known {
        let open = attempt.send(&Request::OpenToRead { path });
        let file = open.handle().await;
        (decided(attempt, path, file).await?, size_hint)
    } else {
        open_regular(attempt, path).await?
    };
    let limit = max_bytes.min(MAX_READ_FILE_BYTES);
    let window = ReadWindow::new(attempt, &file, limit, size);
    let (bytes, is_complete) = decided(attempt, path, window.run().await).await?;
    let size = match is_complete {
        true => Some(bytes.len() as u64),
        false => size.filter(|_| !is_known),
    };
    Ok(FilePrefix::new(bytes, is_complete).with_size(size))
}

/// Whether a hint says that the path is a regular file. One that is believed to be empty may as
/// well be something else.
fn may_be_opened(attempt: &Attempt<'_>, path: &[u8], size_hint: Option<u64>) -> bool {
    size_hint.is_some_and(|size| size > 0) && !attempt.shared.special_files.contains(path)
}

/// Opens a path once it is known to be a regular file, and tells its size.
async fn open_regular<'s>(
    attempt: &'s Attempt<'_>,
    path: &[u8],
) -> Result<(OpenHandle<'s>, Option<u64>), Failure> {
    let target = regular(attempt, path, attempt.stat(path).await?)?;
    let open = attempt.send(&Request::OpenToRead { path });
    Ok((open.handle().await?, target.size))
}

/// Opens a file and has its target examined on the way.
pub(super) async fn open_examined<'s>(
    attempt: &'s Attempt<'_>,
    path: &[u8],
    open: impl Future<Output = Result<OpenHandle<'s>, Failure>>,
) -> Result<(OpenHandle<'s>, Option<u64>), Failure> {
    let stat = attempt.send(&Request::Stat { path });
    let (target, file) = join(examined(attempt, path, stat), open).await;
    let target = target?;
    Ok((file?, target.and_then(|target| target.size)))
}

/// What a stat says of a file; nothing if it was refused, as the open will tell why.
async fn examined(
    attempt: &Attempt<'_>,
    path: &[u8],
    stat: Answer<'_>,
) -> Result<Option<Attributes>, Failure> {
    let target = match attributes(stat).await {
        Ok(target) => target,
        Err(Failure::Refused(_)) => return Ok(None),
        Err(failure) => return Err(failure),
    };
    if target.file_type() == Some(FileType::Fifo) {
        // The open may wait for ever, and every other call with it.
        attempt.abandon();
    }
    regular(attempt, path, target).map(Some)
}

/// Lets attributes pass that are those of a file.
fn regular(attempt: &Attempt<'_>, path: &[u8], target: Attributes) -> Result<Attributes, Failure> {
    let kind = kind_of(&target)?;
    attempt.shared.special_files.note(path, kind);
    match not_a_file(kind) {
        Some(failure) => Err(failure),
        None => Ok(target),
    }
}

/// The answer, or why the file was refused.
async fn decided<T>(
    attempt: &Attempt<'_>,
    path: &[u8],
    answer: Result<T, Failure>,
) -> Result<T, Failure> {
    match answer {
        Ok(answer) => Ok(answer),
        Err(refusal) => Err(refused_file(attempt, path, refusal).await),
    }
}
