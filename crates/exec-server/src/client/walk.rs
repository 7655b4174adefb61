//! Listings and walks: what a server lists becomes what the contract says, sorted, lossless and no
//! more than was asked for.

use std::collections::HashSet;
use std::io;

use codex_file_system::{
    FileKind, FileMetadata, ReadDirectoryEntry, Walk, WalkEntry, WalkError, WalkOptions,
};
use codex_path_uri::{FileName, PathConvention, PathUri, PathUriError};

use super::RemoteCallError;
use super::call::Caller;
use super::error::CallFailure;
use super::pending::Safety;
use crate::error_map::{Platform, kind_of_walk_error};
use crate::protocol::{
    DirectoryEntry, GetMetadataResult, Method as _, ReadDirectoryResult, WalkDirectory,
    WalkDirectoryParams, WalkDirectoryResult, WalkLimits, WalkedKind,
};

/// Metadata; what the server leaves out and a time of 0 is unknown.
pub(super) fn metadata(result: &GetMetadataResult) -> FileMetadata {
    let known = |time: i64| (time != 0).then_some(time);
    FileMetadata::new(kind(result.is_directory, result.is_file))
        .with_is_symlink(result.is_symlink)
        .with_size(result.size)
        .with_created_at_ms(known(result.created_at_ms))
        .with_modified_at_ms(known(result.modified_at_ms))
}

fn kind(is_directory: bool, is_file: bool) -> FileKind {
    match (is_directory, is_file) {
        (true, _) => FileKind::Directory,
        (false, true) => FileKind::File,
        (false, false) => FileKind::Other,
    }
}

/// A path that the server names, in the convention of the path it was asked about.
pub(super) fn parse_path(text: &str, asked: &PathUri) -> Result<PathUri, PathUriError> {
    match asked.convention() {
        Some(convention) => PathUri::parse_with_convention(text, convention),
        None => PathUri::parse(text),
    }
}

/// The entries of `directory`, sorted, each name once. One whose name is none is left out, and
/// logged.
pub(super) fn entries(result: ReadDirectoryResult, directory: &PathUri) -> Vec<ReadDirectoryEntry> {
    let convention = directory.convention().unwrap_or(PathConvention::Posix);
    let entry = |entry: DirectoryEntry| match file_name(&entry, directory, convention) {
        Ok(name) => {
            let kind = if entry.is_broken_link {
                FileKind::BrokenLink
            } else {
                kind(entry.is_directory, entry.is_file)
            };
            Some(ReadDirectoryEntry::new(name, kind).with_is_symlink(entry.is_symlink))
        }
        Err(error) => {
            tracing::warn!(
                code = "unusable_file_name",
                path = directory.as_str(),
                name = ?entry.file_name,
                %error,
                "a name that the server lists is none, and is left out"
            );
            None
        }
    };
    let mut entries: Vec<_> = result.entries.0.into_iter().filter_map(entry).collect();
    entries.sort_by(|a, b| a.file_name.cmp(&b.file_name));
    entries.dedup_by(|a, b| a.file_name == b.file_name);
    entries
}

/// The lossless name where the server gives one, else the name as text.
fn file_name(
    entry: &DirectoryEntry,
    directory: &PathUri,
    convention: PathConvention,
) -> Result<FileName, PathUriError> {
    if let Some(path) = &entry.path
        && let Some(name) = last_name(&parse_path(path, directory)?)
    {
        return Ok(name);
    }
    if entry.file_name.contains(char::REPLACEMENT_CHARACTER) {
        tracing::warn!(
            code = "lossy_file_name",
            path = directory.as_str(),
            name = entry.file_name,
            "a name that is not UTF-8 is listed with replacements and cannot be opened"
        );
    }
    FileName::new(&entry.file_name, convention)
}

/// The last name of a path, also of one that no ordinary URI can spell.
fn last_name(path: &PathUri) -> Option<FileName> {
    path.native_names()?.next_back()
}

/// Walks by one request; `None` if the server does not have the method, which is remembered as
/// long as the connection lives.
pub(super) async fn walk(
    caller: &Caller<'_>,
    root: &PathUri,
    options: &WalkOptions,
) -> io::Result<Option<Walk>> {
    if caller.is_absent(WalkDirectory::NAME) {
        return Ok(None);
    }
    let params = WalkDirectoryParams {
        path: root.as_str().to_owned(),
        options: WalkLimits {
            max_depth: options.max_depth as u64,
            max_directories: options.max_directories as u64,
            max_entries: options.max_entries as u64,
            follow_directory_symlinks: options.follow_directory_symlinks,
            prune_hidden_directories: options.prune_hidden_directories,
        },
        sandbox: caller.sandbox(),
    };
    let called = caller.call::<WalkDirectory>(&params, Safety::Repeatable);
    let reply = match called.await {
        Ok(reply) => reply,
        Err(failed) if caller.note_absence(&failed) => return Ok(None),
        Err(failed) => return Err(failed.into()),
    };
    let result = reply.result(caller)?;
    let failed = |fault: WalkFault| -> CallFailure { caller.wrong_shape::<WalkDirectory>(fault) };
    let mut walk = walked(result, root, options, caller.platform()).map_err(failed)?;
    // Nothing was found because the root could not be listed, for another reason than that it may
    // not be, which a walk tells as of any directory.
    let is_failure = |failed: &WalkError| {
        failed.path == *root && failed.error.kind() != io::ErrorKind::PermissionDenied
    };
    let failed = walk.errors.iter().position(is_failure);
    if let Some(failed) = failed.filter(|_| walk.entries.is_empty()) {
        return Err(walk.errors.swap_remove(failed).error);
    }
    Ok(Some(walk))
}

/// What is wrong with a walk that a server sent.
#[derive(Debug, thiserror::Error)]
enum WalkFault {
    #[error(transparent)]
    Path(#[from] PathUriError),
    #[error("`{0}` is not below the directory that is walked")]
    Outside(PathUri),
    #[error("`{0}` stands twice in the walk")]
    Twice(PathUri),
    #[error("the walk has {0} entries, more than were asked for")]
    TooMany(usize),
}

/// A walk below `root`, breadth first and sorted by name inside each directory.
fn walked(
    result: WalkDirectoryResult,
    root: &PathUri,
    options: &WalkOptions,
    platform: Platform,
) -> Result<Walk, WalkFault> {
    let mut walk = Walk {
        truncated: result.truncated,
        ..Walk::default()
    };
    for entry in result.entries.0 {
        let kind = match entry.kind {
            WalkedKind::File => FileKind::File,
            WalkedKind::Directory => FileKind::Directory,
        };
        let path = parse_path(&entry.path, root)?;
        if path == *root || names_below(&path, root).is_none() {
            return Err(WalkFault::Outside(path));
        }
        walk.entries.push(WalkEntry { path, kind });
    }
    for error in result.errors.0 {
        let path = parse_path(&error.path, root)?;
        if names_below(&path, root).is_none() {
            return Err(WalkFault::Outside(path));
        }
        let kind = kind_of_walk_error(error.kind.as_deref(), &error.message, platform);
        let source = RemoteCallError {
            method: WalkDirectory::NAME,
            code: None,
            message: super::error::shortened(error.message),
            sent: true,
        };
        let error = io::Error::new(kind, source);
        walk.errors.push(WalkError { path, error });
    }
    if options.prune_hidden_directories {
        // Some servers list the hidden directories that they do not enter.
        walk.entries.retain(|entry| !is_hidden_directory(entry));
    }
    if walk.entries.len() > options.max_entries {
        return Err(WalkFault::TooMany(walk.entries.len()));
    }
    let mut seen = HashSet::new();
    if let Some(twice) = walk.entries.iter().find(|entry| !seen.insert(&entry.path)) {
        return Err(WalkFault::Twice(twice.path.clone()));
    }
    walk.entries
        .sort_by_cached_key(|entry| breadth_first(&entry.path, root));
    walk.errors
        .sort_by_cached_key(|error| breadth_first(&error.path, root));
    Ok(walk)
}

fn is_hidden_directory(entry: &WalkEntry) -> bool {
    let name = last_name(&entry.path);
    let is_hidden = name.is_some_and(|name| name.to_string_lossy().starts_with('.'));
    entry.kind == FileKind::Directory && is_hidden
}

/// The names of a path below `root`, also of one that no ordinary URI can spell; `None` for a path
/// that is not below it.
fn names_below(path: &PathUri, root: &PathUri) -> Option<Vec<FileName>> {
    if let Some(names) = path.names_below(root) {
        return Some(names.collect());
    }
    if !path.is_opaque() {
        return None;
    }
    let mut names = path.native_names()?;
    for name in root.native_names()? {
        if names.next()? != name {
            return None;
        }
    }
    Some(names.collect())
}

/// Orders the paths below `root` by depth, then name by name.
fn breadth_first(path: &PathUri, root: &PathUri) -> (usize, Vec<FileName>) {
    let names = names_below(path, root).unwrap_or_default();
    (names.len(), names)
}
