//! The reads of one open file: several in flight, answers taken in the order of the file.
//!
//! A file of a believed size is asked for chunk by chunk, and together with the last chunk once
//! more behind its end: only an end of file says that all of it was read. The read behind the end
//! brings nothing, so it takes no place in the window and costs no round trip. A wrong belief
//! costs requests, never bytes.

use std::collections::VecDeque;

use crate::attempt::Attempt;
use crate::error::Failure;
use crate::rpc::{Answer, OpenHandle};
use crate::wire::{Reply, Request, code};

/// Most bytes that are made room for on the word of others.
const TRUSTED_CAPACITY: u64 = 16 * 1024 * 1024;

/// The reads of one open file.
pub(super) struct ReadWindow<'a> {
    attempt: &'a Attempt<'a>,
    file: &'a OpenHandle<'a>,
    /// The most bytes that are wanted.
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

impl<'a> ReadWindow<'a> {
    pub(super) fn new(
        attempt: &'a Attempt<'a>,
        file: &'a OpenHandle<'a>,
        limit: u64,
        believed: Option<u64>,
    ) -> Self {
        Self {
            attempt,
            file,
            limit,
            chunk: attempt.read_chunk() as u64,
            width: attempt.shared.options.reads_in_flight.max(1),
            queue: VecDeque::new(),
            next: 0,
            end: believed.unwrap_or(0).min(limit),
            is_probing: false,
        }
    }

    /// The bytes up to the limit, and whether the file ends there or before.
    pub(super) async fn run(mut self) -> Result<(Vec<u8>, bool), Failure> {
        let room = self.end.min(TRUSTED_CAPACITY);
        let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or(0));
        loop {
            self.fill();
            let Some(slot) = self.queue.pop_front() else {
                return Ok((bytes, false));
            };
            let data = match slot.answer.reply().await {
                Ok(Reply::Data(data)) if !data.is_empty() => data,
                Ok(Reply::Data(_)) => return Ok((bytes, true)),
                Err(refusal) if refusal.has_code(code::END_OF_FILE) => return Ok((bytes, true)),
                Ok(_) => return Err(Failure::protocol("read", "no data")),
                Err(failure) => return Err(failure),
            };
            let read = data.len() as u64;
            if read > slot.length {
                return Err(Failure::protocol("read", "more data than asked for"));
            }
            bytes.extend_from_slice(&data);
            if bytes.len() as u64 > self.limit {
                bytes.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
                return Ok((bytes, false));
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
            answer: self.attempt.send(&request),
        }
    }
}
