//! `read_file` and `read_file_prefix`: an open, reads in a window, a close nobody waits for.
//!
//! How many reads a file needs is known from its size. A hint gives it; without one, a stat goes
//! out together with the open, which costs a request and no round trip. The stat also tells what
//! is no file at all. A path that may be a FIFO is asked about first: opening it could block the
//! server. Where the open is under way already when that turns out, the connection is given up.

use std::io;

use codex_file_system::{FilePrefix, MAX_READ_FILE_BYTES};
use futures::future::join;

use super::Operation;
use super::kinds::{kind_of, not_a_file, refused_file};
use super::read_window::{Extent, ReadWindow};
use crate::connection::{Answer, Lane, OpenHandle};
use crate::failure::Failure;
use crate::spelling::Spelling;
use crate::wire::{Attributes, FileType, Reply, Request};

/// The beginning of a file, or all of it.
pub(crate) struct Read {
    path: Spelling,
    max_bytes: u64,
    size_hint: Option<u64>,
    /// What has been read, also over a connection that was lost meanwhile.
    bytes: Vec<u8>,
}

impl Read {
    /// Reads a whole file.
    pub(crate) fn whole(path: Spelling) -> Self {
        Self::prefix(path, u64::MAX, None)
    }

    /// Reads at most so many bytes of a file that may have this size.
    pub(crate) fn prefix(path: Spelling, max_bytes: u64, size_hint: Option<u64>) -> Self {
        Self {
            path,
            max_bytes,
            size_hint,
            bytes: Vec::new(),
        }
    }
}

impl Operation for Read {
    type Output = FilePrefix;

    async fn run(&mut self, lane: &Lane<'_>) -> Result<FilePrefix, Failure> {
        let path = lane.path(&self.path)?;
        let goal = Goal {
            max_bytes: self.max_bytes,
            size_hint: self.size_hint,
        };
        let size = contents(lane, path, goal, &mut self.bytes).await?;
        let bytes = std::mem::take(&mut self.bytes);
        let is_complete = size.is_complete;
        Ok(FilePrefix::new(bytes, is_complete).with_size(size.size))
    }
}

/// How much is to be read.
#[derive(Clone, Copy)]
pub(super) struct Goal {
    pub(super) max_bytes: u64,
    pub(super) size_hint: Option<u64>,
}

/// How much there was.
pub(super) struct Size {
    pub(super) is_complete: bool,
    size: Option<u64>,
}

/// Reads on from where `bytes` ends.
///
/// # Errors
/// `FileTooLarge` for a file above the limit of the contract.
pub(super) async fn contents(
    lane: &Lane<'_>,
    path: &[u8],
    goal: Goal,
    bytes: &mut Vec<u8>,
) -> Result<Size, Failure> {
    let _turn = lane.turn().await?;
    let (file, known) = open(lane, path, goal.size_hint).await?;
    if known.is_some_and(|size| size > MAX_READ_FILE_BYTES) {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let extent = Extent {
        limit: goal.max_bytes.min(MAX_READ_FILE_BYTES),
        believed: known.or(goal.size_hint).unwrap_or(0),
    };
    let read = ReadWindow::new(lane, &file, extent, bytes).run().await;
    match read {
        Ok(true) => Ok(Size {
            is_complete: true,
            size: Some(bytes.len() as u64),
        }),
        Ok(false) if goal.max_bytes > MAX_READ_FILE_BYTES => {
            Err(io::ErrorKind::FileTooLarge.into())
        }
        Ok(false) => Ok(Size {
            is_complete: false,
            size: known,
        }),
        Err(failure) => Err(refused_file(lane, path, failure).await),
    }
}

/// Opens a file and tells its size, unless the hint is all that is known.
async fn open<'s>(
    lane: &'s Lane<'_>,
    path: &[u8],
    size_hint: Option<u64>,
) -> Result<(OpenHandle<'s>, Option<u64>), Failure> {
    let request = Request::OpenToRead { path };
    // A file that is believed to be empty may as well be none.
    let is_suspect = size_hint == Some(0) || lane.suspects().contains(path);
    if is_suspect {
        let target = attributes(lane.send(&Request::Stat { path })).await?;
        let target = regular(lane, path, target)?;
        let file = lane.opened(lane.send(&request)).await?;
        return Ok((file, target.and_then(|target| target.size)));
    }
    if size_hint.is_some_and(|size| size <= MAX_READ_FILE_BYTES) {
        return match lane.opened(lane.send(&request)).await {
            Ok(file) => Ok((file, None)),
            Err(refusal) => Err(refused_file(lane, path, refusal).await),
        };
    }
    let (file, target) = open_examined(lane, path, async { lane.send(&request).await }).await?;
    Ok((file, target.and_then(|target| target.size)))
}

/// Opens a file and has its target examined on the way.
pub(super) async fn open_examined<'s>(
    lane: &'s Lane<'_>,
    path: &[u8],
    open: impl Future<Output = Result<Reply, Failure>>,
) -> Result<(OpenHandle<'s>, Option<Attributes>), Failure> {
    let target = lane.send(&Request::Stat { path });
    let (target, file) = join(
        async {
            let target = attributes(target).await?;
            if target.is_some_and(|target| target.file_type() == Some(FileType::Fifo)) {
                // The open may wait for ever, and everybody else with it.
                lane.abandon();
            }
            regular(lane, path, target)
        },
        lane.opened(open),
    )
    .await;
    let target = target?;
    Ok((file?, target))
}

/// What a stat says of a file; nothing if it was refused, as the open will tell why.
async fn attributes(stat: Answer<'_>) -> Result<Option<Attributes>, Failure> {
    match stat.await {
        Ok(reply) => Lane::attributes(reply).map(Some),
        Err(Failure::Refused(_)) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Lets attributes pass unless they are those of something else than a file.
fn regular(
    lane: &Lane<'_>,
    path: &[u8],
    target: Option<Attributes>,
) -> Result<Option<Attributes>, Failure> {
    let kind = match target.map(|target| kind_of(&target)) {
        Some(Ok(kind)) => kind,
        Some(Err(_)) | None => return Ok(target),
    };
    lane.suspects().note(path, kind);
    match not_a_file(kind) {
        Some(failure) => Err(failure),
        None => Ok(target),
    }
}
