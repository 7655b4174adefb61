//! What one listing shows, in the order of names.

use codex_file_system::{FileKind, ReadDirectoryEntry};
use codex_plugin::ManifestDirectories;

/// A listing that is in order, whatever order it came in.
pub(super) struct Sorted(Vec<ReadDirectoryEntry>);

impl Sorted {
    pub(super) fn new(mut listing: Vec<ReadDirectoryEntry>) -> Self {
        if !listing.is_sorted_by(|a, b| a.file_name <= b.file_name) {
            listing.sort_by(|a, b| a.file_name.cmp(&b.file_name));
        }
        Self(listing)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn files(
        &self,
        is_named: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = &ReadDirectoryEntry> {
        let files = self.0.iter().filter(|entry| entry.kind == FileKind::File);
        files.filter(move |entry| entry.file_name.as_str().is_some_and(&is_named))
    }

    /// The regular file of this name.
    pub(super) fn file(&self, name: &str) -> Option<&ReadDirectoryEntry> {
        let mut entries = self.0.iter();
        entries.find(|entry| entry.kind == FileKind::File && entry.file_name == *name)
    }

    pub(super) fn kind_of(&self, name: &str) -> Option<FileKind> {
        let found = self.0.iter().find(|entry| entry.file_name == *name);
        found.map(|entry| entry.kind)
    }

    fn directories(&self) -> impl Iterator<Item = &ReadDirectoryEntry> {
        self.0
            .iter()
            .filter(|entry| entry.kind == FileKind::Directory)
    }

    /// The directories that are walked, if they are not links under the System root.
    pub(super) fn visible_directories(&self) -> impl Iterator<Item = &ReadDirectoryEntry> {
        self.directories()
            .filter(|entry| !entry.file_name.to_string_lossy().starts_with('.'))
    }

    pub(super) fn manifest_directories(&self) -> ManifestDirectories {
        ManifestDirectories::from_listing(self.directories().map(|entry| &entry.file_name))
    }
}
