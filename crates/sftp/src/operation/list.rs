//! `read_directory`: the names of an open directory in waves of four, then one stat per link.
//!
//! Each name comes with attributes of its own, so only links are asked about again; one whose target
//! cannot be reached is listed as broken. How many answers of names a directory has is not known
//! ahead, so the last wave may ask up to three times too often; that costs no round trip. A server
//! that never ends is left when a listing comes to more than any directory that is of use.

use codex_file_system::{FileKind, ReadDirectoryEntry};
use codex_path_uri::PathUri;
use futures::future::join_all;

use super::{Operation, kind_of, refused_directory};
use crate::attempt::Attempt;
use crate::error::Failure;
use crate::path::{ServerPath, joined, listed_name};
use crate::wire::{FileType, Name, Reply, Request, code};

/// Requests for names in flight.
const WAVE: usize = 4;

/// Entries whose links are asked about at once; each takes memory until it is answered.
const TARGETS: usize = 65_536;

/// Most entries of a directory.
const MAX_LISTED_ENTRIES: usize = 500_000;

/// Most bytes that the names of a directory come to (128 MiB).
const MAX_LISTED_BYTES: usize = 128 * 1024 * 1024;

/// The entries of a directory.
pub(crate) struct List {
    pub(crate) uri: PathUri,
    pub(crate) path: ServerPath,
}

impl Operation for List {
    type Output = Vec<ReadDirectoryEntry>;

    async fn run(&self, attempt: &Attempt<'_>) -> Result<Self::Output, Failure> {
        let directory = attempt.path(&self.path)?;
        let names = match names(attempt, directory).await {
            Ok(names) => names,
            Err(refusal) => return Err(refused_directory(attempt, directory, refusal).await),
        };
        let mut entries = Vec::with_capacity(names.len());
        for batch in names.chunks(TARGETS) {
            let targets = batch.iter().map(|name| target(attempt, directory, name));
            for (name, kind) in batch.iter().zip(join_all(targets).await) {
                let Some(kind) = kind? else { continue };
                if let Some(file_name) = listed_name(&name.name, &self.uri, attempt.convention()) {
                    let own = name.attributes.file_type();
                    let is_link = own.map(|own| own == FileType::Link);
                    entries.push(ReadDirectoryEntry::new(file_name, kind).with_is_symlink(is_link));
                }
            }
        }
        entries.sort_by(|one, other| one.file_name.cmp(&other.file_name));
        entries.dedup_by(|one, other| one.file_name == other.file_name);
        Ok(entries)
    }
}

/// All names of a directory but its own and its parent's, in the order of the server.
///
/// # Errors
/// `FileTooLarge` for a directory of more than [`MAX_LISTED_ENTRIES`], or of longer names than
/// [`MAX_LISTED_BYTES`].
pub(super) async fn names(attempt: &Attempt<'_>, path: &[u8]) -> Result<Vec<Name>, Failure> {
    let _turn = attempt.turn().await?;
    let open = attempt.send(&Request::OpenDirectory { path });
    let directory = open.handle().await?;
    let request = Request::ReadDirectory {
        handle: directory.name(),
    };
    let mut all = Vec::new();
    let mut bytes = 0;
    let mut has_ended = false;
    while !has_ended {
        let wave: Vec<_> = (0..WAVE).map(|_| attempt.send(&request)).collect();
        for answer in wave {
            match answer.reply().await {
                Ok(Reply::Names(names)) if names.is_empty() => has_ended = true,
                Ok(Reply::Names(names)) => {
                    bytes += names.iter().map(|name| name.name.len()).sum::<usize>();
                    let is_own = |name: &Name| matches!(&name.name[..], b"." | b"..");
                    all.extend(names.into_iter().filter(|name| !is_own(name)));
                }
                Err(refusal) if refusal.has_code(code::END_OF_FILE) => has_ended = true,
                Ok(_) => return Err(Failure::protocol("readdir", "no names")),
                Err(failure) => return Err(failure),
            }
            if all.len() > MAX_LISTED_ENTRIES {
                return Err(Failure::listing_too_large(MAX_LISTED_ENTRIES, "entries"));
            }
            if bytes > MAX_LISTED_BYTES {
                return Err(Failure::listing_too_large(
                    MAX_LISTED_BYTES,
                    "bytes of names",
                ));
            }
        }
    }
    Ok(all)
}

/// The kind of an entry's target; `None` where nothing is there and no link is known of.
async fn target(
    attempt: &Attempt<'_>,
    directory: &[u8],
    name: &Name,
) -> Result<Option<FileKind>, Failure> {
    let path = joined(directory, &name.name);
    let own = name.attributes.file_type();
    let kind = match own.and_then(FileType::kind) {
        Some(kind) => kind,
        None => match attempt.stat(&path).await {
            Ok(target) => kind_of(&target)?,
            Err(Failure::Refused(_)) if own == Some(FileType::Link) => FileKind::BrokenLink,
            Err(Failure::Refused(_)) => return Ok(None),
            Err(failure) => return Err(failure),
        },
    };
    attempt.shared.special_files.note(&path, kind);
    Ok(Some(kind))
}
