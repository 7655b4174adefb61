//! What a discovery found, in queue order, and what limits left out.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::sync::Arc;

use codex_file_system::ExecutorFileSystem;
use codex_file_system::wrap::Calls;
use codex_path_uri::{FileName, PathUri};

use super::Discovery;
use super::ask::CallFailure;
use super::contents::{SidecarState, SkillText};
use super::namespace::RefusedManifest;
use super::root::{Directory, Entry, Link, Location, RootWalk, child};
use crate::diagnostics::{ScanLimit, SkillDiagnosticCode as Code};
use crate::limits::SKILL_FILE_NAME;

/// Something to report, at its place in the queue.
#[derive(Debug)]
pub(super) enum Finding {
    /// Of the root itself.
    Root(Code, Option<Obstacle>),
    /// A directory that cannot be listed.
    Unreadable(Arc<Directory>, io::ErrorKind),
    /// A link that leads nowhere, by its path as walked.
    Link(PathUri, Obstacle),
    /// Something of this name in a directory.
    Named(Code, Arc<Directory>, FileName, Option<Obstacle>),
    Skill(usize),
}

/// Why something is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The filesystem said so.
    Io(io::ErrorKind),
    /// It is a link without a target.
    BrokenLink,
    /// It is neither a file nor a directory.
    NotAFile,
}

impl Obstacle {
    pub(crate) fn io_kind(self) -> Option<io::ErrorKind> {
        match self {
            Self::Io(kind) => Some(kind),
            Self::BrokenLink => Some(io::ErrorKind::NotFound),
            Self::NotAFile => None,
        }
    }
}

impl From<CallFailure> for Obstacle {
    fn from(failure: CallFailure) -> Self {
        match failure.is_broken_link {
            true => Self::BrokenLink,
            false => Self::Io(failure.kind),
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(kind) => kind.fmt(formatter),
            Self::BrokenLink => formatter.write_str("a link without a target"),
            Self::NotAFile => formatter.write_str("neither a file nor a directory"),
        }
    }
}

/// Directories that a limit left out.
#[derive(Debug, Default)]
pub(super) struct Unlisted {
    /// Too deep, by the listing that showed them; plain ones with their paths, links without.
    pub(super) deep: Vec<(Arc<Directory>, Option<PathUri>)>,
    /// Beyond the directory limit.
    pub(super) beyond: Vec<Location>,
    /// What ended the walk, if the entry limit did: the listing, its names, the directories left.
    pub(super) end: Option<(Arc<Directory>, usize, u64)>,
}

/// What was found below one root.
#[derive(Debug)]
pub(crate) struct RootFindings {
    pub(crate) reports: Vec<Report>,
    /// Limits that were reached, in the order of their report.
    pub(crate) limits: Vec<ReachedLimit>,
    /// The canonical root, or the root as given while that counts.
    pub(crate) canonical: PathUri,
    pub(crate) directories: u64,
    pub(crate) entries: u64,
    pub(crate) calls: Calls,
}

/// A limit of the walk of one root, and what it left out.
#[derive(Clone, Debug)]
pub(crate) struct ReachedLimit {
    pub(crate) limit: ScanLimit,
    /// The value of the limit.
    pub(crate) most: usize,
    /// Where it was reached: what showed the first directory that lies too deep, the first directory
    /// that is too much, or the directory whose names ended the walk.
    pub(crate) at: PathUri,
    /// Names in that directory, where they ended the walk.
    pub(crate) names: usize,
    /// Directories that are known and not listed.
    pub(crate) not_listed: u64,
}

/// One finding, in queue order.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all findings are skills, so a box would save no room"
)]
pub(crate) enum Report {
    Problem {
        code: Code,
        path: PathUri,
        obstacle: Option<Obstacle>,
    },
    Skill(FoundSkill),
}

/// A directory that lists a skill file, with all that was read for it, spelled canonically as far as
/// canonical locations are known.
#[derive(Debug)]
pub(crate) struct FoundSkill {
    pub(crate) entrypoint: PathUri,
    pub(crate) identity: PathUri,
    pub(crate) directory: PathUri,
    pub(crate) text: SkillText,
    pub(crate) sidecar: SidecarState,
    /// The namespace of the nearest manifest, folded; none if that is blank.
    pub(crate) namespace: Option<String>,
    /// Manifests on the way to the namespace that were refused, nearest first; one may stand twice.
    pub(crate) refused: Vec<RefusedManifest>,
}

impl<F: ExecutorFileSystem + ?Sized> Discovery<'_, '_, F> {
    /// What was found below a root.
    pub(super) fn findings_of(&mut self, id: usize) -> Option<RootFindings> {
        let findings = std::mem::take(&mut self.roots.get_mut(id)?.findings);
        let mut reports = Vec::with_capacity(1 + findings.len());
        let root = self.roots.get(id)?;
        reports.extend(root.unresolved.map(|kind| Report::Problem {
            code: Code::LinkUnreadable,
            path: root.given.clone(),
            obstacle: Some(Obstacle::Io(kind)),
        }));
        for finding in findings {
            let report = match finding {
                Finding::Skill(skill) => self.found_skill(id, skill).map(Report::Skill),
                problem => self.roots.get(id).and_then(|root| root.problem(problem)),
            };
            reports.extend(report);
        }
        let root = self.roots.get(id)?;
        Some(RootFindings {
            reports,
            limits: limits_reached(root),
            canonical: root.canonical_root().clone(),
            directories: root.directories,
            entries: count(root.entries),
            calls: self.asker.calls(id),
        })
    }

    /// A skill as it is reported; takes its text away.
    fn found_skill(&mut self, id: usize, skill: usize) -> Option<FoundSkill> {
        let root = self.roots.get(id)?;
        let found = root.skills.get(skill)?;
        let directory = root.canonical_path(&found.directory.location);
        let identity = match &found.target {
            Some(target) => target.clone(),
            None => directory.join(SKILL_FILE_NAME).ok()?,
        };
        let (namespace, refused) = self
            .namespaces
            .namespace(&self.roots, root, &found.directory);
        Some(FoundSkill {
            entrypoint: found.entrypoint.clone(),
            identity,
            text: self.contents.take_text(root, found),
            sidecar: self.contents.sidecar(root, found),
            directory,
            namespace,
            refused,
        })
    }
}

impl RootWalk {
    fn problem(&self, finding: Finding) -> Option<Report> {
        let (code, path, obstacle) = match finding {
            Finding::Root(code, obstacle) => (code, self.given.clone(), obstacle),
            Finding::Unreadable(directory, kind) => {
                let path = self.canonical_path(&directory.location);
                (Code::DirectoryUnreadable, path, Some(Obstacle::Io(kind)))
            }
            Finding::Link(path, obstacle) => (Code::LinkUnreadable, path, Some(obstacle)),
            Finding::Named(code, directory, name, obstacle) => {
                let directory = self.canonical_path(&directory.location);
                (code, child(&directory, &name)?, obstacle)
            }
            Finding::Skill(_) => return None,
        };
        Some(Report::Problem {
            code,
            path,
            obstacle,
        })
    }
}

fn limits_reached(root: &RootWalk) -> Vec<ReachedLimit> {
    let Unlisted { deep, beyond, end } = &root.unlisted;
    let is_unlisted = |(parent, path): &&(Arc<Directory>, Option<PathUri>)| {
        path.as_ref().is_none_or(|path| {
            let location = root.location_below(Some(parent), path);
            !root.visited.contains_key(&location)
        })
    };
    let reached = |limit, most, at: &Location, names, not_listed| ReachedLimit {
        limit,
        most,
        at: root.canonical_path(at),
        names,
        not_listed,
    };
    let first_deep = deep.iter().find(is_unlisted);
    let many_deep = count(deep.iter().filter(is_unlisted).count());
    let deep = first_deep.map(|(parent, _)| {
        let (most, at) = (root.limits.max_depth, &parent.location);
        reached(ScanLimit::Depth, most, at, 0, many_deep)
    });
    let many_beyond = count(beyond.iter().collect::<HashSet<_>>().len());
    let beyond = beyond.first().map(|at| {
        let most = root.limits.max_directories;
        reached(ScanLimit::Directories, most, at, 0, many_beyond)
    });
    let end = end.as_ref().map(|(at, names, left)| {
        let most = root.limits.max_entries;
        reached(ScanLimit::Entries, most, &at.location, *names, *left)
    });
    deep.into_iter().chain(beyond).chain(end).collect()
}

/// How many directories the end of the walk leaves in the queue. What a link leads to never counts as
/// listed, whether it is known or not.
pub(super) fn count_left(root: &RootWalk) -> u64 {
    let mut plain = HashSet::new();
    let mut is_left = |entry: &Entry| {
        let location = root.location_below(entry.parent.as_deref(), &entry.path);
        match entry.link {
            Link::No => !root.visited.contains_key(&location) && plain.insert(location),
            Link::Unknown => !root.visited.contains_key(&location),
            Link::Yes | Link::NotFollowed | Link::Gone => true,
        }
    };
    count(root.queue.iter().filter(|it| is_left(it)).count())
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
