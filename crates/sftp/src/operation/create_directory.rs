//! `create_directory`: the directory itself first, its parents only where they are missing.

use std::io;

use futures::future::join;

use super::Operation;
use super::kinds::is_undecided;
use crate::connection::Lane;
use crate::failure::Failure;
use crate::spelling::{Spelling, split};
use crate::wire::{FileType, Request, code};

/// A directory to be.
pub(crate) struct CreateDirectory {
    pub(crate) path: Spelling,
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

    async fn run(&mut self, lane: &Lane<'_>) -> Result<(), Failure> {
        let path = lane.path(&self.path)?;
        match make(lane, path).await? {
            Made::Created => Ok(()),
            Made::Present if self.recursive => Ok(()),
            Made::Present | Made::Occupied => Err(io::ErrorKind::AlreadyExists.into()),
            Made::Nowhere if self.recursive => with_parents(lane, path).await,
            Made::Nowhere => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Tries to create a directory.
pub(super) async fn make(lane: &Lane<'_>, path: &[u8]) -> Result<Made, Failure> {
    let refusal = match lane.change(&Request::MakeDirectory { path }).await {
        Ok(_) => return Ok(Made::Created),
        Err(refusal) if refusal.has_code(code::NO_SUCH_FILE) => return Ok(Made::Nowhere),
        Err(refusal) if is_undecided(&refusal) => refusal,
        Err(failure) => return Err(failure),
    };
    let (target, own) = join(lane.stat(path), lane.link_stat(path)).await;
    match (target, own) {
        (Err(lost @ Failure::Lost { .. }), _) | (_, Err(lost @ Failure::Lost { .. })) => Err(lost),
        (Ok(target), _) if target.file_type() == Some(FileType::Directory) => Ok(Made::Present),
        (Ok(_), _) | (_, Ok(_)) => Ok(Made::Occupied),
        (Err(_), Err(_)) => Err(refusal),
    }
}

/// Goes up to the first directory that is there, and down again.
async fn with_parents(lane: &Lane<'_>, path: &[u8]) -> Result<(), Failure> {
    let mut missing = vec![path];
    let mut above = path;
    loop {
        let Some((parent, _)) = split(above) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        match make(lane, parent).await? {
            Made::Created | Made::Present => break,
            Made::Occupied => return Err(io::ErrorKind::NotADirectory.into()),
            Made::Nowhere => missing.push(parent),
        }
        above = parent;
    }
    for path in missing.into_iter().rev() {
        match make(lane, path).await? {
            // Somebody else may have created it meanwhile.
            Made::Created | Made::Present => {}
            Made::Occupied => return Err(io::ErrorKind::AlreadyExists.into()),
            Made::Nowhere => return Err(io::ErrorKind::NotFound.into()),
        }
    }
    Ok(())
}
