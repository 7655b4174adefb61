//! How the lines of a tree literal become entries of a tree.
//!
//! Planting is the work of whoever prepares a test, not of the caller under test: permissions do
//! not hinder it, and modes are applied last. Links that stand on the way already are followed.

use crate::literal::{Line, TreeEntry, TreeError, TreeItem, TreeProblem};
use crate::memory::location::Location;
use crate::memory::node::{Directory, File, Mode, Node};
use crate::memory::resolve::{LastLink, Resolved, Traveller, Unresolved};
use crate::memory::tree::Tree;

impl Tree {
    /// Adds the entries of a literal, in the order of its lines.
    pub(super) fn plant(&mut self, lines: Vec<Line<'_>>) -> Result<(), TreeError> {
        let mut modes = Vec::new();
        for line in lines {
            let place = self
                .plant_entry(&line.entry)
                .map_err(|problem| line.error(problem))?;
            modes.extend(line.entry.mode.map(|mode| (place, Mode(mode))));
        }
        for (location, mode) in modes {
            if let Some(node) = self.node_mut(&location) {
                node.set_mode(mode);
            }
        }
        Ok(())
    }

    /// Adds one entry and says where it really is.
    fn plant_entry(&mut self, entry: &TreeEntry) -> Result<Location, TreeProblem> {
        let root = entry
            .root
            .clone()
            .unwrap_or_else(|| self.flavor.root().to_owned());
        self.add_root(&root);
        let place = Location {
            root,
            names: entry.names.clone(),
        };
        let node = match &entry.item {
            TreeItem::Directory => return self.plant_directory(&place),
            TreeItem::File(contents) => Node::File(File::new(contents.clone())),
            TreeItem::Link(target) => {
                let target = self.flavor.parse_target(target);
                Node::Link(target.ok_or(TreeProblem::InvalidTarget)?)
            }
            TreeItem::Fifo => Node::Other(Mode::FILE),
        };
        let (parent, name) = place.split_last().ok_or(TreeProblem::EmptyPath)?;
        let parent = self.plant_directory(&parent)?;
        let place = parent.child(name.clone());
        match self.look(&place, LastLink::Keep) {
            Ok(Resolved {
                node: Node::Directory(_),
                ..
            }) => Err(TreeProblem::Conflict),
            _ => {
                self.put(&parent, name, node);
                Ok(place)
            }
        }
    }

    /// Makes sure that a directory and its parents exist, and says where it really is.
    fn plant_directory(&mut self, place: &Location) -> Result<Location, TreeProblem> {
        if let Ok(present) = self.look(place, LastLink::Follow) {
            return directory_location(&present);
        }
        let mut at = Location {
            root: place.root.clone(),
            names: Vec::new(),
        };
        for name in &place.names {
            let child = at.child(name.clone());
            at = match self.look(&child, LastLink::Follow) {
                Ok(present) => directory_location(&present)?,
                Err(_) if self.look(&child, LastLink::Keep).is_ok() => {
                    return Err(TreeProblem::Conflict);
                }
                Err(_) => {
                    self.put(&at, name.clone(), Node::Directory(Directory::new()));
                    child
                }
            };
        }
        Ok(at)
    }

    fn look<'t>(
        &'t self,
        place: &'t Location,
        last_link: LastLink,
    ) -> Result<Resolved<'t>, Unresolved<'t>> {
        self.resolve_as(Traveller::Planter, place, last_link)
    }
}

fn directory_location(present: &Resolved<'_>) -> Result<Location, TreeProblem> {
    match present.node {
        Node::Directory(_) => Ok(present.location()),
        _ => Err(TreeProblem::Conflict),
    }
}
