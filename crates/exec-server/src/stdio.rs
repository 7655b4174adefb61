//! One message per line, on pipes.
//!
//! A line ends with `\n`; a `\r` before it and blank lines are tolerated, and the last line may
//! lack its end. No line is held beyond the limit: what is past it is read and forgotten.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// How much is read from the pipe at once.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// What a line turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A message, without the end of its line.
    Message(Vec<u8>),
    /// A line past the limit, skipped to its end.
    TooLong,
}

/// Reads lines of at most `limit` bytes.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    reader: BufReader<R>,
    limit: usize,
    /// What has been read of the current line, up to the limit.
    line: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(READ_BUFFER_BYTES, reader),
            limit,
            line: Vec::new(),
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
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(self.take_line());
            }
            let end = memchr::memchr(b'\n', available);
            let part = available
                .get(..end.unwrap_or(available.len()))
                .unwrap_or_default();
            if self.line.len() + part.len() > self.limit {
                self.is_too_long = true;
                self.line = Vec::new();
            }
            if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some()
                && let Some(line) = self.take_line()
            {
                return Ok(Some(line));
            }
        }
    }

    /// The line that just ended, unless it is blank.
    fn take_line(&mut self) -> Option<Line> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            return Some(Line::TooLong);
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        (!line.trim_ascii().is_empty()).then_some(Line::Message(line))
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
        Line::Message(text.as_bytes().to_vec())
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
        let long = "x".repeat(3 * READ_BUFFER_BYTES);
        let found = lines(format!("{long}\n").as_bytes(), 4 * READ_BUFFER_BYTES).await;
        assert_eq!(found, [message(&long)]);
    }
}
