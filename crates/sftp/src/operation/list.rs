//! `read_directory`: the names of an open directory in waves of four, then one stat per link.
//!
//! Each name comes with attributes of its own, so only links are asked about again. How many
//! answers of names a directory has is not known ahead, so the last wave may ask up to three
//! times too often; that costs no round trip.

use codex_file_system::{FileKind, ReadDirectoryEntry};
use codex_path_uri::PathUri;
use futures::future::join_all;

use super::Operation;
use super::kinds::{kind_of, refused_directory};
use crate::connection::Lane;
use crate::failure::Failure;
use crate::spelling::{Spelling, joined, listed_name};
use crate::wire::{FileType, Name, Reply, Request, code};

/// Requests for names in flight.
const WAVE: usize = 4;

/// The entries of a directory.
pub(crate) struct List {
    pub(crate) uri: PathUri,
    pub(crate) path: Spelling,
}

impl Operation for List {
    type Output = Vec<ReadDirectoryEntry>;

    async fn run(&mut self, lane: &Lane<'_>) -> Result<Self::Output, Failure> {
        let directory = lane.path(&self.path)?;
        let names = match names(lane, directory).await {
            Ok(names) => names,
            Err(refusal) => return Err(refused_directory(lane, directory, refusal).await),
        };
        let targets = names.iter().map(|name| target(lane, directory, name));
        let mut entries = Vec::with_capacity(names.len());
        for (name, target) in names.iter().zip(join_all(targets).await) {
            let Some(kind) = target? else { continue };
            if let Some(file_name) = listed_name(&name.name, &self.uri, lane.convention()) {
                let own = name.attributes.file_type();
                let is_link = own.map(|own| own == FileType::Link);
                entries.push(ReadDirectoryEntry::new(file_name, kind).with_is_symlink(is_link));
            }
        }
        entries.sort_by(|one, other| one.file_name.cmp(&other.file_name));
        entries.dedup_by(|one, other| one.file_name == other.file_name);
        Ok(entries)
    }
}

/// All names of a directory but its own and its parent's, in the order of the server.
pub(super) async fn names(lane: &Lane<'_>, path: &[u8]) -> Result<Vec<Name>, Failure> {
    let _turn = lane.turn().await?;
    let open = lane.send(&Request::OpenDirectory { path });
    let directory = lane.opened(open).await?;
    let request = Request::ReadDirectory {
        handle: directory.name(),
    };
    let mut all = Vec::new();
    let mut has_ended = false;
    while !has_ended {
        let wave: Vec<_> = (0..WAVE).map(|_| lane.send(&request)).collect();
        for answer in wave {
            match answer.await {
                Ok(Reply::Names(names)) => all.extend(names),
                Err(refusal) if refusal.has_code(code::END_OF_FILE) => has_ended = true,
                Ok(_) => return Err(Failure::protocol("readdir", "no names")),
                Err(failure) => return Err(failure),
            }
        }
    }
    all.retain(|name| !matches!(&name.name[..], b"." | b".."));
    Ok(all)
}

/// The kind of an entry's target; `None` if there is no target, or none that can be reached.
async fn target(
    lane: &Lane<'_>,
    directory: &[u8],
    name: &Name,
) -> Result<Option<FileKind>, Failure> {
    let own = name.attributes.file_type();
    let path = joined(directory, &name.name);
    let kind = match own.and_then(FileType::kind) {
        Some(kind) => kind,
        None => match lane.stat(&path).await {
            Ok(target) => kind_of(&target)?,
            Err(Failure::Refused(_)) => return Ok(None),
            Err(failure) => return Err(failure),
        },
    };
    lane.suspects().note(&path, kind);
    Ok(Some(kind))
}
