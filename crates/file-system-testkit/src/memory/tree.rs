//! The tree itself: roots, and lookup of one name in one directory.

use std::collections::BTreeMap;

use codex_path_uri::FileName;

use crate::flavor::Flavor;
use crate::memory::location::Location;
use crate::memory::node::{Child, Directory, NameKey, Node};

/// All roots of one machine and everything below them.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) flavor: Flavor,
    roots: BTreeMap<NameKey, Root>,
}

/// A root directory under the spelling it was created with.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) name: String,
    pub(super) node: Node,
}

impl Tree {
    /// A tree of one empty root.
    pub(super) fn new(flavor: Flavor) -> Self {
        let mut tree = Self {
            flavor,
            roots: BTreeMap::new(),
        };
        tree.add_root(flavor.root());
        tree
    }

    /// Creates a drive or a share unless it exists.
    pub(super) fn add_root(&mut self, root: &str) {
        self.roots
            .entry(self.flavor.root_key(root))
            .or_insert_with(|| Root {
                name: root.to_owned(),
                node: Node::Directory(Directory::new()),
            });
    }

    pub(super) fn root(&self, root: &str) -> Option<&Root> {
        self.roots.get(&self.flavor.root_key(root))
    }

    pub(super) fn child<'t>(&self, directory: &'t Directory, name: &FileName) -> Option<&'t Child> {
        directory.children.get(&self.flavor.key(name))
    }

    /// The entry at a location that was resolved before, links not followed.
    pub(super) fn node_mut(&mut self, location: &Location) -> Option<&mut Node> {
        let flavor = self.flavor;
        let root = self.roots.get_mut(&flavor.root_key(&location.root))?;
        location
            .names
            .iter()
            .try_fold(&mut root.node, |node, name| {
                let Node::Directory(directory) = node else {
                    return None;
                };
                directory
                    .children
                    .get_mut(&flavor.key(name))
                    .map(|child| &mut child.node)
            })
    }

    /// The directory at a location that was resolved before.
    pub(super) fn directory_mut(&mut self, location: &Location) -> Option<&mut Directory> {
        match self.node_mut(location)? {
            Node::Directory(directory) => Some(directory),
            _ => None,
        }
    }

    /// Puts an entry under a name of a directory that was resolved before. An entry that is
    /// there already is replaced and keeps the spelling of its name.
    pub(super) fn put(&mut self, directory: &Location, name: FileName, node: Node) {
        let key = self.flavor.key(&name);
        if let Some(directory) = self.directory_mut(directory) {
            match directory.children.get_mut(&key) {
                Some(child) => child.node = node,
                None => drop(directory.children.insert(key, Child { name, node })),
            }
        }
    }

    /// Takes a name out of a directory that was resolved before.
    pub(super) fn take(&mut self, directory: &Location, name: &FileName) {
        let key = self.flavor.key(name);
        if let Some(directory) = self.directory_mut(directory) {
            directory.children.remove(&key);
        }
    }
}
