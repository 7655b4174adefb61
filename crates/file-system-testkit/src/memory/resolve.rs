//! How a location leads to an entry: name by name, through links, with permission to search.
//!
//! This is the one place that follows links, counts them and judges search permission. A failure
//! remembers how far the way led, because a sandbox judges where a missing file *would* be.

use std::io;

use codex_file_system::error::filesystem_loop;
use codex_path_uri::FileName;

use crate::memory::location::Location;
use crate::memory::node::Node;
use crate::memory::target::{LinkTarget, Start, TargetStep};
use crate::memory::tree::{Root, Tree};

/// Most links followed on one way, as on Linux; one more is a loop.
const MAX_LINKS: usize = 40;

/// What happens to a link at the end of the way; links in the middle are always followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastLink {
    Follow,
    Keep,
}

/// Who goes the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traveller {
    /// The caller under test: every directory on the way must be searchable.
    Caller,
    /// Whoever prepares the tree: nothing is closed.
    Planter,
}

/// An entry, and the real way to it.
#[derive(Debug)]
pub(super) struct Resolved<'t> {
    pub(super) node: &'t Node,
    trail: Trail<'t>,
}

/// A way that ends before its entry.
#[derive(Debug)]
pub(super) struct Unresolved<'t> {
    pub(super) kind: io::ErrorKind,
    trail: Trail<'t>,
    /// What was not walked, the next step last.
    pending: Vec<Step<'t>>,
}

/// The real entries passed so far.
#[derive(Debug)]
struct Trail<'t> {
    root_name: &'t str,
    /// `None` where the drive or share does not exist.
    root: Option<&'t Root>,
    entries: Vec<(&'t FileName, &'t Node)>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'t> {
    Name(&'t FileName),
    Parent,
    Current,
}

impl Tree {
    /// Follows `location` to its entry on behalf of the caller under test.
    pub(super) fn resolve<'t>(
        &'t self,
        location: &'t Location,
        last_link: LastLink,
    ) -> Result<Resolved<'t>, Unresolved<'t>> {
        self.resolve_as(Traveller::Caller, location, last_link)
    }

    /// Follows `location` to its entry.
    pub(super) fn resolve_as<'t>(
        &'t self,
        traveller: Traveller,
        location: &'t Location,
        last_link: LastLink,
    ) -> Result<Resolved<'t>, Unresolved<'t>> {
        let mut walk = Walk {
            tree: self,
            traveller,
            last_link,
            links_followed: 0,
            trail: Trail::at_root(self, &location.root),
            pending: location.names.iter().rev().map(Step::Name).collect(),
        };
        match walk.run() {
            Ok(node) => Ok(Resolved {
                node,
                trail: walk.trail,
            }),
            Err(kind) => Err(Unresolved {
                kind,
                trail: walk.trail,
                pending: walk.pending,
            }),
        }
    }
}

impl Resolved<'_> {
    /// The canonical location of the entry, in the spelling that is stored.
    pub(super) fn location(&self) -> Location {
        self.trail.location()
    }
}

impl Unresolved<'_> {
    pub(super) fn error(&self) -> io::Error {
        self.kind.into()
    }

    /// The nearest real ancestor with the rest appended: where the entry would be.
    pub(super) fn location(&self) -> Location {
        let mut location = self.trail.location();
        for step in self.pending.iter().rev() {
            match step {
                Step::Name(name) => location.names.push((*name).clone()),
                Step::Parent => drop(location.names.pop()),
                Step::Current => {}
            }
        }
        location
    }

    /// The real directory and the name that is missing in it, if nothing else is missing.
    pub(super) fn missing_child(&self) -> Option<(Location, &FileName)> {
        match (self.kind, self.pending.as_slice()) {
            (io::ErrorKind::NotFound, [Step::Name(name)]) => {
                self.trail.root.map(|_| (self.trail.location(), *name))
            }
            _ => None,
        }
    }
}

impl<'t> Trail<'t> {
    fn at_root(tree: &'t Tree, root: &'t str) -> Self {
        let root_node = tree.root(root);
        let root_name = root_node.map_or(root, |root| &root.name);
        Self {
            root_name,
            root: root_node,
            entries: Vec::new(),
        }
    }

    fn node(&self) -> Result<&'t Node, io::ErrorKind> {
        match (self.entries.last(), self.root) {
            (Some((_, node)), _) => Ok(node),
            (None, Some(root)) => Ok(&root.node),
            (None, None) => Err(io::ErrorKind::NotFound),
        }
    }

    fn location(&self) -> Location {
        let names = self
            .entries
            .iter()
            .map(|(name, _)| (*name).clone())
            .collect();
        Location {
            root: self.root_name.to_owned(),
            names,
        }
    }
}

/// A way that is being walked.
struct Walk<'t> {
    tree: &'t Tree,
    traveller: Traveller,
    last_link: LastLink,
    links_followed: usize,
    trail: Trail<'t>,
    pending: Vec<Step<'t>>,
}

impl<'t> Walk<'t> {
    fn run(&mut self) -> Result<&'t Node, io::ErrorKind> {
        while let Some(step) = self.pending.last().copied() {
            self.advance(step)?;
        }
        self.trail.node()
    }

    fn advance(&mut self, step: Step<'t>) -> Result<(), io::ErrorKind> {
        let Node::Directory(directory) = self.trail.node()? else {
            return Err(io::ErrorKind::NotADirectory);
        };
        if self.traveller == Traveller::Caller && !directory.mode.is_searchable() {
            return Err(io::ErrorKind::PermissionDenied);
        }
        let child = match step {
            Step::Name(name) if !self.tree.flavor.allows(name) => {
                return Err(io::ErrorKind::InvalidFilename);
            }
            Step::Name(name) => self
                .tree
                .child(directory, name)
                .ok_or(io::ErrorKind::NotFound)?,
            Step::Parent => {
                self.pending.pop();
                self.trail.entries.pop();
                return Ok(());
            }
            Step::Current => {
                self.pending.pop();
                return Ok(());
            }
        };
        match &child.node {
            Node::Link(target) if self.last_link == LastLink::Follow || self.pending.len() > 1 => {
                self.follow(target)
            }
            node => {
                self.pending.pop();
                self.trail.entries.push((&child.name, node));
                Ok(())
            }
        }
    }

    fn follow(&mut self, target: &'t LinkTarget) -> Result<(), io::ErrorKind> {
        if self.links_followed == MAX_LINKS {
            return Err(filesystem_loop());
        }
        self.links_followed += 1;
        self.pending.pop();
        self.pending
            .extend(target.steps.iter().rev().map(|step| match step {
                TargetStep::Name(name) => Step::Name(name),
                TargetStep::Parent => Step::Parent,
                TargetStep::Current => Step::Current,
            }));
        match &target.start {
            Start::OwnDirectory => {}
            Start::OwnRoot => self.trail.entries.clear(),
            Start::Root(root) => self.trail = Trail::at_root(self.tree, root),
        }
        Ok(())
    }
}
