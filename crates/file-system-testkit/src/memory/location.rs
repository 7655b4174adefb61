//! A place in a tree: a root and names below it, as the memory filesystem thinks of a path.
//!
//! A location says nothing about whether anything is there. It holds every path the flavor can
//! name, also those whose URI is opaque.

use std::io;

use codex_path_uri::{FileName, PathUri};

use crate::flavor::Flavor;
use crate::memory::{posix, windows};

/// A root in native text (`/`, `C:\`, `\\server\share`) and the names below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) root: String,
    pub(super) names: Vec<FileName>,
}

impl Location {
    /// The location that `uri` names on a machine of this flavor.
    ///
    /// # Errors
    /// `InvalidInput` for a path of the other convention, with NUL, or of an opaque form that is
    /// no file; on Windows `InvalidFilename` for a name it refuses.
    pub(super) fn from_uri(flavor: Flavor, uri: &PathUri) -> io::Result<Self> {
        let location = match flavor {
            Flavor::Posix => posix::locate(uri),
            Flavor::Windows => windows::locate(uri),
        };
        let location = location.ok_or(io::ErrorKind::InvalidInput)?;
        // A POSIX machine looks at a name when the way has led to its directory.
        if flavor == Flavor::Posix || location.names.iter().all(|name| flavor.allows(name)) {
            Ok(location)
        } else {
            Err(io::ErrorKind::InvalidFilename.into())
        }
    }

    /// The one URI of this location.
    pub(super) fn to_uri(&self, flavor: Flavor) -> io::Result<PathUri> {
        let root = PathUri::from_native(&self.root, flavor.convention())?;
        let joined = self
            .names
            .iter()
            .try_fold(root, |uri, name| uri.join_name(name));
        match (joined, flavor) {
            (Ok(uri), _) => Ok(uri),
            (Err(_), Flavor::Windows) => windows::opaque_uri(self),
            (Err(error), Flavor::Posix) => Err(error.into()),
        }
    }

    /// This location one name further down.
    pub(super) fn child(&self, name: FileName) -> Self {
        let mut child = self.clone();
        child.names.push(name);
        child
    }

    /// The directory above and the last name, `None` for a root.
    pub(super) fn split_last(mut self) -> Option<(Location, FileName)> {
        let name = self.names.pop()?;
        Some((self, name))
    }
}
