//! The reads of one open file: several in flight, answers taken in the order of the file.
//!
//! A file of a believed size is asked for chunk by chunk, and together with the last chunk once
//! more behind its end: only an end of file says that all of it was read. The read behind the end
//! brings nothing, so it takes no place in the window and costs no round trip. A wrong belief
//! costs requests, never bytes.

use std::collections::VecDeque;

use crate::connection::{Answer, Lane, OpenHandle};
use crate::failure::Failure;
use crate::wire::{Reply, Request, code};

/// How far to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// The most bytes that are wanted.
    pub(super) limit: u64,
    /// How many there may be.
    pub(super) believed: u64,
}

/// The reads of one open file.
pub(super) struct ReadWindow<'a> {
    lane: &'a Lane<'a>,
    file: &'a OpenHandle<'a>,
    bytes: &'a mut Vec<u8>,
    limit: u64,
    chunk: u64,
    width: usize,
    queue: VecDeque<Slot<'a>>,
    /// Where the next read begins.
    next: u64,
    /// Where the file is believed to end, at most at the limit.
    end: u64,
    /// Whether the read behind the end is under way.
    is_probing: bool,
}

struct Slot<'a> {
    offset: u64,
    length: u64,
    is_probe: bool,
    answer: Answer<'a>,
}

/// Most bytes that are made room for on the word of others.
const TRUSTED_CAPACITY: u64 = 16 * 1024 * 1024;

impl<'a> ReadWindow<'a> {
    /// Reads on from where `bytes` ends.
    pub(super) fn new(
        lane: &'a Lane<'a>,
        file: &'a OpenHandle<'a>,
        extent: Extent,
        bytes: &'a mut Vec<u8>,
    ) -> Self {
        let next = bytes.len() as u64;
        let end = extent.believed.min(extent.limit).max(next);
        let room = (end - next).min(TRUSTED_CAPACITY);
        bytes.reserve(usize::try_from(room).unwrap_or(0));
        Self {
            lane,
            file,
            bytes,
            limit: extent.limit,
            chunk: lane.read_chunk() as u64,
            width: lane.reads_in_flight(),
            queue: VecDeque::new(),
            next,
            end,
            is_probing: false,
        }
    }

    /// Reads up to the limit. True if the file ends there or before.
    pub(super) async fn run(mut self) -> Result<bool, Failure> {
        loop {
            self.fill();
            let Some(slot) = self.queue.pop_front() else {
                return Ok(false);
            };
            let data = match slot.answer.await {
                Ok(Reply::Data(data)) if !data.is_empty() => data,
                Ok(Reply::Data(_)) => return Ok(true),
                Err(refusal) if refusal.has_code(code::END_OF_FILE) => return Ok(true),
                Ok(_) => return Err(Failure::protocol("read", "no data")),
                Err(failure) => return Err(failure),
            };
            let read = data.len() as u64;
            if read > slot.length {
                return Err(Failure::protocol("read", "more data than asked for"));
            }
            self.bytes.extend_from_slice(&data);
            if self.bytes.len() as u64 > self.limit {
                self.bytes
                    .truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
                return Ok(false);
            }
            if slot.is_probe {
                self.believe_in_more(slot.offset + read, read == slot.length);
            } else if read < slot.length {
                // Less than asked for is no end: what is missing comes before all else.
                let rest = self.read(slot.offset + read, slot.length - read, false);
                self.queue.push_front(rest);
            }
        }
    }

    fn fill(&mut self) {
        while self.next < self.end && self.queue.len() < self.width {
            let length = self.chunk.min(self.end - self.next);
            let slot = self.read(self.next, length, false);
            self.queue.push_back(slot);
            self.next += length;
        }
        if self.next >= self.end && !self.is_probing {
            self.is_probing = true;
            let length = self.chunk.min(self.limit - self.end + 1);
            let slot = self.read(self.end, length, true);
            self.queue.push_back(slot);
        }
    }

    /// The file goes on behind its believed end. A full answer promises much more.
    fn believe_in_more(&mut self, next: u64, is_full: bool) {
        let more = if is_full {
            self.chunk.saturating_mul(self.width as u64)
        } else {
            0
        };
        self.next = next;
        self.end = next.saturating_add(more).min(self.limit);
        self.is_probing = false;
    }

    fn read(&self, offset: u64, length: u64, is_probe: bool) -> Slot<'a> {
        let request = Request::Read {
            handle: self.file.name(),
            offset,
            // A chunk is far below the largest number.
            length: u32::try_from(length).unwrap_or(u32::MAX),
        };
        Slot {
            offset,
            length,
            is_probe,
            answer: self.lane.send(&request),
        }
    }
}
