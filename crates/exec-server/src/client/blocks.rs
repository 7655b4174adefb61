//! Reading a file through a handle, block by block.
//!
//! At most [`BLOCKS_IN_FLIGHT`] blocks are on the way at once. A handle goes with its connection:
//! after a loss the file is opened once more, and the blocks that are missing are read.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use codex_file_system::{FilePrefix, MAX_READ_FILE_BYTES};
use codex_path_uri::PathUri;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

use super::call::{Caller, ReplyTo};
use super::error::CallFailure;
use super::pending::{Epoch, Safety};
use super::shared::Shared;
use crate::protocol::{
    MAX_BLOCK_BYTES, OpenHandle, OpenHandleParams, ReadBlock, ReadBlockParams, SandboxParam,
};

/// Most blocks of one file on the way at once.
const BLOCKS_IN_FLIGHT: usize = 8;

/// How much of a file is wanted, and how long it is believed to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) max: u64,
    pub(super) expected: Option<u64>,
}

impl Extent {
    /// Where the first blocks end: one byte past what is wanted, if that costs no block more,
    /// tells whether the file ends there.
    fn first_goal(self) -> u64 {
        let wanted = self.expected.map_or(self.max, |size| size.min(self.max));
        if self.is_known_to_go_on() && wanted > 0 && wanted.is_multiple_of(MAX_BLOCK_BYTES) {
            wanted
        } else {
            wanted.saturating_add(1)
        }
    }

    /// Where the last blocks end, for a file that is longer than it was believed to be.
    fn last_goal(self) -> u64 {
        if self.is_known_to_go_on() {
            self.first_goal()
        } else {
            self.max.saturating_add(1)
        }
    }

    fn is_known_to_go_on(self) -> bool {
        self.expected.is_some_and(|size| size > self.max)
    }
}

/// An open file. Dropping it closes it, which nobody waits for.
struct OpenFile<'a> {
    shared: &'a Shared,
    handle: String,
    epoch: Epoch,
}

impl Drop for OpenFile<'_> {
    fn drop(&mut self) {
        self.shared.close_handle(&self.handle, self.epoch);
    }
}

async fn open<'a>(caller: &Caller<'a>, path: &PathUri) -> Result<OpenFile<'a>, CallFailure> {
    let handle = caller.shared.new_handle();
    let params = OpenHandleParams {
        handle_id: handle.as_str().into(),
        path: path.as_str().into(),
        mode: None,
        sandbox: SandboxParam::Unrestricted,
    };
    let reply = caller
        .call::<OpenHandle>(&params, Safety::Opens(handle.clone()))
        .await?;
    Ok(OpenFile {
        shared: caller.shared,
        handle,
        epoch: reply.epoch(),
    })
}

/// Why a file was not read through a handle.
pub(super) enum Unread {
    /// The server has no handles.
    NoHandles,
    Failed(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Unread::Failed(error)
    }
}

/// Reads the beginning of a file through a handle. `length` is asked beside the opening of the
/// file and gives its length, if it can be known.
pub(super) async fn read(
    caller: &Caller<'_>,
    path: &PathUri,
    max: u64,
    length: impl Future<Output = Option<u64>>,
) -> Result<FilePrefix, Unread> {
    let (opened, expected) = tokio::join!(open(caller, path), length);
    let mut file = opened.map_err(|failed| unopened(caller, failed))?;
    // A whole file may be this long and no longer; one byte more tells.
    let max = max.min(MAX_READ_FILE_BYTES);
    let extent = Extent { max, expected };
    if expected.is_some_and(|size| size > MAX_READ_FILE_BYTES) && max == MAX_READ_FILE_BYTES {
        return Ok(FilePrefix::new(Vec::new(), false));
    }
    let mut blocks = Blocks::default();
    let mut may_open_again = true;
    loop {
        match blocks.fill(caller, &file, extent).await {
            Ok(()) => return Ok(blocks.into_prefix(extent)),
            Err(failed) if failed.is_disconnected() && may_open_again => {
                may_open_again = false;
                drop(file);
                file = open(caller, path).await.map_err(io::Error::from)?;
            }
            Err(failed) => return Err(Unread::Failed(failed.into())),
        }
    }
}

fn unopened(caller: &Caller<'_>, failed: CallFailure) -> Unread {
    if caller.note_absence(&failed) {
        Unread::NoHandles
    } else {
        Unread::Failed(failed.into())
    }
}

/// A block that could not be read.
enum BlockFailure {
    Call(CallFailure),
    Shape(io::Error),
}

impl BlockFailure {
    /// Whether the connection was lost, and the handle with it.
    fn is_disconnected(&self) -> bool {
        match self {
            BlockFailure::Call(failed) => failed.is_disconnected(),
            BlockFailure::Shape(_) => false,
        }
    }
}

impl From<BlockFailure> for io::Error {
    fn from(failure: BlockFailure) -> Self {
        match failure {
            BlockFailure::Call(failed) => failed.into(),
            BlockFailure::Shape(error) => error,
        }
    }
}

/// What has been read of a file.
#[derive(Debug, Default)]
struct Blocks {
    /// Its beginning.
    bytes: Vec<u8>,
    /// What came before something in front of it, by offset.
    ahead: BTreeMap<u64, Vec<u8>>,
    /// Where the file ends, once a block came back short.
    end: Option<u64>,
}

/// A block as it came.
struct Block {
    offset: u64,
    len: u64,
    reply: ReplyTo<ReadBlock>,
}

impl Blocks {
    /// Reads what is missing.
    async fn fill(
        &mut self,
        caller: &Caller<'_>,
        file: &OpenFile<'_>,
        extent: Extent,
    ) -> Result<(), BlockFailure> {
        let (first, last) = (extent.first_goal(), extent.last_goal());
        self.fill_range(caller, file, 0..first).await?;
        if self.end.is_none() {
            self.fill_range(caller, file, first..last).await?;
        }
        Ok(())
    }

    /// Reads the missing blocks of a range, those behind a known end excepted.
    async fn fill_range(
        &mut self,
        caller: &Caller<'_>,
        file: &OpenFile<'_>,
        range: Range<u64>,
    ) -> Result<(), BlockFailure> {
        let mut next = range.start;
        let mut on_the_way = FuturesUnordered::new();
        let mut failure = None;
        loop {
            while failure.is_none() && on_the_way.len() < BLOCKS_IN_FLIGHT {
                let end = self.end.map_or(range.end, |end| end.min(range.end));
                if next >= end {
                    break;
                }
                let len = (range.end - next).min(MAX_BLOCK_BYTES);
                if next >= self.length() && !self.ahead.contains_key(&next) {
                    on_the_way.push(read_block(caller, file, next, len));
                }
                next += len;
            }
            match on_the_way.next().await {
                Some(Ok(block)) => {
                    let added = self.add(caller, &block);
                    failure = failure.or(added.err().map(BlockFailure::Shape));
                }
                Some(Err(failed)) => failure = failure.or(Some(failed)),
                None => return failure.map_or(Ok(()), Err),
            }
        }
    }

    /// Adds a block. One that is next is decoded into its place.
    fn add(&mut self, caller: &Caller<'_>, block: &Block) -> io::Result<()> {
        let mut apart = Vec::new();
        let is_next = block.offset == self.length();
        let bytes = if is_next { &mut self.bytes } else { &mut apart };
        let before = bytes.len();
        let length = block.reply.append_content(caller, block.len, bytes)?;
        if length > block.len {
            bytes.truncate(before);
            let message = "the block is longer than was asked for";
            return Err(caller.misshapen::<ReadBlock>(message));
        }
        if length < block.len {
            let end = block.offset + length;
            self.end = Some(self.end.map_or(end, |known| known.min(end)));
        }
        if is_next {
            self.add_what_follows();
        } else {
            self.ahead.insert(block.offset, apart);
        }
        Ok(())
    }

    /// Adds what came ahead of a block that is there by now. What was there past a short block is
    /// no part of the file that ended with it.
    fn add_what_follows(&mut self) {
        while self.end.is_none_or(|end| self.length() < end)
            && let Some(bytes) = self.ahead.remove(&self.length())
        {
            self.bytes.extend_from_slice(&bytes);
        }
    }

    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn into_prefix(self, extent: Extent) -> FilePrefix {
        let mut bytes = self.bytes;
        let is_whole = self.end.is_some() && bytes.len() as u64 <= extent.max;
        bytes.truncate(usize::try_from(extent.max).unwrap_or(usize::MAX));
        let size = is_whole.then_some(bytes.len() as u64);
        FilePrefix::new(bytes, is_whole).with_size(size)
    }
}

/// Asks for one block.
async fn read_block(
    caller: &Caller<'_>,
    file: &OpenFile<'_>,
    offset: u64,
    len: u64,
) -> Result<Block, BlockFailure> {
    let params = ReadBlockParams {
        handle_id: file.handle.as_str().into(),
        offset,
        len,
    };
    let called = caller.call::<ReadBlock>(&params, Safety::OnHandle(file.epoch));
    let reply = called.await.map_err(BlockFailure::Call)?;
    Ok(Block { offset, len, reply })
}
