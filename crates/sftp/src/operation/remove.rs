//! `remove`: the name itself first; a directory as such only if the server says that it is one.
//!
//! A filled directory is emptied level by level, all requests of a level together, and the
//! levels go from the deepest up. Links are removed as names and never followed.

use std::io;

use futures::future::{join, join_all};

use super::Operation;
use super::list::names;
use crate::attempt::Attempt;
use crate::error::Failure;
use crate::path::{ServerPath, joined};
use crate::wire::{FileType, Request, code};

/// What is to go.
pub(crate) struct Remove {
    pub(crate) path: ServerPath,
    pub(crate) recursive: bool,
    pub(crate) force: bool,
}

impl Operation for Remove {
    type Output = ();

    async fn run(&self, attempt: &Attempt<'_>) -> Result<(), Failure> {
        let path = attempt.path(&self.path)?;
        match entry(attempt, path, self.recursive).await {
            Err(refusal) if self.force && refusal.has_code(code::NO_SUCH_FILE) => Ok(()),
            answer => answer,
        }
    }
}

async fn entry(attempt: &Attempt<'_>, path: &[u8], recursive: bool) -> Result<(), Failure> {
    let request = Request::Remove { path };
    // Asked first, so that it speaks of what was there before.
    let (own, removed) = join(attempt.link_stat(path), attempt.change(&request)).await;
    let refusal = match removed {
        Ok(()) => return Ok(()),
        Err(refusal @ Failure::Refused(_)) => refusal,
        Err(failure) => return Err(failure),
    };
    if !own.is_ok_and(|own| own.file_type() == Some(FileType::Directory)) {
        return Err(refusal);
    }
    // An empty directory goes without being read.
    match attempt.change(&Request::RemoveDirectory { path }).await {
        Ok(()) => Ok(()),
        Err(refusal) if !refusal.has_code(code::FAILURE) => Err(refusal),
        Err(_) if recursive => tree(attempt, path).await,
        Err(_) => Err(io::ErrorKind::DirectoryNotEmpty.into()),
    }
}

/// Removes a directory with everything in it.
async fn tree(attempt: &Attempt<'_>, root: &[u8]) -> Result<(), Failure> {
    let mut levels = vec![vec![root.to_vec()]];
    while let Some(level) = levels.last() {
        let below = emptied(attempt, level).await?;
        if below.is_empty() {
            break;
        }
        levels.push(below);
    }
    for level in levels.iter().rev() {
        let requests = level.iter().map(|path| Request::RemoveDirectory { path });
        all(attempt, requests).await?;
    }
    Ok(())
}

/// Removes what is in directories and no directory itself, and tells the directories in them.
async fn emptied(attempt: &Attempt<'_>, level: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Failure> {
    let listings = join_all(level.iter().map(|directory| names(attempt, directory))).await;
    let mut directories = Vec::new();
    let mut others = Vec::new();
    for (directory, listing) in level.iter().zip(listings) {
        for name in listing.or_else(nothing_left)? {
            let path = joined(directory, &name.name);
            match name.attributes.file_type() {
                Some(FileType::Directory) => directories.push(path),
                _ => others.push(path),
            }
        }
    }
    all(attempt, others.iter().map(|path| Request::Remove { path })).await?;
    Ok(directories)
}

/// Makes all requests at once. What others have removed meanwhile is gone as well.
async fn all<'r>(
    attempt: &Attempt<'_>,
    requests: impl Iterator<Item = Request<'r>>,
) -> Result<(), Failure> {
    let requests: Vec<_> = requests.collect();
    let answers = join_all(requests.iter().map(|request| attempt.change(request))).await;
    for answer in answers {
        answer.or_else(nothing_left)?;
    }
    Ok(())
}

fn nothing_left<T: Default>(failure: Failure) -> Result<T, Failure> {
    if failure.has_code(code::NO_SUCH_FILE) {
        Ok(T::default())
    } else {
        Err(failure)
    }
}
