//! Copying: a file, a link as a link, or a directory with everything in it.
//!
//! The copy is made complete before it is put in place, so a refused one changes nothing. A
//! directory is merged into one that exists; a link in the way is replaced, never written
//! through.

use std::io;

use codex_file_system::CopyOptions;
use codex_path_uri::PathUri;

use crate::memory::access::{Need, Sandbox};
use crate::memory::location::Location;
use crate::memory::node::{Directory, Node};
use crate::memory::resolve::LastLink;
use crate::memory::tree::Tree;

/// What a copy changes at its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Placement {
    /// What an entry of the same sort holds.
    Within,
    /// What the name stands for.
    Name,
}

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
        let recursive = options.recursive;
        self.authorize(sandbox, &Need::read(&source).and_below(recursive))?;
        self.authorize(
            sandbox,
            &Need::change_name(&destination).and_below(recursive),
        )?;

        let found = self
            .resolve(&source, LastLink::Keep)
            .map_err(|gone| gone.error())?;
        let is_directory = matches!(found.node, Node::Directory(_));
        if is_directory && !recursive {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (place, present) = self.destination(&destination);
        let is_within = self.is_at_or_below(&place, &found.location());
        if is_within && is_directory {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let present = present?;
        let placement = placement(found.node, present)?;
        if is_within {
            return Ok(());
        }
        let (directory, name) = place.split_last().ok_or(io::ErrorKind::ResourceBusy)?;
        if placement == Placement::Name {
            self.check_changeable(&directory)?;
        }
        let copied = copied(found.node, present)?;
        self.put(&directory, name, copied);
        Ok(())
    }

    /// Where the copy goes, and what is there if that can be reached.
    fn destination<'t>(&'t self, asked: &'t Location) -> (Location, io::Result<Option<&'t Node>>) {
        match self.resolve(asked, LastLink::Keep) {
            Ok(present) => (present.location(), Ok(Some(present.node))),
            Err(gone) if gone.missing_child().is_some() => (gone.location(), Ok(None)),
            Err(gone) => (gone.location(), Err(gone.error())),
        }
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

/// What copying `source` over `present` changes.
fn placement(source: &Node, present: Option<&Node>) -> io::Result<Placement> {
    match (source, present) {
        (Node::Other(_), _) => Err(io::ErrorKind::InvalidInput.into()),
        (Node::Directory(_), Some(Node::Directory(_))) => Ok(Placement::Within),
        (Node::Directory(_), Some(_)) => Err(io::ErrorKind::AlreadyExists.into()),
        (_, Some(Node::Directory(_))) => Err(io::ErrorKind::IsADirectory.into()),
        (_, Some(Node::Other(_))) => Err(io::ErrorKind::InvalidInput.into()),
        (Node::File(_), Some(Node::File(_))) => Ok(Placement::Within),
        _ => Ok(Placement::Name),
    }
}

/// What stands where `present` stood after `source` was copied there.
fn copied(source: &Node, present: Option<&Node>) -> io::Result<Node> {
    let denied = || Err(io::ErrorKind::PermissionDenied.into());
    match (source, present) {
        (Node::File(source), _) if !source.mode.is_readable() => denied(),
        (Node::File(_), Some(Node::File(present))) if !present.mode.is_writable() => denied(),
        (Node::Directory(source), Some(Node::Directory(present))) => {
            Ok(Node::Directory(filled(present.clone(), source)?))
        }
        (Node::Directory(source), _) => {
            let filled = filled(Directory::new(), source)?;
            // Last, as the mode may forbid what was needed to fill it.
            Ok(Node::Directory(Directory {
                mode: source.mode,
                ..filled
            }))
        }
        _ => Ok(source.clone()),
    }
}

/// A directory with the children of another one copied beside and over its own.
fn filled(mut directory: Directory, source: &Directory) -> io::Result<Directory> {
    let is_reached = source.mode.is_searchable() && directory.mode.is_searchable();
    if !source.mode.is_readable() || !(is_reached || source.children.is_empty()) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    for (key, child) in &source.children {
        let present = directory.children.get(key);
        let placement = placement(&child.node, present.map(|present| &present.node))?;
        if placement == Placement::Name && !directory.is_changeable() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let node = copied(&child.node, present.map(|present| &present.node))?;
        let child = present.unwrap_or(child).with_node(node);
        directory.children.insert(key.clone(), child);
    }
    Ok(directory)
}
