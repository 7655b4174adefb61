//! `write_file`: an open that empties, all writes at once, a close that is waited for.
//!
//! A stat goes out together with the open, as for a read: writing into a FIFO or onto a
//! directory is refused for what the target is.

use bytes::Bytes;

use super::Operation;
use super::read::open_examined;
use crate::connection::{Answer, Lane};
use crate::failure::Failure;
use crate::spelling::Spelling;
use crate::wire::Request;

/// The new content of a file.
pub(crate) struct Write {
    pub(crate) path: Spelling,
    pub(crate) contents: Bytes,
}

impl Operation for Write {
    type Output = ();

    async fn run(&mut self, lane: &Lane<'_>) -> Result<(), Failure> {
        let path = lane.path(&self.path)?;
        file(lane, path, self.contents.clone(), None).await
    }
}

/// Writes a file, and sets its permission bits if given.
pub(super) async fn file(
    lane: &Lane<'_>,
    path: &[u8],
    contents: Bytes,
    mode: Option<u32>,
) -> Result<(), Failure> {
    let _turn = lane.turn().await?;
    let open = Request::OpenToWrite { path };
    let (file, _) = open_examined(lane, path, lane.change(&open)).await?;
    // The open has changed the file, so these count as sent whatever happens to them.
    let mut answers: Vec<Answer<'_>> = Vec::new();
    for (offset, data) in chunks(contents, lane.write_chunk()) {
        let handle = file.name();
        answers.push(lane.send(&Request::Write {
            handle,
            offset,
            data,
        }));
    }
    if let Some(mode) = mode {
        let handle = file.name();
        answers.push(lane.send(&Request::SetOpenMode { handle, mode }));
    }
    for answer in answers {
        answer.await?;
    }
    let handle = file.into_name();
    lane.change(&Request::Close { handle: &handle }).await?;
    Ok(())
}

/// Pieces of at most `length` bytes and where they begin, none copied.
fn chunks(mut contents: Bytes, length: usize) -> impl Iterator<Item = (u64, Bytes)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let chunk = contents.split_to(length.min(contents.len()));
        let begin = offset;
        offset += chunk.len() as u64;
        (!chunk.is_empty()).then_some((begin, chunk))
    })
}
