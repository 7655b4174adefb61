//! Where a path is: inside a root, on the way to one, or nowhere.
//!
//! Purely lexical. What is on the way to a root is answered from the names of the roots alone.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;

use codex_file_system::{FileKind, FileMetadata, ReadDirectoryEntry};
use codex_path_uri::{FileName, PathUri};

use crate::local::Root;

/// The roots of a confinement.
#[derive(Debug)]
pub(crate) struct Roots(Vec<Root>);

/// Where a path is.
pub(super) enum Place<'r> {
    /// In a root, below it by these names.
    Inside(&'r Root, Vec<OsString>),
    /// Above a root.
    Above,
    /// Elsewhere.
    Outside,
}

impl Roots {
    pub(super) fn new(roots: Vec<Root>) -> Self {
        Self(roots)
    }

    /// Finds the place of a path.
    ///
    /// # Errors
    /// `InvalidInput` for what is no path of this host.
    pub(super) fn place(&self, path: &PathUri) -> io::Result<Place<'_>> {
        let native = path.to_path_buf()?;
        if native.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "NUL in a path"));
        }
        // The innermost of nested roots is the one a path is confined to.
        let inside = self.names().filter_map(|(name, root)| {
            let names = path.names_below(name)?.map(|name| name.to_os_string());
            Some((root, names.collect::<Option<Vec<_>>>()?))
        });
        if let Some((root, names)) = inside.min_by_key(|(_, names)| names.len()) {
            return Ok(Place::Inside(root, names));
        }
        let is_above = self.names().any(|(name, _)| name.starts_with(path));
        Ok(if is_above {
            Place::Above
        } else {
            Place::Outside
        })
    }

    /// The place of a path that is to be read.
    pub(super) fn place_to_read(&self, path: &PathUri) -> io::Result<Seen<'_>> {
        match self.place(path)? {
            Place::Inside(root, names) => Ok(Seen::Inside(root, names)),
            Place::Above => Ok(Seen::Above),
            Place::Outside => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The place of a path that is to be changed.
    pub(super) fn place_to_write(&self, path: &PathUri) -> io::Result<(&Root, Vec<OsString>)> {
        match self.place(path)? {
            Place::Inside(root, names) => Ok((root, names)),
            Place::Above | Place::Outside => Err(io::ErrorKind::PermissionDenied.into()),
        }
    }

    /// What a directory above the roots lists: the next names on the way to them.
    pub(super) fn way(&self, directory: &PathUri) -> Vec<ReadDirectoryEntry> {
        let next = self
            .names()
            .filter_map(|(name, _)| name.names_below(directory)?.next());
        let next: BTreeSet<FileName> = next.collect();
        let entry =
            |name| ReadDirectoryEntry::new(name, FileKind::Directory).with_is_symlink(Some(false));
        next.into_iter().map(entry).collect()
    }

    /// Every name of every root.
    fn names(&self) -> impl Iterator<Item = (&PathUri, &Root)> {
        self.0
            .iter()
            .flat_map(|root| [(&root.spelled, root), (&root.real, root)])
    }
}

/// The place of a path that may be read.
pub(super) enum Seen<'r> {
    Inside(&'r Root, Vec<OsString>),
    Above,
}

/// What is told of a directory above the roots.
pub(super) fn metadata_above() -> FileMetadata {
    FileMetadata::new(FileKind::Directory).with_is_symlink(Some(false))
}
