//! Removing an entry: the name itself goes, never what a link leads to.
//!
//! A refused removal changes nothing; what is below is judged before anything goes.

use std::io;

use codex_file_system::RemoveOptions;
use codex_path_uri::PathUri;

use crate::memory::access::{Need, Sandbox};
use crate::memory::location::Location;
use crate::memory::node::{Directory, Node};
use crate::memory::resolve::LastLink;
use crate::memory::tree::Tree;

impl Tree {
    pub(super) fn remove(
        &mut self,
        path: &PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        let location = Location::from_uri(self.flavor, path)?;
        self.authorize(
            sandbox,
            &Need::change_name(&location).and_below(options.recursive),
        )?;
        let found = match self.resolve(&location, LastLink::Keep) {
            Ok(found) => found,
            Err(gone) if options.force && gone.kind == io::ErrorKind::NotFound => return Ok(()),
            Err(gone) => return Err(gone.error()),
        };
        // A root is in use for as long as the machine is.
        let split = found.location().split_last();
        let (directory, name) = split.ok_or(io::ErrorKind::ResourceBusy)?;
        self.check_changeable(&directory)?;
        check_removable(found.node, options)?;
        self.take(&directory, &name);
        Ok(())
    }
}

fn check_removable(node: &Node, options: RemoveOptions) -> io::Result<()> {
    match node {
        Node::Directory(directory) if directory.children.is_empty() => Ok(()),
        Node::Directory(_) if !options.recursive => Err(io::ErrorKind::DirectoryNotEmpty.into()),
        Node::Directory(directory) => check_emptiable(directory),
        _ => Ok(()),
    }
}

/// Checks that everything in a directory may go. Only the directory asked for may go unread when
/// it is empty: below it, that it is empty is known by reading it.
fn check_emptiable(directory: &Directory) -> io::Result<()> {
    let is_emptiable = directory.is_changeable() || directory.children.is_empty();
    if !directory.mode.is_readable() || !is_emptiable {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    directory
        .children
        .values()
        .try_for_each(|child| match &child.node {
            Node::Directory(below) => check_emptiable(below),
            _ => Ok(()),
        })
}
