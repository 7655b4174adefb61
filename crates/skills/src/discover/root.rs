//! One root of a discovery: its directories, and the two spellings they have.
//!
//! What lies below a root is asked by the spelling of the root as given; what lies below a link by
//! the canonical spelling of the target. A directory inside the root's tree that a link leads to is
//! turned back into the first spelling, so that one directory is one location. The canonical
//! spelling of the root's tree is asked only if something depends on it.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;

use codex_file_system::{
    Answer, ExecutorFileSystem, Expectation, FileKind, ReadCall, ReadDirectoryEntry,
};
use codex_path_uri::{FileName, PathUri};
use codex_plugin::ManifestDirectories;

use super::ask::{Asker, CallFailure};
use super::findings::{Finding, Unlisted};
use crate::limits::SkillScanLimits;
use crate::options::SkillLoadOptions;
use crate::roots::{SkillRoot, SkillScope};

/// What a discovery has to know of a root.
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

/// How a directory is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Location {
    pub(super) path: PathUri,
    /// Whether it lies in the root's own tree.
    pub(super) is_inside: bool,
}

/// A directory that had its turn.
#[derive(Debug)]
pub(super) struct Directory {
    pub(super) location: Location,
    /// The directory above it as walked first; none at the top of a traversal.
    pub(super) parent: Option<Arc<Directory>>,
    /// The manifest directories that its listing showed.
    pub(super) manifests: ManifestDirectories,
    /// What its listing showed under the name of a sidecar.
    pub(super) sidecar: Option<FileKind>,
    /// Why it could not be listed.
    pub(super) failure: Option<CallFailure>,
    /// Whether it or a directory above it holds a skill file.
    pub(super) belongs_to_skill: bool,
    /// The number of its turn among all listings of the environment.
    pub(super) turn: u64,
}

impl Directory {
    /// The directories from this one up to the top of its traversal.
    pub(super) fn chain(&self) -> impl Iterator<Item = &Directory> {
        std::iter::successors(Some(self), |it| it.parent.as_deref())
    }

    /// The top of its traversal: the root, or the target of a link.
    pub(super) fn top(&self) -> &Directory {
        self.chain().last().unwrap_or(self)
    }
}

/// A directory that a listing showed, or the root itself.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Its path as walked: below the root as given, links by their own names.
    pub(super) walked: PathUri,
    /// The spelling by which it is asked, links by their own names.
    pub(super) path: PathUri,
    /// Directories between it and the root along the path walked, itself included.
    pub(super) depth: usize,
    /// The directory whose listing showed it; none for the root.
    pub(super) parent: Option<Arc<Directory>>,
    /// The skill whose sidecar directory it is.
    pub(super) sidecar_of: Option<usize>,
    pub(super) link: Link,
}

/// Whether a directory is a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    No,
    Yes,
    /// The listing did not say.
    Unknown,
    /// A link that is not followed.
    NotFollowed,
    /// It went away.
    Gone,
}

impl From<Option<bool>> for Link {
    fn from(is_symlink: Option<bool>) -> Self {
        match is_symlink {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::Unknown,
        }
    }
}

/// The canonical location of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Canonical {
    /// Nothing has needed it.
    Unasked,
    /// Given or answered.
    Known(PathUri),
    /// It cannot be told: the root counts as given.
    AsGiven,
}

/// One root.
#[derive(Debug)]
pub(super) struct RootWalk {
    /// Its index among the roots of its environment.
    pub(super) id: usize,
    pub(super) given: PathUri,
    pub(super) canonical: Canonical,
    /// Why the canonical location cannot be told, if that is worth a report.
    pub(super) unresolved: Option<io::ErrorKind>,
    pub(super) follows_links: bool,
    pub(super) reads_manifests: bool,
    pub(super) is_required: bool,
    /// Whether its own listing was answered with entries.
    pub(super) exists: bool,
    /// Whether a listing below a link had its turn.
    pub(super) has_several_tops: bool,
    /// Where manifests may be.
    pub(super) manifest_locations: ManifestDirectories,
    pub(super) limits: SkillScanLimits,
    pub(super) queue: VecDeque<Entry>,
    pub(super) visited: HashMap<Location, Arc<Directory>>,
    pub(super) skills: Vec<super::contents::DiscoveredSkill>,
    /// In queue order.
    pub(super) findings: Vec<Finding>,
    pub(super) unlisted: Unlisted,
    pub(super) directories: u64,
    pub(super) entries: usize,
}

impl RootWalk {
    pub(super) fn new(id: usize, root: WalkedRoot, options: &SkillLoadOptions) -> Self {
        let entry = Entry {
            walked: root.path.clone(),
            path: root.path.clone(),
            depth: 0,
            parent: None,
            sidecar_of: None,
            link: Link::No,
        };
        Self {
            id,
            given: root.path,
            canonical: root.canonical.map_or(Canonical::Unasked, Canonical::Known),
            unresolved: None,
            follows_links: root.follows_links,
            reads_manifests: root.reads_manifests,
            is_required: root.is_required,
            exists: false,
            has_several_tops: false,
            manifest_locations: options.manifest_locations.0,
            limits: options.limits,
            queue: VecDeque::from([entry]),
            visited: HashMap::new(),
            skills: Vec::new(),
            findings: Vec::new(),
            unlisted: Unlisted::default(),
            directories: 0,
            entries: 0,
        }
    }

    /// Learns the canonical location of the root, on which something depends from here on. Returns
    /// whether it was unknown.
    pub(super) async fn resolve<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
    ) -> bool {
        if self.canonical != Canonical::Unasked {
            return false;
        }
        self.canonical = match asker.canonicalize(self.id, &self.given).await {
            Ok(path) => Canonical::Known(path),
            Err(failure) => {
                self.unresolved = Some(failure.kind).filter(|it| *it != io::ErrorKind::NotFound);
                Canonical::AsGiven
            }
        };
        true
    }

    /// The location of a plain directory that the listing of its parent showed.
    pub(super) fn location_below(&self, parent: Option<&Directory>, path: &PathUri) -> Location {
        // Walking down from above the root, one arrives at the root.
        match parent.is_some_and(|it| !it.location.is_inside) {
            true => self.location_at(path),
            false => Location {
                path: path.clone(),
                is_inside: true,
            },
        }
    }

    /// The location at a canonical path.
    pub(super) fn location_at(&self, path: &PathUri) -> Location {
        let inside = self.inside_spelling(path);
        Location {
            is_inside: inside.is_some(),
            path: inside.unwrap_or_else(|| path.clone()),
        }
    }

    /// The spelling by which a canonical path in the root's tree is asked.
    pub(super) fn inside_spelling(&self, path: &PathUri) -> Option<PathUri> {
        rebase(path, self.canonical_root(), &self.given)
    }

    /// The canonical root, or the root as given while that counts.
    pub(super) fn canonical_root(&self) -> &PathUri {
        match &self.canonical {
            Canonical::Known(canonical) => canonical,
            Canonical::Unasked | Canonical::AsGiven => &self.given,
        }
    }

    /// The canonical path of a location, as far as it is known.
    pub(super) fn canonical_path(&self, location: &Location) -> PathUri {
        let canonical = match location.is_inside {
            true => rebase(&location.path, &self.given, self.canonical_root()),
            false => None,
        };
        canonical.unwrap_or_else(|| location.path.clone())
    }

    /// Expects the listings of the queue from position `first` on, and what is asked before them.
    ///
    /// What may lie beyond the directory limit is not expected: each entry before counts as a
    /// directory of its own, and so do `taken` entries that have their turn.
    pub(super) fn expect_entries<F: ExecutorFileSystem + ?Sized>(
        &self,
        asker: &Asker<'_, '_, F>,
        first: usize,
        taken: usize,
    ) {
        let most = self.limits.max_directories;
        let listed = self.visited.len() + taken;
        let fits_all = listed + self.queue.len() <= most;
        for (position, entry) in self.queue.iter().enumerate().skip(first) {
            let fits = match entry.link {
                // Where it stands in the queue is not certain yet.
                Link::Unknown => fits_all,
                _ => listed + position < most,
            };
            asker.fs.expect_all(self.expectations(entry, fits));
        }
    }

    fn expectations<'f>(&self, entry: &Entry, fits: bool) -> Vec<Expectation<'f>> {
        let path = &entry.path;
        match entry.link {
            Link::No => {
                let location = self.location_below(entry.parent.as_deref(), path);
                let listing = ReadCall::listing(&location.path).into();
                Vec::from_iter(Some(listing).filter(|_| fits))
            }
            Link::Yes => self.link_expectations(path, fits),
            Link::Unknown => {
                let plain = self.location_below(entry.parent.as_deref(), path).path;
                let link = match self.follows_links {
                    true => self.link_expectations(path, fits),
                    false => Vec::new(),
                };
                vec![ReadCall::metadata(path).then(move |answer| match answer {
                    Answer::Metadata(it) if it.is_symlink == Some(false) => {
                        Vec::from_iter(fits.then(|| ReadCall::listing(&plain).into()))
                    }
                    _ => link,
                })]
            }
            Link::NotFollowed | Link::Gone => Vec::new(),
        }
    }

    /// Where a link leads, then the listing there once it can be told how that is asked.
    fn link_expectations<'f>(&self, path: &PathUri, fits: bool) -> Vec<Expectation<'f>> {
        let link = ReadCall::canonical(path);
        if self.canonical == Canonical::Unasked {
            return vec![link.into(), ReadCall::canonical(&self.given).into()];
        }
        vec![self.target_expectation(path, move |target| fits.then(|| ReadCall::listing(target)))]
    }

    /// What the target of a link makes probable, asked by the spelling that it has here.
    pub(super) fn target_expectation<'f>(
        &self,
        link: &PathUri,
        next: impl FnOnce(&PathUri) -> Option<ReadCall> + Send + 'f,
    ) -> Expectation<'f> {
        let (canonical, given) = (self.canonical_root().clone(), self.given.clone());
        ReadCall::canonical(link).then(move |answer| {
            let Answer::CanonicalPath(target) = answer else {
                return Vec::new();
            };
            let inside = rebase(target, &canonical, &given);
            let next = next(inside.as_ref().unwrap_or(target));
            Vec::from_iter(next.map(Expectation::from))
        })
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

/// A listing in the order of names, whatever order it came in.
pub(super) fn sorted(mut listing: Vec<ReadDirectoryEntry>) -> Vec<ReadDirectoryEntry> {
    listing.sort_by(|a, b| a.file_name.cmp(&b.file_name));
    listing
}
