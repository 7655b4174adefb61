//! One root of a walk: its locations, and the two spellings they have.
//!
//! What lies below a root is asked by the spelling of the root as given; what lies below a link by
//! the canonical spelling of the target. A location inside the root's tree that a link leads to is
//! turned back into the first spelling, so that one directory is one location. The canonical
//! spelling of the root's tree is known only if the caller gave it or it had to be asked.

use std::collections::{HashMap, hash_map};
use std::io;

use codex_file_system::wrap::Calls;
use codex_file_system::{FileKind, ReadDirectoryEntry};
use codex_path_uri::{FileName, PathUri};
use codex_plugin::ManifestDirectories;

use super::finish::Finding;
use super::namespace::PlaceId;
use super::queue::{Entry, EntryId, Queue, Target};
use super::ready::Urgency;
use super::skills::{SidecarId, Skills, TextId};
use crate::limits::SkillScanLimits;
use crate::roots::{SkillRoot, SkillScope};

/// Index of a root among those of its environment.
pub(crate) type RootId = usize;
/// Index of a location of one root.
pub(crate) type LocationId = usize;

/// The location of the root itself.
pub(super) const TOP: LocationId = 0;

/// What a walk has to know of a root.
#[derive(Clone, Debug)]
pub(crate) struct WalkedRoot {
    pub(crate) path: PathUri,
    pub(crate) canonical: Option<PathUri>,
    /// Whether links are followed.
    pub(crate) follows_links: bool,
    /// Whether manifests name its skills: not if the namespace is given.
    pub(crate) reads_manifests: bool,
    /// Whether a missing root is reported.
    pub(crate) is_required: bool,
}

impl From<&SkillRoot> for WalkedRoot {
    fn from(root: &SkillRoot) -> Self {
        Self {
            path: root.path.clone(),
            canonical: root.canonical.clone(),
            follows_links: root.scope != SkillScope::System,
            reads_manifests: root.plugin.is_none(),
            is_required: root.required,
        }
    }
}

/// A directory of a root, however many ways lead to it.
#[derive(Debug)]
pub(super) struct Location {
    /// The spelling by which it is asked.
    pub(super) path: PathUri,
    /// Whether it lies in the root's own tree.
    pub(super) is_inside: bool,
    /// The directory above it as walked first; none at the top of a traversal.
    pub(super) parent: Option<LocationId>,
    /// The top of the traversal that walked it first: the root, or the target of a link.
    pub(super) traversal: LocationId,
    pub(super) listing: Listing,
    /// The manifest directories that its listing showed.
    pub(super) shown: ManifestDirectories,
    /// The place of the manifest in one of them, once a skill was judged that may need it.
    pub(super) place: Option<PlaceId>,
    /// What its listing showed under the name of a sidecar.
    pub(super) sidecar: Option<FileKind>,
    /// The sidecar in it, if a skill needed it.
    pub(super) read_sidecar: Option<SidecarId>,
    /// The text of the plain skill file in it.
    pub(super) text: Option<TextId>,
    /// The number of its turn among all listings of the environment.
    pub(super) turn: u64,
}

/// How far the listing of a location has come.
#[derive(Debug)]
pub(super) enum Listing {
    /// Not asked.
    Unasked,
    /// Ready to be asked, or in flight.
    Asked,
    /// Answered, and not its turn yet.
    Answered(Result<Vec<ReadDirectoryEntry>, io::ErrorKind>),
    /// Its turn has been.
    Consumed,
}

/// The canonical location of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Canonical {
    /// Nobody has needed it.
    Unasked,
    /// It is asked; the answer is not there.
    Asked,
    /// Given or answered.
    Known(PathUri),
    /// It cannot be told: the root counts as given.
    AsGiven,
}

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Walking,
    /// The entry limit ended it.
    Stopped,
}

/// One root.
#[derive(Debug)]
pub(super) struct RootWalk {
    pub(super) given: PathUri,
    pub(super) canonical: Canonical,
    /// Whether the canonical location was given, or a decision made it count.
    pub(super) needs_canonical: bool,
    /// Whether links are followed.
    pub(super) follows_links: bool,
    /// Whether manifests name its skills: not if the namespace is given.
    pub(super) reads_manifests: bool,
    /// Whether a missing root is reported.
    pub(super) is_required: bool,
    /// Whether a listing below a link had its turn.
    pub(super) has_several_tops: bool,
    /// Whether its own listing was answered with entries.
    pub(super) exists: bool,
    pub(super) limits: SkillScanLimits,
    pub(super) progress: Progress,
    pub(super) queue: Queue,
    pub(super) locations: Vec<Location>,
    by_path: HashMap<PathUri, LocationId>,
    pub(super) skills: Skills,
    /// In queue order.
    pub(super) findings: Vec<Finding>,
    pub(super) unlisted: Unlisted,
    /// Why the canonical location cannot be told, if that is worth a report.
    pub(super) unresolved: Option<io::ErrorKind>,
    pub(super) directories: u64,
    pub(super) entries: usize,
    pub(super) calls: Calls,
}

/// Directories that a limit left out.
#[derive(Debug, Default)]
pub(super) struct Unlisted {
    /// Too deep, by the listing that showed them; plain ones with their paths, links without.
    pub(super) deep: Vec<(LocationId, Option<PathUri>)>,
    /// Beyond the directory limit.
    pub(super) beyond: Vec<LocationId>,
    /// What ended the walk, if the entry limit did.
    pub(super) end: Option<WalkEnd>,
}

/// The listing that reached the entry limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkEnd {
    pub(super) location: LocationId,
    /// Names in it.
    pub(super) names: usize,
    /// Directories left in the queue.
    pub(super) left: u64,
}

impl RootWalk {
    pub(super) fn new(root: WalkedRoot, limits: SkillScanLimits) -> Self {
        let mut walk = Self {
            given: root.path.clone(),
            needs_canonical: root.canonical.is_some(),
            canonical: root.canonical.map_or(Canonical::Unasked, Canonical::Known),
            follows_links: root.follows_links,
            reads_manifests: root.reads_manifests,
            is_required: root.is_required,
            has_several_tops: false,
            exists: false,
            limits,
            progress: Progress::Walking,
            queue: Queue::new(limits.max_directories),
            locations: Vec::new(),
            by_path: HashMap::new(),
            skills: Skills::default(),
            findings: Vec::new(),
            unlisted: Unlisted::default(),
            unresolved: None,
            directories: 0,
            entries: 0,
            calls: Calls::default(),
        };
        let top = walk.locate(root.path.clone(), true);
        let entry = Entry::new(
            root.path.clone(),
            root.path.clone(),
            0,
            Target::Location(top),
        );
        walk.queue.append(vec![entry]);
        walk
    }

    /// The next entry, if the walk goes on.
    pub(super) fn head(&self) -> Option<&Entry> {
        match self.progress {
            Progress::Walking => self.queue.head(),
            Progress::Stopped => None,
        }
    }

    /// Makes room for so many more locations.
    pub(super) fn reserve(&mut self, more: usize) {
        self.locations.reserve(more);
        self.by_path.reserve(more);
    }

    /// The location asked by this spelling.
    fn locate(&mut self, path: PathUri, is_inside: bool) -> LocationId {
        let id = self.locations.len();
        match self.by_path.entry(path.clone()) {
            hash_map::Entry::Occupied(known) => return *known.get(),
            hash_map::Entry::Vacant(unknown) => unknown.insert(id),
        };
        self.locations.push(Location {
            path,
            is_inside,
            parent: None,
            traversal: id,
            listing: Listing::Unasked,
            shown: ManifestDirectories::EMPTY,
            place: None,
            sidecar: None,
            read_sidecar: None,
            text: None,
            turn: u64::MAX,
        });
        id
    }

    /// The location at this canonical path. The root's own must be settled.
    pub(super) fn locate_canonical(&mut self, path: PathUri) -> LocationId {
        match self.inside_spelling(&path) {
            Some(inside) => self.locate(inside, true),
            None => self.locate(path, false),
        }
    }

    /// The location of a plain directory that was listed as `path` in `parent`.
    pub(super) fn locate_below(&mut self, parent: LocationId, path: PathUri) -> LocationId {
        let is_inside = self.locations.get(parent).is_some_and(|it| it.is_inside);
        // Walking down from above the root, one arrives at the root.
        if is_inside {
            self.locate(path, true)
        } else {
            self.locate_canonical(path)
        }
    }

    /// The location that a plain directory listed as `path` in `parent` is, if the walk knows it.
    pub(super) fn find_below(&self, parent: LocationId, path: &PathUri) -> Option<LocationId> {
        let is_below_inside = self.locations.get(parent)?.is_inside;
        let is_inside = is_below_inside || self.inside_spelling(path).is_some();
        let found = match is_below_inside {
            true => self.find(path),
            false => self.find_canonical(path),
        };
        // The root may be given by way of a link that lies elsewhere.
        found.filter(|id| {
            let known = self.locations.get(*id);
            known.is_some_and(|known| known.is_inside == is_inside)
        })
    }

    /// Lets the root count as given. Returns its canonical location if that was known.
    pub(super) fn forget_canonical(&mut self) -> Option<PathUri> {
        match std::mem::replace(&mut self.canonical, Canonical::AsGiven) {
            Canonical::Known(canonical) => Some(canonical),
            _ => None,
        }
    }

    /// The location at this canonical path, if the walk knows it.
    pub(super) fn find_canonical(&self, path: &PathUri) -> Option<LocationId> {
        let found = match self.inside_spelling(path) {
            Some(inside) => self.by_path.get(&inside),
            None => self.by_path.get(path),
        };
        found.copied()
    }

    /// The location asked by this spelling, if the walk knows it.
    pub(super) fn find(&self, path: &PathUri) -> Option<LocationId> {
        self.by_path.get(path).copied()
    }

    /// The spelling by which a canonical path in the root's tree is asked.
    pub(super) fn inside_spelling(&self, path: &PathUri) -> Option<PathUri> {
        match &self.canonical {
            Canonical::Known(canonical) => rebase(path, canonical, &self.given),
            Canonical::Unasked | Canonical::Asked | Canonical::AsGiven => {
                path.starts_with(&self.given).then(|| path.clone())
            }
        }
    }

    /// The canonical path of a location, or its path below the root as given while that counts.
    pub(super) fn canonical_path(&self, location: LocationId) -> PathUri {
        let Some(location) = self.locations.get(location) else {
            return self.given.clone();
        };
        match &self.canonical {
            Canonical::Known(canonical) if location.is_inside => {
                rebase(&location.path, &self.given, canonical)
                    .unwrap_or_else(|| location.path.clone())
            }
            _ => location.path.clone(),
        }
    }

    pub(super) fn is_consumed(&self, location: LocationId) -> bool {
        self.locations
            .get(location)
            .is_some_and(|it| it.turn != u64::MAX)
    }

    /// How urgent the listing of an entry is, and what has to be asked before it.
    pub(super) fn urgency(&self, id: RootId, entry: EntryId) -> Urgency {
        let entry = self.queue.entry(entry);
        entry.map_or((0, id, 0), |entry| (entry.depth, id, entry.position))
    }

    /// The location an entry leads to, if that is known.
    pub(super) fn target(&self, entry: EntryId) -> Option<LocationId> {
        match self.queue.entry(entry)?.target {
            Target::Location(location) => Some(location),
            _ => None,
        }
    }

    /// The chain of locations from one up to the top of its traversal.
    pub(super) fn chain(&self, location: LocationId) -> impl Iterator<Item = LocationId> {
        std::iter::successors(Some(location), |id| self.locations.get(*id)?.parent)
    }

    pub(super) fn traversal(&self, location: LocationId) -> LocationId {
        self.locations.get(location).map_or(TOP, |it| it.traversal)
    }
}

/// A path below `from`, below `to` instead.
pub(super) fn rebase(path: &PathUri, from: &PathUri, to: &PathUri) -> Option<PathUri> {
    if from == to {
        return path.starts_with(from).then(|| path.clone());
    }
    let names = path.names_below(from)?;
    names
        .into_iter()
        .try_fold(to.clone(), |path, name| path.join_name(&name).ok())
}

/// A path with one more name, unless the path takes none.
pub(super) fn child(path: &PathUri, name: &FileName) -> Option<PathUri> {
    path.join_name(name).ok()
}
