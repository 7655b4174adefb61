//! Files of any filesystem behind handles, read by their beginnings.
//!
//! A filesystem of which nothing is known but the trait gives the first bytes of a file, and a
//! block in the middle costs everything in front of it. So what follows a block is read with it:
//! as much again as was read before, up to [`MAX_AHEAD`]. A file that is read from its beginning to
//! its end is thereby read about three times in all until it is as long as that, and past it once
//! for each `MAX_AHEAD`, instead of once for each block.
//!
//! What is read ahead is kept until it was asked for, at most [`MAX_KEPT`] of it in the whole
//! server. A handle that finds no room reads each block by itself.

use std::io;
use std::sync::Arc;

use codex_file_system::ExecutorFileSystem;
use codex_path_uri::PathUri;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

use super::handles::{FileFuture, OpenFile, OpenFiles, not_opened_for_this};
use crate::protocol::{OpenMode, push_base64};

/// Most bytes that are read ahead of one block.
const MAX_AHEAD: u64 = 16 * 1024 * 1024;
/// Most bytes that all handles of a server keep.
const MAX_KEPT: usize = 64 * 1024 * 1024;

/// Opens files of any filesystem to be read.
pub(super) struct ByPrefix {
    filesystem: Arc<dyn ExecutorFileSystem>,
    room: Arc<Semaphore>,
}

impl ByPrefix {
    pub(super) fn new(filesystem: Arc<dyn ExecutorFileSystem>) -> Self {
        Self {
            filesystem,
            room: Arc::new(Semaphore::new(MAX_KEPT)),
        }
    }
}

impl OpenFiles for ByPrefix {
    fn open<'a>(&'a self, path: &'a PathUri, mode: OpenMode) -> FileFuture<'a, Arc<dyn OpenFile>> {
        Box::pin(async move {
            if mode == OpenMode::Replace {
                let message = "files of this filesystem cannot be opened to be replaced";
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
            // Nothing is read, and whatever keeps the file from being read is told.
            self.filesystem
                .read_file_prefix(path, 0, None, None)
                .await?;
            let file: Arc<dyn OpenFile> = Arc::new(Prefixed {
                filesystem: Arc::clone(&self.filesystem),
                path: path.clone(),
                room: Arc::clone(&self.room),
                ahead: Mutex::default(),
            });
            Ok(file)
        })
    }
}

struct Prefixed {
    filesystem: Arc<dyn ExecutorFileSystem>,
    path: PathUri,
    room: Arc<Semaphore>,
    /// Blocks of one file that are asked for at once wait for each other, since the first one
    /// reads what the others want.
    ahead: Mutex<Option<Ahead>>,
}

/// Some bytes of a file that were read ahead.
struct Ahead {
    start: u64,
    bytes: Vec<u8>,
    /// Whether the file ends with them.
    is_end: bool,
    _room: OwnedSemaphorePermit,
}

impl Ahead {
    /// A block, if all of it is here.
    fn block(&self, offset: u64, len: usize) -> Option<Vec<u8>> {
        let start = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        let end = start.checked_add(len)?;
        if end > self.bytes.len() && !self.is_end {
            return None;
        }
        let end = end.min(self.bytes.len());
        Some(self.bytes.get(start..end).unwrap_or_default().to_vec())
    }

    /// Whether a block begins in front of these bytes.
    fn is_past(&self, offset: u64) -> bool {
        offset < self.start
    }
}

impl Prefixed {
    /// The bytes of a block, and as many of those behind it as the prefix of this length has; and
    /// whether the file ends with them.
    async fn read(&self, offset: u64, end: u64) -> io::Result<(Vec<u8>, bool)> {
        let prefix = self
            .filesystem
            .read_file_prefix(&self.path, end, Some(end), None)
            .await?;
        let mut bytes = prefix.bytes;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        // A vector of its own, so that what is kept does not keep what is in front of it.
        let wanted = bytes.split_off(start.min(bytes.len()));
        Ok((wanted, prefix.is_complete))
    }

    async fn block(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let end = offset.saturating_add(len as u64);
        let mut ahead = self.ahead.lock().await;
        if let Some(block) = ahead.as_ref().and_then(|ahead| ahead.block(offset, len)) {
            return Ok(block);
        }
        if ahead.as_ref().is_some_and(|ahead| ahead.is_past(offset)) {
            // A straggler must not cost those that follow what was read for them.
            drop(ahead);
            return Ok(self.read(offset, end).await?.0);
        }
        *ahead = None;
        let more = usize::try_from(offset.min(MAX_AHEAD)).unwrap_or(0);
        let room = u32::try_from(len.saturating_add(more)).ok();
        let room = room.and_then(|room| Arc::clone(&self.room).try_acquire_many_owned(room).ok());
        let more = room.as_ref().map_or(0, |_| more as u64);
        let (bytes, is_end) = self.read(offset, end.saturating_add(more)).await?;
        let block = bytes.get(..len).unwrap_or(&bytes).to_vec();
        *ahead = room.filter(|_| bytes.len() > len).map(|room| Ahead {
            start: offset,
            bytes,
            is_end,
            _room: room,
        });
        Ok(block)
    }
}

impl OpenFile for Prefixed {
    fn read_at(
        &self,
        offset: u64,
        len: usize,
        mut text: String,
    ) -> FileFuture<'_, (String, usize)> {
        Box::pin(async move {
            let block = self.block(offset, len).await?;
            push_base64(&block, &mut text);
            Ok((text, block.len()))
        })
    }

    fn write_at(&self, _offset: u64, _bytes: Vec<u8>) -> FileFuture<'_, ()> {
        Box::pin(async { Err(not_opened_for_this()) })
    }
}
