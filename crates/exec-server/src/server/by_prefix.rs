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
use tokio::sync::Mutex;

use super::budget::{Budget, Share};
use super::handles::{FileFuture, OpenFile, OpenFiles, not_opened_for_this};
use crate::protocol::{OpenMode, push_base64};

/// Most bytes that are read ahead of one block.
const MAX_AHEAD: u64 = 16 * 1024 * 1024;
/// Most bytes that all handles of a server keep.
const MAX_KEPT: u32 = 64 * 1024 * 1024;
/// Most bytes that all handles of a server have read to get at their blocks; a longer beginning of a
/// file is read alone.
const MAX_READ: u32 = 64 * 1024 * 1024;

/// Opens files of any filesystem to be read.
pub(super) struct ByPrefix {
    filesystem: Arc<dyn ExecutorFileSystem>,
    kept: Budget,
    read: Budget,
}

impl ByPrefix {
    pub(super) fn new(filesystem: Arc<dyn ExecutorFileSystem>) -> Self {
        Self {
            filesystem,
            kept: Budget::new(MAX_KEPT),
            read: Budget::new(MAX_READ),
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
                kept: self.kept.clone(),
                read: self.read.clone(),
                ahead: Mutex::default(),
            });
            Ok(file)
        })
    }
}

struct Prefixed {
    filesystem: Arc<dyn ExecutorFileSystem>,
    path: PathUri,
    kept: Budget,
    read: Budget,
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
    _kept: Share,
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
            .read_file_prefix(&self.path, end, Some(end), None);
        let (prefix, _share) = self.read.in_turn(end, prefix).await;
        let prefix = prefix?;
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
        let more = offset.min(MAX_AHEAD);
        let kept = self.kept.take((len as u64).saturating_add(more));
        let more = kept.as_ref().map_or(0, |_| more);
        let (bytes, is_end) = self.read(offset, end.saturating_add(more)).await?;
        let block = bytes.get(..len).unwrap_or(&bytes).to_vec();
        *ahead = kept.filter(|_| bytes.len() > len).map(|kept| Ahead {
            start: offset,
            bytes,
            is_end,
            _kept: kept,
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
