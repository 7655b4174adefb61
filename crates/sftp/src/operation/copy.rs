//! `copy`: files by reading and writing, links by their text, directories level by level.
//!
//! The protocol has no copy, so the bytes travel here and back. A file is read as a whole before
//! its destination is touched: if both are one file under two names, nothing is lost. Links are
//! never followed. What lies under the name of a file that is copied is replaced if it is a file
//! or a link.

use std::io;

use bytes::Bytes;
use codex_file_system::MAX_READ_FILE_BYTES;
use futures::future::{join_all, try_join3};

use super::Operation;
use super::create_directory::{Made, make};
use super::list::names;
use super::read::{Goal, contents};
use super::write;
use crate::connection::Lane;
use crate::failure::Failure;
use crate::spelling::{Spelling, joined, split};
use crate::wire::{Attributes, FileType, Request, code};

/// Entries that are copied at the same time.
const WINDOW: usize = 8;

/// Source and destination of a copy.
pub(crate) struct Copy {
    pub(crate) source: Spelling,
    pub(crate) destination: Spelling,
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

    async fn run(&mut self, lane: &Lane<'_>) -> Result<(), Failure> {
        let source = lane.path(&self.source)?;
        let destination = lane.path(&self.destination)?;
        let (found, from, to) = try_join3(
            lane.link_stat(source),
            location(lane, source),
            location(lane, destination),
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
        tree(lane, pair).await
    }
}

/// Where a name really lies: its directory resolved, its own link not.
async fn location(lane: &Lane<'_>, path: &[u8]) -> Result<Vec<u8>, Failure> {
    let Some((directory, name)) = split(path) else {
        return Ok(path.to_vec());
    };
    match lane.send(&Request::RealPath { path: directory }).await {
        Ok(reply) => Ok(joined(&Lane::only_name("realpath", reply)?.name, name)),
        // Below what does not exist, the path says where it would be.
        Err(Failure::Refused(_)) => Ok(path.to_vec()),
        Err(failure) => Err(failure),
    }
}

async fn tree(lane: &Lane<'_>, top: Pair) -> Result<(), Failure> {
    let mut created = Vec::new();
    let mut level = vec![top];
    while !level.is_empty() {
        let mut below = Vec::new();
        for batch in level.chunks(WINDOW) {
            for copied in join_all(batch.iter().map(|pair| entry(lane, pair))).await {
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
        lane.change(&Request::SetMode { path, mode }).await?;
    }
    Ok(())
}

async fn entry(lane: &Lane<'_>, pair: &Pair) -> Result<Copied, Failure> {
    match pair.found.file_type() {
        Some(FileType::Directory) => directory(lane, pair).await,
        Some(FileType::File) => file(lane, pair).await.map(|()| Copied::default()),
        Some(FileType::Link) => link(lane, pair).await.map(|()| Copied::default()),
        Some(FileType::Fifo | FileType::Other) | None => {
            Err(Failure::invalid_input("not a regular file"))
        }
    }
}

async fn directory(lane: &Lane<'_>, pair: &Pair) -> Result<Copied, Failure> {
    let destination = &pair.destination;
    let made = make(lane, destination).await?;
    let created = match made {
        Made::Created => pair.found.mode().map(|mode| (destination.clone(), mode)),
        Made::Present if is_directory(lane, destination).await? => None,
        Made::Present | Made::Occupied => return Err(io::ErrorKind::AlreadyExists.into()),
        Made::Nowhere => return Err(io::ErrorKind::NotFound.into()),
    };
    let below = names(lane, &pair.source)
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

async fn file(lane: &Lane<'_>, pair: &Pair) -> Result<(), Failure> {
    let way = in_the_way(lane, pair).await?;
    let goal = Goal {
        max_bytes: u64::MAX,
        size_hint: pair.found.size.filter(|size| *size <= MAX_READ_FILE_BYTES),
    };
    let mut bytes = Vec::new();
    contents(lane, &pair.source, goal, &mut bytes).await?;
    clear(lane, pair, way == Some(FileType::Link)).await?;
    let mode = pair.found.mode();
    write::file(lane, &pair.destination, Bytes::from(bytes), mode).await
}

async fn link(lane: &Lane<'_>, pair: &Pair) -> Result<(), Failure> {
    let path = &pair.source;
    let way = in_the_way(lane, pair).await?;
    let target = lane.send(&Request::ReadLink { path }).await?;
    let target = Lane::only_name("readlink", target)?.name;
    clear(lane, pair, way.is_some()).await?;
    let request = Request::MakeLink {
        target: &target,
        link: &pair.destination,
    };
    lane.change(&request).await.map(drop)
}

/// The file or link under the name of the destination.
async fn in_the_way(lane: &Lane<'_>, pair: &Pair) -> Result<Option<FileType>, Failure> {
    match lane.link_stat(&pair.destination).await {
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
async fn clear(lane: &Lane<'_>, pair: &Pair, is_needed: bool) -> Result<(), Failure> {
    if is_needed {
        let path = &pair.destination;
        lane.change(&Request::Remove { path }).await?;
    }
    Ok(())
}

async fn is_directory(lane: &Lane<'_>, path: &[u8]) -> Result<bool, Failure> {
    let own = lane.link_stat(path).await?;
    Ok(own.file_type() == Some(FileType::Directory))
}
