//! `write_file` and `create_directory`.
//!
//! A file is an open that empties, all writes at once, and a close that is waited for. A stat goes
//! out together with the open, as for a read: writing into a FIFO or onto a directory is refused
//! for what the target is. A directory is tried itself first, its parents only where they are
//! missing.

use std::io;

use bytes::Bytes;
use futures::future::join;

use super::read::open_examined;
use super::{Operation, is_undecided};
use crate::attempt::Attempt;
use crate::error::Failure;
use crate::path::{ServerPath, split};
use crate::rpc::Answer;
use crate::wire::{FileType, Request, code};

/// The new content of a file.
pub(crate) struct Write {
    pub(crate) path: ServerPath,
    pub(crate) contents: Bytes,
}

impl Operation for Write {
    type Output = ();

    async fn run(&self, attempt: &Attempt<'_>) -> Result<(), Failure> {
        let path = attempt.path(&self.path)?;
        file(attempt, path, self.contents.clone(), None).await
    }
}

/// Writes a file, and sets its permission bits if given.
pub(super) async fn file(
    attempt: &Attempt<'_>,
    path: &[u8],
    mut contents: Bytes,
    mode: Option<u32>,
) -> Result<(), Failure> {
    let _turn = attempt.turn().await?;
    let (file, _) = open_examined(attempt, path, async {
        let open = attempt.send(&Request::OpenToWrite { path });
        attempt.changed(open.handle().await)
    })
    .await?;
    let handle = file.name();
    // The open has changed the file, so these count as sent whatever happens to them.
    let mut answers: Vec<Answer<'_>> = Vec::new();
    let mut offset = 0;
    while !contents.is_empty() {
        let data = contents.split_to(attempt.write_chunk().min(contents.len()));
        let length = data.len() as u64;
        answers.push(attempt.send(&Request::Write {
            handle,
            offset,
            data,
        }));
        offset += length;
    }
    if let Some(mode) = mode {
        answers.push(attempt.send(&Request::SetOpenMode { handle, mode }));
    }
    for answer in answers {
        answer.reply().await?;
    }
    file.close().await
}

/// A directory to be.
pub(crate) struct CreateDirectory {
    pub(crate) path: ServerPath,
    pub(crate) recursive: bool,
}

/// What is there after an attempt to create a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Made {
    /// The directory, which was not there before.
    Created,
    /// A directory, or a link to one, that was there before.
    Present,
    /// Something else.
    Occupied,
    /// Nothing, not even the directory above.
    Nowhere,
}

impl Operation for CreateDirectory {
    type Output = ();

    async fn run(&self, attempt: &Attempt<'_>) -> Result<(), Failure> {
        let path = attempt.path(&self.path)?;
        match make(attempt, path).await? {
            Made::Created => Ok(()),
            Made::Present if self.recursive => Ok(()),
            Made::Present | Made::Occupied => Err(io::ErrorKind::AlreadyExists.into()),
            Made::Nowhere if self.recursive => with_parents(attempt, path).await,
            Made::Nowhere => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Tries to create a directory.
pub(super) async fn make(attempt: &Attempt<'_>, path: &[u8]) -> Result<Made, Failure> {
    let refusal = match attempt.change(&Request::MakeDirectory { path }).await {
        Ok(()) => return Ok(Made::Created),
        Err(refusal) if refusal.has_code(code::NO_SUCH_FILE) => return Ok(Made::Nowhere),
        Err(refusal) if is_undecided(&refusal) => refusal,
        Err(failure) => return Err(failure),
    };
    let (target, own) = join(attempt.stat(path), attempt.link_stat(path)).await;
    match (target, own) {
        (Err(lost @ Failure::Lost { .. }), _) | (_, Err(lost @ Failure::Lost { .. })) => Err(lost),
        (Ok(target), _) if target.file_type() == Some(FileType::Directory) => Ok(Made::Present),
        (Ok(_), _) | (_, Ok(_)) => Ok(Made::Occupied),
        (Err(_), Err(_)) => Err(refusal),
    }
}

/// Goes up to the first directory that is there, and down again.
async fn with_parents(attempt: &Attempt<'_>, path: &[u8]) -> Result<(), Failure> {
    let mut missing = vec![path];
    let mut above = path;
    loop {
        let Some((parent, _)) = split(above) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        match make(attempt, parent).await? {
            Made::Created | Made::Present => break,
            Made::Occupied => return Err(io::ErrorKind::NotADirectory.into()),
            Made::Nowhere => missing.push(parent),
        }
        above = parent;
    }
    for path in missing.into_iter().rev() {
        match make(attempt, path).await? {
            // It may have been created by others meanwhile.
            Made::Created | Made::Present => {}
            Made::Occupied => return Err(io::ErrorKind::AlreadyExists.into()),
            Made::Nowhere => return Err(io::ErrorKind::NotFound.into()),
        }
    }
    Ok(())
}
