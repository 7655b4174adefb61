//! One message per line, on pipes.
//!
//! A line ends with `\n`; a `\r` before it and blank lines are tolerated, and the last line may
//! lack its end. No line is held beyond the limit: what is past it is read and forgotten.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much room is made to read into.
const READ_BYTES: usize = 64 * 1024;
/// How little room is left when more is made.
const LEAST_ROOM_BYTES: usize = 8 * 1024;

/// What a line turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A message, without the end of its line.
    Message(Bytes),
    /// A line past the limit, skipped to its end.
    TooLong,
}

/// Reads lines of at most `limit` bytes. Lines share the memory they were read into.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    reader: R,
    limit: usize,
    /// What has been read and not handed out.
    read: BytesMut,
    /// How much of it is known to hold no end of a line.
    searched: usize,
    /// Whether the line at hand is past the limit.
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader,
            limit,
            read: BytesMut::new(),
            searched: 0,
            is_too_long: false,
        }
    }

    /// The next line that is not blank; `None` at the end of the input.
    ///
    /// # Errors
    /// What reading from the pipe fails with.
    ///
    /// # Cancellation
    /// A part of a line that was read is kept for the next call.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            while let Some(length) = self.length_of_line() {
                let line = self.take_line(length);
                // The end of the line itself.
                let _ = self.read.split_to(1);
                if let Some(line) = line {
                    return Ok(Some(line));
                }
            }
            if self.read.capacity() - self.read.len() < LEAST_ROOM_BYTES {
                self.read.reserve(READ_BYTES);
            }
            if self.reader.read_buf(&mut self.read).await? == 0 {
                return Ok(self.take_line(self.read.len()));
            }
        }
    }

    /// How long the next line is, if its end was read. What is read of a line past the limit is
    /// forgotten.
    fn length_of_line(&mut self) -> Option<usize> {
        let unsearched = self.read.get(self.searched..).unwrap_or_default();
        let end = memchr::memchr(b'\n', unsearched).map(|end| self.searched + end);
        self.searched = self.read.len();
        let length = end.unwrap_or(self.read.len());
        if length > self.limit || self.is_too_long {
            self.is_too_long = true;
            let _ = self.read.split_to(length);
            self.searched = 0;
            return end.map(|_| 0);
        }
        end
    }

    /// The line of this length, unless it is blank.
    fn take_line(&mut self, length: usize) -> Option<Line> {
        let mut line = self.read.split_to(length);
        self.searched = 0;
        if length > READ_BYTES {
            // What is read next must not keep the memory of a long line.
            self.read = BytesMut::from(&*self.read);
        }
        if std::mem::take(&mut self.is_too_long) {
            return Some(Line::TooLong);
        }
        if line.last() == Some(&b'\r') {
            line.truncate(line.len() - 1);
        }
        (!line.trim_ascii().is_empty()).then(|| Line::Message(line.freeze()))
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    async fn lines(input: &[u8], limit: usize) -> Vec<Line> {
        let mut reader = LineReader::new(input, limit);
        let mut lines = Vec::new();
        while let Some(line) = reader.next().await.unwrap() {
            lines.push(line);
        }
        lines
    }

    fn message(text: &str) -> Line {
        Line::Message(text.to_owned().into())
    }

    #[tokio::test]
    async fn blank_lines_and_carriage_returns_are_tolerated() {
        let found = lines(b"\n  \n{}\r\n\r\n[]\n", 10).await;
        assert_eq!(found, [message("{}"), message("[]")]);
    }

    #[tokio::test]
    async fn the_last_line_may_lack_its_end() {
        assert_eq!(lines(b"{}\n[]", 10).await, [message("{}"), message("[]")]);
    }

    #[tokio::test]
    async fn a_line_past_the_limit_is_skipped_and_the_next_one_is_read() {
        let found = lines(b"12345\n123456\n1\n1234567", 5).await;
        assert_eq!(
            found,
            [message("12345"), Line::TooLong, message("1"), Line::TooLong]
        );
    }

    #[tokio::test]
    async fn a_long_line_is_put_together_from_many_reads() {
        let long = "x".repeat(3 * READ_BYTES);
        let found = lines(format!("{long}\n").as_bytes(), 4 * READ_BYTES).await;
        assert_eq!(found, [message(&long)]);
    }
}
