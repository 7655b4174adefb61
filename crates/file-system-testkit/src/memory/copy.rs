//! Copying: a file, a link as a link, or a directory with everything in it.
//!
//! The copy is made complete before it is put in place, so a refused one changes nothing.

use std::collections::btree_map::Entry;
use std::io;

use codex_file_system::CopyOptions;
use codex_path_uri::PathUri;

use crate::memory::access::{Need, Sandbox};
use crate::memory::location::Location;
use crate::memory::node::{Directory, Node};
use crate::memory::resolve::LastLink;
use crate::memory::tree::Tree;

impl Tree {
    pub(super) fn copy(
        &mut self,
        source: &PathUri,
        destination: &PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        let source = Location::from_uri(self.flavor, source)?;
        let destination = Location::from_uri(self.flavor, destination)?;
        self.authorize(sandbox, &Need::read(&source).and_below(options.recursive))?;
        self.authorize(
            sandbox,
            &Need::change_name(&destination).and_below(options.recursive),
        )?;

        let found = self
            .resolve(&source, LastLink::Keep)
            .map_err(|gone| gone.error())?;
        if matches!(found.node, Node::Directory(_)) && !options.recursive {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (place, present) = match self.resolve(&destination, LastLink::Keep) {
            Ok(present) => (present.location(), Some(present.node)),
            Err(gone) => {
                let (directory, name) = gone.missing_child().ok_or_else(|| gone.error())?;
                (directory.child(name.clone()), None)
            }
        };
        match self.is_at_or_below(&place, &found.location()) {
            true if matches!(found.node, Node::Directory(_)) => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            true => return Ok(()),
            false => {}
        }
        let copied = copied(found.node)?;
        let changes_name = present.is_none_or(|present| !is_changed_in_place(present, &copied));
        let node = match present {
            Some(present) => replaced(present, copied)?,
            None => copied,
        };
        let (directory, name) = place.split_last().ok_or(io::ErrorKind::ResourceBusy)?;
        if changes_name {
            self.check_changeable(&directory)?;
        }
        self.put(&directory, name, node);
        Ok(())
    }

    /// Whether a canonical location is another one or lies below it.
    fn is_at_or_below(&self, location: &Location, above: &Location) -> bool {
        let key = |name| self.flavor.key(name);
        self.flavor.root_key(&location.root) == self.flavor.root_key(&above.root)
            && location.names.len() >= above.names.len()
            && location
                .names
                .iter()
                .map(key)
                .zip(above.names.iter().map(key))
                .all(|(a, b)| a == b)
    }
}

/// A copy of an entry that the caller may read.
fn copied(node: &Node) -> io::Result<Node> {
    match node {
        Node::File(file) if !file.mode.is_readable() => Err(io::ErrorKind::PermissionDenied.into()),
        Node::Directory(directory) if !directory.is_traversable() => {
            Err(io::ErrorKind::PermissionDenied.into())
        }
        Node::Directory(directory) => {
            let mut copy = Directory {
                mode: directory.mode,
                ..Directory::new()
            };
            for (key, child) in &directory.children {
                let node = copied(&child.node)?;
                copy.children.insert(key.clone(), child.with_node(node));
            }
            Ok(Node::Directory(copy))
        }
        Node::Other(_) => Err(io::ErrorKind::InvalidInput.into()),
        Node::File(_) | Node::Link(_) => Ok(node.clone()),
    }
}

/// Whether `copied` changes what `present` holds instead of taking its name.
fn is_changed_in_place(present: &Node, copied: &Node) -> bool {
    matches!(
        (present, copied),
        (Node::File(_), Node::File(_)) | (Node::Directory(_), Node::Directory(_))
    )
}

/// What stands where `present` stood after `copied` was copied there.
fn replaced(present: &Node, copied: Node) -> io::Result<Node> {
    match (present, copied) {
        (Node::Directory(present), Node::Directory(copied)) => merged(present, copied),
        (Node::Directory(_), _) => Err(io::ErrorKind::IsADirectory.into()),
        (_, Node::Directory(_)) => Err(io::ErrorKind::AlreadyExists.into()),
        (Node::File(present), Node::File(_)) if !present.mode.is_writable() => {
            Err(io::ErrorKind::PermissionDenied.into())
        }
        (Node::Other(_), _) => Err(io::ErrorKind::InvalidInput.into()),
        (_, copied) => Ok(copied),
    }
}

/// A directory with the copied children beside and over its own.
fn merged(present: &Directory, copied: Directory) -> io::Result<Node> {
    let mut merged = present.clone();
    for (key, child) in copied.children {
        match merged.children.entry(key) {
            Entry::Occupied(mut occupied) => {
                let present = &occupied.get().node;
                let node = replaced(present, child.node)?;
                occupied.get_mut().node = node;
            }
            Entry::Vacant(_) if !present.is_changeable() => {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            Entry::Vacant(vacant) => drop(vacant.insert(child)),
        }
    }
    Ok(Node::Directory(merged))
}
