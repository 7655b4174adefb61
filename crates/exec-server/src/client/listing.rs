//! Turning what a server lists into what the contract says: sorted, lossless, no guesses.

use codex_file_system::{
    FileKind, FileMetadata, ReadDirectoryEntry, Walk, WalkEntry, WalkError, WalkOptions,
};
use codex_path_uri::{FileName, PathConvention, PathUri, PathUriError};

use super::error::RemoteCallError;
use super::sealed;
use crate::error_map::{Platform, kind_of_walk_error};
use crate::protocol::{
    DirectoryEntry, GetMetadataResult, Method as _, ReadDirectoryResult, WalkDirectory,
    WalkDirectoryResult, WalkedKind,
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

/// The entries of `directory`, sorted, each name once.
///
/// # Errors
/// An entry whose name is none.
pub(super) fn entries(
    result: ReadDirectoryResult<'_>,
    directory: &PathUri,
) -> Result<Vec<ReadDirectoryEntry>, PathUriError> {
    let convention = directory.convention().unwrap_or(PathConvention::Posix);
    let entries = result.entries.into_iter();
    let mut entries = entries
        .map(|entry| {
            let name = file_name(&entry, directory, convention)?;
            let kind = kind(entry.is_directory, entry.is_file);
            Ok(ReadDirectoryEntry::new(name, kind).with_is_symlink(entry.is_symlink))
        })
        .collect::<Result<Vec<_>, PathUriError>>()?;
    entries.sort_by(|a, b| a.file_name.cmp(&b.file_name));
    entries.dedup_by(|a, b| a.file_name == b.file_name);
    Ok(entries)
}

/// The lossless name where the server gives one, else the name as text.
fn file_name(
    entry: &DirectoryEntry<'_>,
    directory: &PathUri,
    convention: PathConvention,
) -> Result<FileName, PathUriError> {
    if let Some(path) = &entry.path
        && let Some(name) = sealed::file_name(&parse_path(path, directory)?)
    {
        return Ok(name);
    }
    if entry.file_name.contains(char::REPLACEMENT_CHARACTER) {
        tracing::warn!(
            code = "lossy_file_name",
            path = directory.as_str(),
            name = &*entry.file_name,
            "a name that is not UTF-8 is listed with replacements and cannot be opened"
        );
    }
    FileName::new(&entry.file_name, convention)
}

/// A walk below `root`, breadth first and sorted by name inside each directory.
///
/// # Errors
/// A path that is none.
pub(super) fn walk(
    result: WalkDirectoryResult<'_>,
    root: &PathUri,
    options: &WalkOptions,
    platform: Platform,
) -> Result<Walk, PathUriError> {
    let entries = result.entries.iter().map(|entry| {
        let kind = match entry.kind {
            WalkedKind::File => FileKind::File,
            WalkedKind::Directory => FileKind::Directory,
        };
        let path = parse_path(&entry.path, root)?;
        Ok(WalkEntry { path, kind })
    });
    let errors = result.errors.iter().map(|error| {
        let path = parse_path(&error.path, root)?;
        let kind = kind_of_walk_error(error.kind.as_deref(), &error.message, platform);
        let source = RemoteCallError {
            method: WalkDirectory::NAME,
            code: None,
            message: error.message.clone().into_owned(),
            sent: true,
        };
        let error = source.into_io(kind);
        Ok(WalkError { path, error })
    });
    let mut walk = Walk {
        entries: entries.collect::<Result<_, _>>()?,
        errors: errors.collect::<Result<_, _>>()?,
        truncated: result.truncated,
    };
    if options.prune_hidden_directories {
        // Some servers list the hidden directories that they do not enter.
        walk.entries.retain(|entry| !is_hidden_directory(entry));
    }
    // A server of this crate sends them in order, which is cheaper to see than to make.
    let are_in_order =
        |one: &WalkEntry, other: &WalkEntry| is_breadth_first(&one.path, &other.path, root);
    if !walk.entries.is_sorted_by(are_in_order) {
        walk.entries
            .sort_by_cached_key(|entry| breadth_first(&entry.path, root));
    }
    walk.errors
        .sort_by_cached_key(|error| breadth_first(&error.path, root));
    Ok(walk)
}

fn is_hidden_directory(entry: &WalkEntry) -> bool {
    let name = sealed::file_name(&entry.path);
    let is_hidden = name.is_some_and(|name| name.to_string_lossy().starts_with('.'));
    entry.kind == FileKind::Directory && is_hidden
}

/// Whether two paths below `root` stand in order.
fn is_breadth_first(one: &PathUri, other: &PathUri, root: &PathUri) -> bool {
    let plain = |path: &PathUri| !path.as_str().contains('%') && path.starts_with(root);
    if !(plain(one) && plain(other)) {
        return breadth_first(one, root) <= breadth_first(other, root);
    }
    // Without escapes the text of a name is the name.
    let (one, other) = (one.as_str(), other.as_str());
    let depth = |text: &str| memchr::memchr_iter(b'/', text.as_bytes()).count();
    let by_depth = depth(one).cmp(&depth(other));
    by_depth
        .then_with(|| one.split('/').cmp(other.split('/')))
        .is_le()
}

/// Orders the paths below `root` by depth, then name by name.
fn breadth_first(path: &PathUri, root: &PathUri) -> (usize, Vec<FileName>) {
    let names = sealed::names_below(path, root);
    (names.len(), names)
}
