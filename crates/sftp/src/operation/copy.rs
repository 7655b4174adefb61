//! `copy`: files by reading and writing, links by their text, directories level by level.
//!
//! The protocol has no copy, so the bytes travel here and back. A file is read as a whole before
//! its destination is touched: if both are one file under two names, nothing is lost. Links are
//! never followed. What lies under the name of a file that is copied is replaced if it is a file
//! or a link.

use std::io;

use bytes::Bytes;
use futures::future::{join_all, try_join3};

use super::list::names;
use super::write::{self, Made, make};
use super::{Operation, read};
use crate::attempt::{Attempt, only_name};
use crate::error::Failure;
use crate::path::{ServerPath, joined, split};
use crate::wire::{Attributes, FileType, Request, code};

/// Entries that are copied at the same time.
const WINDOW: usize = 8;

/// Source and destination of a copy.
pub(crate) struct Copy {
    pub(crate) source: ServerPath,
    pub(crate) destination: ServerPath,
    pub(crate) recursive: bool,
}

/// One entry to be copied.
struct Pair {
    source: Vec<u8>,
    destination: Vec<u8>,
    found: Attributes,
}

/// What came of copying one entry.
#[derive(Default)]
struct Copied {
    /// The entries of a directory.
    below: Vec<Pair>,
    /// A directory that was created, and the permission bits it is to have.
    created: Option<(Vec<u8>, u32)>,
}

impl Operation for Copy {
    type Output = ();

    async fn run(&self, attempt: &Attempt<'_>) -> Result<(), Failure> {
        let source = attempt.path(&self.source)?;
        let destination = attempt.path(&self.destination)?;
        let (found, from, to) = try_join3(
            attempt.link_stat(source),
            location(attempt, source),
            location(attempt, destination),
        )
        .await?;
        if found.file_type() == Some(FileType::Directory) {
            if !self.recursive {
                let message = "a directory is copied recursively only";
                return Err(Failure::invalid_input(message));
            }
            if to == from || to.starts_with(&joined(&from, b"")) {
                let message = "a directory cannot be copied into itself";
                return Err(Failure::invalid_input(message));
            }
        } else if to == from {
            return Ok(());
        }
        let pair = Pair {
            source: source.to_vec(),
            destination: destination.to_vec(),
            found,
        };
        tree(attempt, pair).await
    }
}

/// Where a name really lies: its directory resolved, its own link not.
async fn location(attempt: &Attempt<'_>, path: &[u8]) -> Result<Vec<u8>, Failure> {
    let Some((directory, name)) = split(path) else {
        return Ok(path.to_vec());
    };
    let real = attempt.send(&Request::RealPath { path: directory });
    match only_name("realpath", real).await {
        Ok(real) => Ok(joined(&real.name, name)),
        // Below what does not exist, the path says where it would be.
        Err(Failure::Refused(_)) => Ok(path.to_vec()),
        Err(failure) => Err(failure),
    }
}

async fn tree(attempt: &Attempt<'_>, top: Pair) -> Result<(), Failure> {
    let mut created = Vec::new();
    let mut level = vec![top];
    while !level.is_empty() {
        let mut below = Vec::new();
        for batch in level.chunks(WINDOW) {
            for copied in join_all(batch.iter().map(|pair| entry(attempt, pair))).await {
                let copied = copied?;
                below.extend(copied.below);
                created.extend(copied.created);
            }
        }
        level = below;
    }
    // Last and deepest first, as the bits may forbid what was needed to fill a directory.
    for (path, mode) in created.iter().rev() {
        let mode = *mode;
        attempt.change(&Request::SetMode { path, mode }).await?;
    }
    Ok(())
}

async fn entry(attempt: &Attempt<'_>, pair: &Pair) -> Result<Copied, Failure> {
    match pair.found.file_type() {
        Some(FileType::Directory) => directory(attempt, pair).await,
        Some(FileType::File) => file(attempt, pair).await.map(|()| Copied::default()),
        Some(FileType::Link) => link(attempt, pair).await.map(|()| Copied::default()),
        Some(FileType::Fifo | FileType::Other) | None => {
            Err(Failure::invalid_input("not a regular file"))
        }
    }
}

async fn directory(attempt: &Attempt<'_>, pair: &Pair) -> Result<Copied, Failure> {
    let destination = &pair.destination;
    let made = make(attempt, destination).await?;
    let created = match made {
        Made::Created => pair.found.mode().map(|mode| (destination.clone(), mode)),
        Made::Present if is_directory(attempt, destination).await? => None,
        Made::Present | Made::Occupied => return Err(io::ErrorKind::AlreadyExists.into()),
        Made::Nowhere => return Err(io::ErrorKind::NotFound.into()),
    };
    let below = names(attempt, &pair.source)
        .await?
        .into_iter()
        .map(|name| Pair {
            source: joined(&pair.source, &name.name),
            destination: joined(destination, &name.name),
            found: name.attributes,
        });
    Ok(Copied {
        below: below.collect(),
        created,
    })
}

async fn file(attempt: &Attempt<'_>, pair: &Pair) -> Result<(), Failure> {
    let way = in_the_way(attempt, pair).await?;
    let bytes = read::whole(attempt, &pair.source, pair.found.size).await?;
    clear(attempt, pair, way == Some(FileType::Link)).await?;
    let mode = pair.found.mode();
    write::file(attempt, &pair.destination, Bytes::from(bytes), mode).await
}

async fn link(attempt: &Attempt<'_>, pair: &Pair) -> Result<(), Failure> {
    let path = &pair.source;
    let way = in_the_way(attempt, pair).await?;
    let target = attempt.send(&Request::ReadLink { path });
    let target = only_name("readlink", target).await?.name;
    clear(attempt, pair, way.is_some()).await?;
    let request = Request::MakeLink {
        target: &target,
        link: &pair.destination,
    };
    attempt.change(&request).await
}

/// The file or link under the name of the destination.
async fn in_the_way(attempt: &Attempt<'_>, pair: &Pair) -> Result<Option<FileType>, Failure> {
    match attempt.link_stat(&pair.destination).await {
        Ok(present) => match present.file_type() {
            Some(FileType::Directory) => Err(io::ErrorKind::IsADirectory.into()),
            Some(FileType::Fifo | FileType::Other) => {
                Err(Failure::invalid_input("not a regular file"))
            }
            own @ (Some(FileType::File | FileType::Link) | None) => Ok(own),
        },
        Err(refusal) if refusal.has_code(code::NO_SUCH_FILE) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Removes what is in the way of something that is ready to take its place.
async fn clear(attempt: &Attempt<'_>, pair: &Pair, is_needed: bool) -> Result<(), Failure> {
    if is_needed {
        let path = &pair.destination;
        attempt.change(&Request::Remove { path }).await?;
    }
    Ok(())
}

async fn is_directory(attempt: &Attempt<'_>, path: &[u8]) -> Result<bool, Failure> {
    let own = attempt.link_stat(path).await?;
    Ok(own.file_type() == Some(FileType::Directory))
}
