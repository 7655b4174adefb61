//! `fs/readDirectory` and `fs/walk`.

use std::io;

use codex_file_system::{
    FileKind, FileSystemFuture, ReadDirectoryEntry, Walk, WalkError, WalkOptions,
};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use super::dispatch::{Answer, Caller};
use super::files::failed_read;
use super::outbox::Room;
use crate::codec::WireError;
use crate::error_map::{Access, to_wire};
use crate::protocol::{
    Bounded, DirectoryEntry, PathParams, WalkDirectoryParams, WalkDirectoryResult, WalkLimits,
    WalkedEntry, WalkedError, WalkedKind,
};

/// `fs/readDirectory`
pub(super) async fn directory(caller: Caller, params: PathParams) -> Result<Answer, WireError> {
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let most = caller.service().options.limits.reply;
    let list = || caller.filesystem().read_directory(&path, sandbox.as_ref());
    let bytes = |entries: &Vec<_>| listing_bytes(entries, most);
    let (entries, bytes, room) = found(&caller, list, bytes).await?;
    let listing = Listing {
        entries: Entries(&path, &entries),
    };
    let mut answer = caller.large_answer(&listing, bytes + bytes / SLACK, room);
    answer.text.shrink_to_fit();
    if answer.text.len() > most {
        return Err(too_large(most));
    }
    Ok(answer)
}

/// What the filesystem finds, how many bytes the answer takes at least, and the room for it. Where
/// there is none at once, what was found is dropped and asked for again: a client that does not
/// read its answers does not fill the memory with them.
async fn found<'a, T>(
    caller: &Caller,
    ask: impl Fn() -> FileSystemFuture<'a, T>,
    bytes: impl Fn(&T) -> Result<usize, WireError>,
) -> Result<(T, usize, Option<Room>), WireError> {
    let found = ask().await.map_err(failed_read)?;
    let least = bytes(&found)?;
    if let Ok(room) = caller.try_room_for(least as u64) {
        return Ok((found, least, room));
    }
    drop(found);
    let room = caller.room_for(least as u64).await;
    let found = ask().await.map_err(failed_read)?;
    let least = bytes(&found)?;
    Ok((found, least, room))
}

/// A [`ReadDirectoryResult`](crate::protocol::ReadDirectoryResult) that is written entry by entry.
#[derive(Serialize)]
struct Listing<'e> {
    entries: Entries<'e>,
}

/// A directory and what it lists.
struct Entries<'e>(&'e PathUri, &'e [ReadDirectoryEntry]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(directory, entries) = self;
        serializer.collect_seq(entries.iter().map(|entry| described(directory, entry)))
    }
}

/// The least that an entry of a listing takes besides its name:
/// `{"fileName":"","isDirectory":false,"isFile":true},`.
const LISTED_BYTES: usize = 50;
/// The least that telling a link takes: `,"isSymlink":true`.
const LINK_BYTES: usize = 17;
/// One in so many bytes is added to what an answer takes at least, so that it hardly ever grows.
const SLACK: usize = 16;

/// At least how many bytes a listing takes, if they are not too many for one answer.
fn listing_bytes(entries: &[ReadDirectoryEntry], most: usize) -> Result<usize, WireError> {
    let entry_bytes = |entry: &ReadDirectoryEntry| {
        let link = entry.is_symlink.map_or(0, |_| LINK_BYTES);
        entry.file_name.to_string_lossy().len() + LISTED_BYTES + link
    };
    let bytes = entries.iter().map(entry_bytes).sum();
    if bytes > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

fn too_large(most: usize) -> WireError {
    let message = format!("the listing has more than the {most} bytes of one answer");
    failed_read(io::Error::new(io::ErrorKind::FileTooLarge, message))
}

fn described(directory: &PathUri, entry: &ReadDirectoryEntry) -> DirectoryEntry {
    let path = match entry.file_name.as_str() {
        Some(_) => None,
        None => directory.join_name(&entry.file_name).ok(),
    };
    DirectoryEntry {
        file_name: entry.file_name.to_string_lossy().into_owned(),
        is_directory: entry.kind == FileKind::Directory,
        is_file: entry.kind == FileKind::File,
        is_symlink: entry.is_symlink,
        is_broken_link: entry.kind == FileKind::BrokenLink,
        path: path.map(|path| path.as_str().to_owned()),
    }
}

/// `fs/walk`
pub(super) async fn walk(caller: Caller, params: WalkDirectoryParams) -> Result<Answer, WireError> {
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let options = walk_options(params.options);
    let most = caller.service().options.limits.walk_bytes();
    let walk = || caller.filesystem().walk(&path, &options, sandbox.as_ref());
    let bytes = |walk: &Walk| Ok(walk_bytes(walk).min(most));
    let (mut walk, bytes, room) = found(&caller, walk, bytes).await?;
    if let Some(error) = take_failure(&mut walk, &path) {
        return Err(failed_read(error));
    }
    Ok(caller.large_answer(&bounded(&walk, most), bytes, room))
}

/// Why nothing was found, where the root could not be listed for another reason than that it may
/// not be, which a walk tells as of any directory.
fn take_failure(walk: &mut Walk, root: &PathUri) -> Option<io::Error> {
    let is_failure = |failed: &WalkError| {
        failed.path == *root && failed.error.kind() != io::ErrorKind::PermissionDenied
    };
    let at = walk.errors.iter().position(is_failure);
    let at = at.filter(|_| walk.entries.is_empty())?;
    Some(walk.errors.swap_remove(at).error)
}

/// Limits too large for this host are past any limit, which the walk says.
fn walk_options(limits: WalkLimits) -> WalkOptions {
    let limit = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    WalkOptions {
        max_depth: limit(limits.max_depth),
        max_directories: limit(limits.max_directories),
        max_entries: limit(limits.max_entries),
        follow_directory_symlinks: limits.follow_directory_symlinks,
        prune_hidden_directories: limits.prune_hidden_directories,
    }
}

/// What an entry takes besides its path: `{"path":"","kind":"directory"},`.
const ENTRY_BYTES: usize = 32;

/// About how many bytes a whole walk takes.
fn walk_bytes(walk: &Walk) -> usize {
    let entries = walk.entries.iter().map(|entry| &entry.path);
    let paths = entries.chain(walk.errors.iter().map(|failed| &failed.path));
    paths.map(|path| path.as_str().len() + ENTRY_BYTES).sum()
}

/// The answer, cut after the last entry that fits. Errors come first: they say what is missing.
fn bounded(walk: &Walk, most: usize) -> WalkDirectoryResult {
    let mut room = most;
    let mut fits = |bytes: usize| {
        let fits = bytes + ENTRY_BYTES <= room;
        room = if fits { room - bytes - ENTRY_BYTES } else { 0 };
        fits
    };
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    let mut truncated = walk.truncated;
    for failed in &walk.errors {
        let error = to_wire(&failed.error, Access::Read);
        if !fits(failed.path.as_str().len() + error.message.len()) {
            truncated = true;
            break;
        }
        errors.push(WalkedError {
            path: failed.path.as_str().to_owned(),
            message: error.message,
            kind: error.data.and_then(|data| data.kind),
        });
    }
    for entry in &walk.entries {
        let kind = match entry.kind {
            FileKind::File => WalkedKind::File,
            FileKind::Directory => WalkedKind::Directory,
            FileKind::Other | FileKind::BrokenLink => continue,
        };
        if !fits(entry.path.as_str().len()) {
            truncated = true;
            break;
        }
        let path = entry.path.as_str().to_owned();
        entries.push(WalkedEntry { path, kind });
    }
    WalkDirectoryResult {
        entries: Bounded(entries),
        errors: Bounded(errors),
        truncated,
    }
}
