//! `fs/readDirectory` and `fs/walk`.

use std::borrow::Cow;

use codex_file_system::{FileKind, ReadDirectoryEntry, Walk, WalkOptions};
use codex_path_uri::PathUri;

use crate::envelope::{RequestId, WireError};
use crate::error_map::{Access, to_wire};
use crate::protocol::{
    DirectoryEntry, PathParams, ReadDirectory, ReadDirectoryResult, WalkDirectory,
    WalkDirectoryParams, WalkDirectoryResult, WalkLimits, WalkedEntry, WalkedError, WalkedKind,
};
use crate::server::connection::Caller;
use crate::server::dispatch::{Answer, success};

impl Answer for ReadDirectory {
    async fn answer<'a>(
        caller: &'a Caller,
        id: &'a RequestId,
        params: PathParams<'a>,
    ) -> Result<String, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let entries = caller.filesystem().read_directory(&path, None).await;
        let entries = entries.map_err(|error| to_wire(&error, Access::Read))?;
        let entries = entries.iter().map(|entry| described(&path, entry));
        let result = ReadDirectoryResult {
            entries: entries.collect(),
        };
        Ok(success(id, &result))
    }
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
        let walk = caller.filesystem().walk(&path, &options, None).await;
        let walk = walk.map_err(|error| to_wire(&error, Access::Read))?;
        let most = caller.service().options.limits.walk_response;
        Ok(success(id, &bounded(&walk, most)))
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
            FileKind::Other => continue,
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
