//! `fs/readDirectory` and `fs/walk`.

use std::borrow::Cow;
use std::io;

use codex_file_system::{FileKind, FileSystemFuture, ReadDirectoryEntry, Walk, WalkOptions};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use crate::envelope::{RequestId, WireError};
use crate::error_map::{Access, to_wire};
use crate::protocol::{
    DirectoryEntry, PathParams, ReadDirectory, WalkDirectory, WalkDirectoryParams,
    WalkDirectoryResult, WalkLimits, WalkedEntry, WalkedError, WalkedKind,
};
use crate::server::connection::Caller;
use crate::server::dispatch::{Answer, large_success};

impl Answer for ReadDirectory {
    async fn answer<'a>(
        caller: &'a Caller,
        id: &'a RequestId,
        params: PathParams<'a>,
    ) -> Result<String, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let most = caller.service().options.limits.directory_response;
        let list = || caller.filesystem().read_directory(&path, None);
        let bytes = |entries: &Vec<_>| listing_bytes(entries, most);
        let text = made(caller, most, list, bytes, |entries, bytes| {
            let entries = Entries(&path, entries);
            large_success(id, &Listing { entries }, bytes)
        });
        let text = text.await?;
        if text.len() > most {
            return Err(too_large(most));
        }
        Ok(text)
    }
}

/// The answer of up to `most` bytes that is made of what the filesystem finds, once there is room
/// for it. Where there is none at once, what was found is dropped and asked for again: a client that
/// does not read its answers does not fill the memory with them.
async fn made<'a, T>(
    caller: &Caller,
    most: usize,
    ask: impl Fn() -> FileSystemFuture<'a, T>,
    bytes: impl Fn(&T) -> Result<usize, WireError>,
    text: impl Fn(&T, usize) -> String,
) -> Result<String, WireError> {
    let mut has_room = false;
    loop {
        let (found, shares) = caller.in_turn(most as u64, ask()).await;
        let found = found.map_err(|error| to_wire(&error, Access::Read))?;
        let room = bytes(&found)?;
        if has_room || caller.takes_room(room as u64) {
            let mut text = text(&found, room + room / SLACK);
            text.shrink_to_fit();
            return Ok(text);
        }
        drop((found, shares));
        caller.wait_for_room(room as u64).await;
        has_room = true;
    }
}

/// One in so many bytes is added to what an answer takes at least, so that it hardly ever grows.
const SLACK: usize = 16;

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
    let error = io::Error::new(io::ErrorKind::FileTooLarge, message);
    to_wire(&error, Access::Read)
}

fn described<'e>(directory: &PathUri, entry: &'e ReadDirectoryEntry) -> DirectoryEntry<'e> {
    let path = match entry.file_name.as_str() {
        Some(_) => None,
        None => directory.join_name(&entry.file_name).ok(),
    };
    DirectoryEntry {
        file_name: entry.file_name.to_string_lossy(),
        is_directory: entry.kind == FileKind::Directory,
        is_file: entry.kind == FileKind::File,
        is_symlink: entry.is_symlink,
        path: path.map(|path| Cow::Owned(path.as_str().to_owned())),
    }
}

impl Answer for WalkDirectory {
    async fn answer<'a>(
        caller: &'a Caller,
        id: &'a RequestId,
        params: WalkDirectoryParams<'a>,
    ) -> Result<String, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let options = walk_options(params.options);
        let most = caller.service().options.limits.walk_response;
        let walk = || caller.filesystem().walk(&path, &options, None);
        let bytes = |walk: &Walk| Ok(walk_bytes(walk).min(most));
        let text = made(caller, most, walk, bytes, |walk, bytes| {
            large_success(id, &bounded(walk, most), bytes)
        });
        text.await
    }
}

/// Limits too large for this host are past any limit, which the walk says.
fn walk_options(limits: WalkLimits) -> WalkOptions {
    let limit = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
    WalkOptions::new(
        limit(limits.max_depth),
        limit(limits.max_directories),
        limit(limits.max_entries),
    )
    .with_follow_directory_symlinks(limits.follow_directory_symlinks)
    .with_prune_hidden_directories(limits.prune_hidden_directories)
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
fn bounded(walk: &Walk, most: usize) -> WalkDirectoryResult<'_> {
    let mut room = most;
    let mut fits = |bytes: usize| {
        let fits = bytes + ENTRY_BYTES <= room;
        room = if fits { room - bytes - ENTRY_BYTES } else { 0 };
        fits
    };
    let mut answer = WalkDirectoryResult {
        entries: Vec::with_capacity(walk.entries.len()),
        errors: Vec::with_capacity(walk.errors.len()),
        truncated: walk.truncated,
    };
    for failed in &walk.errors {
        let error = to_wire(&failed.error, Access::Read);
        if !fits(failed.path.as_str().len() + error.message.len()) {
            answer.truncated = true;
            break;
        }
        answer.errors.push(WalkedError {
            path: Cow::Borrowed(failed.path.as_str()),
            message: Cow::Owned(error.message),
            kind: error.data.and_then(|data| data.kind).map(Cow::Owned),
        });
    }
    for entry in &walk.entries {
        let kind = match entry.kind {
            FileKind::File => WalkedKind::File,
            FileKind::Directory => WalkedKind::Directory,
            FileKind::Other | FileKind::BrokenLink => continue,
        };
        if !fits(entry.path.as_str().len()) {
            answer.truncated = true;
            break;
        }
        answer.entries.push(WalkedEntry {
            path: Cow::Borrowed(entry.path.as_str()),
            kind,
        });
    }
    answer
}
