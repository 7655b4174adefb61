//! Reading files: in one reply, or block by block through a handle.
//!
//! The beginning of a file is read by its opening, its first blocks and its closing, which are sent
//! together. A server that does not keep their order refuses the blocks; it is asked again when
//! the opening has answered, and is remembered. At most [`BLOCKS_IN_FLIGHT`] blocks of a file are
//! on the way at once. A handle goes with its connection: after a loss the file is opened once
//! more, and the blocks that are missing are read.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use codex_file_system::{FilePrefix, MAX_READ_FILE_BYTES};
use codex_path_uri::PathUri;
use futures::StreamExt as _;
use futures::future::join_all;
use futures::stream::FuturesUnordered;

use super::RemoteCallError;
use super::call::{Caller, ReplyTo};
use super::error::CallFailure;
use super::pending::{Epoch, Request, Safety, closing};
use super::rpc::Shared;
use crate::protocol::{
    GetMetadata, MAX_BLOCK_BYTES, Method as _, OpenHandle, OpenHandleParams, ReadBlock,
    ReadBlockParams, ReadFile,
};

/// Most blocks of one file on the way at once.
const BLOCKS_IN_FLIGHT: usize = 8;
/// What a server lacks that answers a block before the opening of its handle.
const ORDER: &str = "order of requests";

/// The whole file: in one reply, and through a handle if one reply cannot hold it.
pub(super) async fn read_file(caller: &Caller<'_>, path: &PathUri) -> io::Result<Vec<u8>> {
    let refused = match in_one_reply(caller, path, u64::MAX).await? {
        Ok(whole) => return Ok(whole.bytes),
        Err(refused) => refused,
    };
    if caller.is_absent(OpenHandle::NAME) {
        return Err(refused.into());
    }
    let (opened, expected) = tokio::join!(open(caller, path), length(caller, path));
    let file = match opened {
        Ok(file) => file,
        Err(failed) if caller.note_absence(&failed) => return Err(refused.into()),
        Err(failed) => return Err(failed.into()),
    };
    if expected.is_some_and(|size| size > MAX_READ_FILE_BYTES) {
        return Err(too_large());
    }
    let extent = Extent {
        max: MAX_READ_FILE_BYTES,
        expected,
    };
    let mut blocks = Blocks::default();
    let prefix = read_serially(caller, path, extent, &mut blocks, Some(file)).await?;
    whole_or_cut(prefix, MAX_READ_FILE_BYTES).map(|whole| whole.bytes)
}

/// At most `max` bytes of the file, by the way that costs less for a file of the length that is
/// believed.
pub(super) async fn read_file_prefix(
    caller: &Caller<'_>,
    path: &PathUri,
    max: u64,
    size_hint: Option<u64>,
) -> io::Result<FilePrefix> {
    let is_small = size_hint.is_some_and(|size| size <= caller.shared.options.block_read_threshold);
    let refused = if is_small || caller.is_absent(OpenHandle::NAME) {
        match in_one_reply(caller, path, max).await? {
            Ok(prefix) => return Ok(prefix),
            Err(refused) => Some(refused),
        }
    } else {
        None
    };
    // A whole file may be this long and no longer; one byte more tells.
    let extent = Extent {
        max: max.min(MAX_READ_FILE_BYTES),
        expected: size_hint,
    };
    match through_handle(caller, path, extent).await {
        Ok(prefix) => whole_or_cut(prefix, max),
        Err(Unread::Failed(error)) => Err(error),
        Err(Unread::NoHandles) => match refused {
            Some(refused) => Err(refused.into()),
            None => match in_one_reply(caller, path, max).await? {
                Ok(prefix) => Ok(prefix),
                Err(refused) => Err(refused.into()),
            },
        },
    }
}

/// Reads by one `fs/readFile`, which brings the whole file, of which no more than `max` bytes are
/// kept. The inner error is one of a file that does not fit in a reply.
async fn in_one_reply(
    caller: &Caller<'_>,
    path: &PathUri,
    max: u64,
) -> io::Result<Result<FilePrefix, CallFailure>> {
    let called = caller.ask::<ReadFile>(path, Safety::WholeFile);
    let reply = match called.await {
        Ok(reply) => reply,
        Err(failed) if failed.kind() == io::ErrorKind::FileTooLarge => return Ok(Err(failed)),
        Err(failed) => return Err(failed.into()),
    };
    let mut bytes = reply.decode(caller)?.data_base64.0;
    let size = bytes.len() as u64;
    bytes.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    bytes.shrink_to_fit();
    Ok(Ok(FilePrefix::new(bytes, size <= max).with_size(Some(size))))
}

/// A prefix that ends where the caller asked, and not because the file is past the limit.
fn whole_or_cut(prefix: FilePrefix, max: u64) -> io::Result<FilePrefix> {
    if prefix.is_complete || max < MAX_READ_FILE_BYTES {
        return Ok(prefix);
    }
    Err(too_large())
}

fn too_large() -> io::Error {
    let source = RemoteCallError {
        method: ReadFile::NAME,
        code: None,
        message: format!("the file is larger than {MAX_READ_FILE_BYTES} bytes"),
        sent: true,
    };
    io::Error::new(io::ErrorKind::FileTooLarge, source)
}

/// The length of a file, if it can be known; it only spares useless requests.
async fn length(caller: &Caller<'_>, path: &PathUri) -> Option<u64> {
    let called = caller.ask::<GetMetadata>(path, Safety::Repeatable);
    called.await.ok()?.decode(caller).ok()?.size
}

/// How much of a file is wanted, and how long it is believed to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    max: u64,
    expected: Option<u64>,
}

impl Extent {
    /// Where the first blocks end: one byte past what is wanted, if that costs no block more,
    /// tells whether the file ends there. Of a file of which nothing is known, one block.
    fn first_goal(self) -> u64 {
        let wanted = match self.expected {
            Some(size) => size.min(self.max),
            None => return self.last_goal().min(MAX_BLOCK_BYTES),
        };
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

/// An open file. Dropping it closes it, which nobody waits for, unless that is under way.
struct OpenFile<'a> {
    shared: &'a Shared,
    handle: String,
    epoch: Epoch,
    is_closed: bool,
}

impl Drop for OpenFile<'_> {
    fn drop(&mut self) {
        if !self.is_closed {
            self.shared.close_handle(&self.handle, self.epoch);
        }
    }
}

fn opening(
    caller: &Caller<'_>,
    path: &PathUri,
    handle: &str,
    closes: bool,
) -> Result<Request, CallFailure> {
    let params = OpenHandleParams {
        handle_id: handle.to_owned(),
        path: path.as_str().to_owned(),
        mode: None,
        sandbox: caller.sandbox(),
    };
    let safety = Safety::Opens {
        handle: handle.to_owned(),
        closes,
    };
    caller.request::<OpenHandle>(&params, safety, 0)
}

async fn open<'a>(caller: &Caller<'a>, path: &PathUri) -> Result<OpenFile<'a>, CallFailure> {
    let handle = caller.shared.new_handle();
    let request = opening(caller, path, &handle, false)?;
    let reply = caller.send::<OpenHandle>(request).await?;
    Ok(OpenFile {
        shared: caller.shared,
        handle,
        epoch: reply.epoch(),
        is_closed: false,
    })
}

/// Why a file was not read through a handle.
enum Unread {
    /// The server has no handles.
    NoHandles,
    Failed(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Unread::Failed(error)
    }
}

async fn through_handle(
    caller: &Caller<'_>,
    path: &PathUri,
    extent: Extent,
) -> Result<FilePrefix, Unread> {
    if caller.is_absent(OpenHandle::NAME) {
        return Err(Unread::NoHandles);
    }
    let mut blocks = Blocks::default();
    let mut file = None;
    if !caller.is_absent(ORDER) {
        let opened = read_together(caller, path, extent, &mut blocks).await;
        file = match opened {
            Ok(file) => file,
            Err(failed) if caller.note_absence(&failed) => return Err(Unread::NoHandles),
            Err(failed) => return Err(Unread::Failed(failed.into())),
        };
    }
    Ok(read_serially(caller, path, extent, &mut blocks, file).await?)
}

/// Opens the file and reads its first blocks, and closes it if no others are expected, all at once.
/// What does not come is read later; the file is returned if it is still open.
async fn read_together<'a>(
    caller: &Caller<'a>,
    path: &PathUri,
    extent: Extent,
    blocks: &mut Blocks,
) -> Result<Option<OpenFile<'a>>, CallFailure> {
    let handle = caller.shared.new_handle();
    let first: Vec<Range> = blocks.gaps(extent.first_goal());
    let first: Vec<Range> = first.into_iter().take(BLOCKS_IN_FLIGHT).collect();
    let end = first.last().map_or(0, |last| last.offset + last.len);
    let closes =
        end >= extent.first_goal() && (extent.expected.is_some() || end >= extent.last_goal());
    // The connection it leaves on is known when it leaves.
    let unknown = 0;
    let requests = first
        .iter()
        .map(|range| block_request(caller, &handle, *range, unknown));
    let requests = requests.collect::<Result<Vec<_>, _>>()?;
    let closing = closing(&handle, unknown).filter(|_| closes);
    let opening = opening(caller, path, &handle, closes)?;
    let mut sent = caller.send_together(opening, requests, closing).into_iter();
    let Some(opened) = sent.next() else {
        return Ok(None);
    };
    let opening = async {
        let epoch = caller.reply::<OpenHandle>(opened).await?.epoch();
        let shared = caller.shared;
        Ok(OpenFile {
            shared,
            handle,
            epoch,
            is_closed: closes,
        })
    };
    let reading = async {
        let replies = sent.map(|waiting| caller.reply::<ReadBlock>(waiting));
        Ok(join_all(replies).await)
    };
    let (mut file, replies) = tokio::try_join!(opening, reading)?;
    for (range, reply) in first.into_iter().zip(replies) {
        match reply {
            Ok(reply) => drop(blocks.add(caller, range, &reply)?),
            Err(failed) if failed.is_disconnected() => {}
            Err(failed) if failed.kind() == io::ErrorKind::NotFound => {
                // The block came before the file was open, and so may the closing have.
                caller.note_absent(ORDER);
                file.is_closed = false;
            }
            Err(failed) => return Err(failed),
        }
    }
    let is_usable = !closes && !caller.is_absent(ORDER);
    Ok(Some(file).filter(|_| is_usable))
}

/// Reads what is missing, with what is read waited for in between.
async fn read_serially<'a>(
    caller: &Caller<'a>,
    path: &PathUri,
    extent: Extent,
    blocks: &mut Blocks,
    mut file: Option<OpenFile<'a>>,
) -> io::Result<FilePrefix> {
    let mut may_open_again = true;
    for goal in [extent.first_goal(), extent.last_goal()] {
        while !blocks.reach(goal) {
            let open_file = match file.take() {
                Some(file) => file,
                None => open(caller, path).await?,
            };
            match blocks.fill(caller, &open_file, goal).await {
                Ok(()) => file = Some(open_file),
                Err(failed) if failed.is_disconnected() && may_open_again => may_open_again = false,
                Err(failed) => return Err(failed.into()),
            }
        }
    }
    Ok(blocks.take_prefix(extent))
}

/// Some bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    offset: u64,
    len: u64,
}

fn block_request(
    caller: &Caller<'_>,
    handle: &str,
    range: Range,
    epoch: Epoch,
) -> Result<Request, CallFailure> {
    let params = ReadBlockParams {
        handle_id: handle.to_owned(),
        offset: range.offset,
        len: range.len,
    };
    caller.request::<ReadBlock>(&params, Safety::OnHandle(epoch), range.len)
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

impl Blocks {
    /// Whether everything is there up to the goal, or the end of the file.
    fn reach(&self, goal: u64) -> bool {
        self.length() >= self.end.map_or(goal, |end| end.min(goal))
    }

    /// What is missing up to the goal, or the end of the file, in blocks.
    fn gaps(&self, goal: u64) -> Vec<Range> {
        let goal = self.end.map_or(goal, |end| end.min(goal));
        let mut gaps = Vec::new();
        let mut offset = self.length();
        let there = self
            .ahead
            .iter()
            .map(|(at, bytes)| (*at, bytes.len() as u64));
        for (at, len) in there.chain([(goal, 0)]) {
            while offset < at.min(goal) {
                let len = (at.min(goal) - offset).min(MAX_BLOCK_BYTES);
                gaps.push(Range { offset, len });
                offset += len;
            }
            offset = offset.max(at + len);
        }
        gaps
    }

    /// Reads what is missing up to the goal.
    async fn fill(
        &mut self,
        caller: &Caller<'_>,
        file: &OpenFile<'_>,
        goal: u64,
    ) -> Result<(), CallFailure> {
        let mut left = VecDeque::from(self.gaps(goal));
        let mut on_the_way = FuturesUnordered::new();
        let mut failure = None;
        loop {
            while failure.is_none()
                && on_the_way.len() < BLOCKS_IN_FLIGHT
                && let Some(range) = left.pop_front()
            {
                if self.end.is_none_or(|end| range.offset < end) {
                    on_the_way.push(read_block(caller, file, range));
                }
            }
            match on_the_way.next().await {
                Some(Ok((range, reply))) => match self.add(caller, range, &reply) {
                    Ok(rest) => left.extend(rest),
                    Err(failed) => failure = failure.or(Some(failed)),
                },
                Some(Err(failed)) => failure = failure.or(Some(failed)),
                None => return failure.map_or(Ok(()), Err),
            }
        }
    }

    /// Adds a block; what is left of one that came back short without the end of the file is
    /// returned.
    fn add(
        &mut self,
        caller: &Caller<'_>,
        range: Range,
        reply: &ReplyTo<ReadBlock>,
    ) -> Result<Option<Range>, CallFailure> {
        let block = reply.result(caller)?;
        let bytes = block.chunk.0;
        let length = bytes.len() as u64;
        if length > range.len {
            return Err(caller.wrong_shape::<ReadBlock>("the block is longer than was asked for"));
        }
        if length == 0 && !block.eof {
            return Err(caller.wrong_shape::<ReadBlock>("an empty block is not the end"));
        }
        let end = range.offset + length;
        if block.eof {
            self.end = Some(self.end.map_or(end, |known| known.min(end)));
        }
        if range.offset == self.length() {
            self.bytes.extend_from_slice(&bytes);
            self.add_what_follows();
        } else {
            self.ahead.insert(range.offset, bytes);
        }
        let rest = Range {
            offset: end,
            len: range.len - length,
        };
        Ok(Some(rest).filter(|rest| rest.len > 0 && !block.eof))
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

    fn take_prefix(&mut self, extent: Extent) -> FilePrefix {
        let mut bytes = std::mem::take(&mut self.bytes);
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
    range: Range,
) -> Result<(Range, ReplyTo<ReadBlock>), CallFailure> {
    let request = block_request(caller, &file.handle, range, file.epoch)?;
    Ok((range, caller.send::<ReadBlock>(request).await?))
}
