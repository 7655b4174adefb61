//! The four reading operations on a tree.

use std::io;

use codex_file_system::error::broken_link;
use codex_file_system::{FileKind, MAX_READ_FILE_BYTES};
use codex_path_uri::{FileName, PathUri};

use crate::memory::access::{Need, Sandbox};
use crate::memory::location::Location;
use crate::memory::node::{Directory, Node};
use crate::memory::resolve::{LastLink, Resolved};
use crate::memory::tree::Tree;

/// What is known of the entry at a path.
pub(super) struct Stat {
    pub(super) kind: FileKind,
    pub(super) is_link: bool,
    /// Length in bytes, `None` for what is not a regular file.
    pub(super) size: Option<u64>,
}

/// What a listing tells of one entry.
pub(super) struct Listed {
    pub(super) name: FileName,
    pub(super) kind: FileKind,
    pub(super) is_link: bool,
}

impl Tree {
    pub(super) fn stat(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<Stat> {
        let location = Location::from_uri(self.flavor, path)?;
        self.authorize(sandbox, &Need::read(&location))?;
        let target = self.follow(&location)?;
        let asked = self
            .resolve(&location, LastLink::Keep)
            .map_err(|gone| gone.error())?;
        let is_link = matches!(asked.node, Node::Link(_));
        let (kind, size) = match target.node {
            Node::File(file) => (FileKind::File, Some(file.contents.len())),
            other => (followed_kind(other)?, None),
        };
        Ok(Stat {
            kind,
            is_link,
            size,
        })
    }

    pub(super) fn read(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<Vec<u8>> {
        let location = Location::from_uri(self.flavor, path)?;
        self.authorize(sandbox, &Need::read(&location))?;
        match self.follow(&location)?.node {
            Node::File(file) if !file.mode.is_readable() => {
                Err(io::ErrorKind::PermissionDenied.into())
            }
            Node::File(file) if file.contents.len() > MAX_READ_FILE_BYTES => {
                Err(io::ErrorKind::FileTooLarge.into())
            }
            Node::File(file) => Ok(file.contents.to_vec()),
            Node::Directory(_) => Err(io::ErrorKind::IsADirectory.into()),
            Node::Other(_) | Node::Link(_) => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    pub(super) fn list(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<Vec<Listed>> {
        let location = Location::from_uri(self.flavor, path)?;
        self.authorize(sandbox, &Need::read(&location))?;
        let resolved = self.follow(&location)?;
        let Node::Directory(directory) = resolved.node else {
            return Err(io::ErrorKind::NotADirectory.into());
        };
        if !directory.mode.is_readable() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut listing = self.listed(&resolved.location(), directory);
        listing.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(listing)
    }

    pub(super) fn real_path(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<PathUri> {
        let location = Location::from_uri(self.flavor, path)?;
        self.authorize(sandbox, &Need::read(&location))?;
        self.follow(&location)?.location().to_uri(self.flavor)
    }

    /// The children, in the order of their keys.
    fn listed(&self, location: &Location, directory: &Directory) -> Vec<Listed> {
        let children = directory.children.values().map(|child| {
            let (kind, is_link) = match child.node.kind() {
                Some(kind) => (kind, false),
                None => {
                    let link = location.child(child.name.clone());
                    let target = self.resolve(&link, LastLink::Follow).ok();
                    let kind = target.and_then(|target| target.node.kind());
                    (kind.unwrap_or(FileKind::BrokenLink), true)
                }
            };
            Listed {
                name: child.name.clone(),
                kind,
                is_link,
            }
        });
        children.collect()
    }

    fn follow<'t>(&'t self, location: &'t Location) -> io::Result<Resolved<'t>> {
        self.resolve(location, LastLink::Follow)
            .map_err(|unresolved| self.told_of_link(location, unresolved.error()))
    }

    /// A `NotFound` tells whether the path itself is a link.
    fn told_of_link(&self, location: &Location, error: io::Error) -> io::Error {
        let is_link = || {
            let own = self.resolve(location, LastLink::Keep);
            own.is_ok_and(|own| matches!(own.node, Node::Link(_)))
        };
        if error.kind() == io::ErrorKind::NotFound && is_link() {
            return broken_link(error);
        }
        error
    }
}

/// The kind of an entry at the end of a way on which links were followed.
fn followed_kind(node: &Node) -> io::Result<FileKind> {
    node.kind()
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}
