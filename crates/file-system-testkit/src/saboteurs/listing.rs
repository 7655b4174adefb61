//! Saboteurs that spoil a listing: its order, its completeness, its names.

use codex_file_system::{ExecutorFileSystem, FileKind, FileSystemFuture, ReadDirectoryEntry};
use codex_path_uri::{FileName, PathUri};

use crate::memory::MemoryFileSystem;
use crate::saboteurs::sabotage::{Sabotage, Sandbox};

/// The entries of a listing.
type Entries = Vec<ReadDirectoryEntry>;

/// Changes an honest listing.
pub(super) struct Relisted(pub(super) fn(Entries) -> Entries);

impl Sabotage for Relisted {
    fn read_directory<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Entries> {
        Box::pin(async move { honest.read_directory(path, sandbox).await.map(self.0) })
    }
}

/// The order of no law.
pub(super) fn unsorted(mut entries: Entries) -> Entries {
    entries.reverse();
    entries
}

/// The first entry twice.
pub(super) fn duplicated(mut entries: Entries) -> Entries {
    entries.extend_from_within(..entries.len().min(1));
    sorted(entries)
}

/// Entries for the directory itself and its parent, under the nearest names that can be spelled:
/// a [`FileName`] is never `.` or `..`.
pub(super) fn with_dot_entries(mut entries: Entries) -> Entries {
    let Some(convention) = entries.first().map(|entry| entry.file_name.convention()) else {
        return entries;
    };
    let dots = [". ", ".. "]
        .into_iter()
        .filter_map(|name| FileName::new(name, convention).ok());
    entries.extend(dots.map(|name| {
        ReadDirectoryEntry::new(name, FileKind::Directory).with_is_symlink(Some(false))
    }));
    sorted(entries)
}

/// Names as text, whatever that costs them.
pub(super) fn lossy(entries: Entries) -> Entries {
    renamed(entries, |name| Some(name.to_string_lossy().into_owned()))
}

/// Names in lower case.
pub(super) fn lowercased(entries: Entries) -> Entries {
    renamed(entries, |name| name.as_str().map(str::to_lowercase))
}

/// Names without blanks at their ends.
pub(super) fn trimmed(entries: Entries) -> Entries {
    renamed(entries, |name| {
        name.as_str().map(|text| text.trim().to_owned())
    })
}

/// Gives entries other names where there is one and it can be spelled.
fn renamed(mut entries: Entries, text: impl Fn(&FileName) -> Option<String>) -> Entries {
    for entry in &mut entries {
        let name = text(&entry.file_name);
        let convention = entry.file_name.convention();
        if let Some(name) = name.and_then(|name| FileName::new(&name, convention).ok()) {
            entry.file_name = name;
        }
    }
    sorted(entries)
}

fn sorted(mut entries: Entries) -> Entries {
    entries.sort_by(|one, other| one.file_name.cmp(&other.file_name));
    entries
}
