//! Saboteurs that spoil a listing: its order, its completeness, its names.

use codex_file_system::{ExecutorFileSystem, FileKind, FileSystemFuture, ReadDirectoryEntry};
use codex_path_uri::{FileName, PathUri};

use crate::memory::MemoryFileSystem;
use crate::saboteurs::sabotage::{Sabotage, Sandbox};

/// Changes an honest listing.
pub(super) struct Relisted(pub(super) fn(&mut Vec<ReadDirectoryEntry>));

impl Sabotage for Relisted {
    fn read_directory<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            let mut entries = honest.read_directory(path, sandbox).await?;
            (self.0)(&mut entries);
            Ok(entries)
        })
    }
}

/// The order of no law.
pub(super) fn unsorted(entries: &mut Vec<ReadDirectoryEntry>) {
    entries.reverse();
}

/// The first entry twice.
pub(super) fn duplicated(entries: &mut Vec<ReadDirectoryEntry>) {
    entries.extend_from_within(..entries.len().min(1));
    entries.sort_by(|one, other| one.file_name.cmp(&other.file_name));
}

/// Entries for the directory itself and its parent, under the nearest names that can be spelled:
/// a [`FileName`] is never `.` or `..`.
pub(super) fn with_dot_entries(entries: &mut Vec<ReadDirectoryEntry>) {
    let convention = match entries.first() {
        Some(entry) => entry.file_name.convention(),
        None => return,
    };
    let dots = [". ", ".. "]
        .into_iter()
        .filter_map(|name| FileName::new(name, convention).ok());
    entries.extend(dots.map(|name| {
        ReadDirectoryEntry::new(name, FileKind::Directory).with_is_symlink(Some(false))
    }));
    entries.sort_by(|one, other| one.file_name.cmp(&other.file_name));
}

/// Names as text, whatever that costs them.
pub(super) fn lossy(entries: &mut Vec<ReadDirectoryEntry>) {
    rename(entries, |name| Some(name.to_string_lossy().into_owned()));
}

/// Names in lower case.
pub(super) fn lowercased(entries: &mut Vec<ReadDirectoryEntry>) {
    rename(entries, |name| name.as_str().map(str::to_lowercase));
}

/// Names without blanks at their ends.
pub(super) fn trimmed(entries: &mut Vec<ReadDirectoryEntry>) {
    rename(entries, |name| {
        name.as_str().map(|text| text.trim().to_owned())
    });
}

/// Gives entries other names where there is one and it can be spelled.
fn rename(entries: &mut Vec<ReadDirectoryEntry>, text: impl Fn(&FileName) -> Option<String>) {
    for entry in entries.iter_mut() {
        let name = text(&entry.file_name);
        let convention = entry.file_name.convention();
        if let Some(name) = name.and_then(|name| FileName::new(&name, convention).ok()) {
            entry.file_name = name;
        }
    }
    entries.sort_by(|one, other| one.file_name.cmp(&other.file_name));
}
