//! What a walk found, in queue order.
//!
//! Everything is spelled canonically here, as far as the walk got to know canonical locations, and
//! the waiting states are gone: what was not answered was not needed.

use std::collections::HashSet;
use std::io;

use codex_file_system::wrap::Calls;
use codex_path_uri::{FileName, PathUri};

use super::EnvironmentWalk;
use super::namespace::{PlaceId, RefusedManifest};
use super::queue::{Entry, Target};
use super::root::{LocationId, RootId, RootWalk, TOP, Unlisted, child};
use super::skills::{Found, SidecarId, SidecarPlace, SidecarState, SkillFile, SkillId, SkillText};
use crate::diagnostics::{ScanLimit, SkillDiagnosticCode as Code};
use crate::limits::{SIDECAR_DIRECTORY, SIDECAR_FILE_NAME, SKILL_FILE_NAME};
use crate::text::fold_to_some;

/// Something to report, at its place in the queue.
#[derive(Clone, Debug)]
pub(super) enum Finding {
    RootMissing,
    RootNotDirectory,
    Unreadable(LocationId, io::ErrorKind),
    UnreadableLink(PathUri, io::ErrorKind),
    Misnamed(LocationId, FileName),
    SystemLink(LocationId, FileName),
    Skill(SkillId),
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
        kind: Option<io::ErrorKind>,
    },
    Skill(FoundSkill),
}

/// A directory that lists a skill file, with all that was read for it.
#[derive(Debug)]
pub(crate) struct FoundSkill {
    pub(crate) entrypoint: PathUri,
    pub(crate) identity: PathUri,
    pub(crate) directory: PathUri,
    pub(crate) text: SkillText,
    pub(crate) sidecar: Option<SidecarFile>,
    /// The namespace of the nearest manifest, folded; none if that is blank.
    pub(crate) namespace: Option<String>,
    /// Manifests on the way to the namespace that were refused, nearest first; one may stand twice.
    pub(crate) refused: Vec<RefusedManifest>,
}

/// A sidecar, or what stands in its place.
#[derive(Debug)]
pub(crate) struct SidecarFile {
    pub(crate) path: PathUri,
    /// Nothing: a directory.
    pub(crate) contents: Option<Result<Vec<u8>, io::ErrorKind>>,
}

impl EnvironmentWalk {
    /// What was found, by root in the order they were given.
    pub(crate) fn finish(mut self) -> Vec<RootFindings> {
        self.forget_unneeded_roots();
        let costs: Vec<(RootId, Calls)> = self.places.costs().collect();
        for (root, cost) in costs {
            if let Some(root) = self.roots.get_mut(root) {
                root.calls.read_file += cost.read_file;
                root.calls.get_metadata += cost.get_metadata;
            }
        }
        (0..self.roots.len())
            .filter_map(|root| self.findings(root))
            .collect()
    }

    /// Lets every root count as given whose canonical location no decision needed. It may be known
    /// all the same: it is asked for as soon as a link is seen, and the walk may stop before that
    /// link has its turn.
    fn forget_unneeded_roots(&mut self) {
        for root in self.roots.iter_mut().filter(|root| !root.needs_canonical) {
            root.unresolved = None;
            if let Some(canonical) = root.forget_canonical() {
                self.places.rename(&canonical, &root.given);
            }
        }
    }

    fn findings(&mut self, id: RootId) -> Option<RootFindings> {
        let mut texts = self.roots.get_mut(id)?.skills.give_texts();
        let root = self.roots.get(id)?;
        let unresolved = root.unresolved.map(|kind| Report::Problem {
            code: Code::LinkUnreadable,
            path: root.given.clone(),
            kind: Some(kind),
        });
        let found = root
            .findings
            .iter()
            .filter_map(|finding| self.report(id, root, finding, &mut texts));
        let mut reports = Vec::with_capacity(1 + root.findings.len());
        reports.extend(unresolved.into_iter().chain(found));
        Some(RootFindings {
            reports,
            limits: root.limits_reached(),
            canonical: root.canonical_path(TOP),
            directories: root.directories,
            entries: u64::try_from(root.entries).unwrap_or(u64::MAX),
            calls: root.calls,
        })
    }

    /// One finding as it is reported; of a skill it takes the text away.
    fn report(
        &self,
        id: RootId,
        root: &RootWalk,
        finding: &Finding,
        texts: &mut [SkillText],
    ) -> Option<Report> {
        let problem = |code, path: PathUri, kind| Report::Problem { code, path, kind };
        let below = |location, name: &FileName| child(&root.canonical_path(location), name);
        let given = || root.given.clone();
        Some(match finding {
            Finding::RootMissing => problem(Code::RootMissing, given(), None),
            Finding::RootNotDirectory => {
                let kind = Some(io::ErrorKind::NotADirectory);
                problem(Code::RootNotDirectory, given(), kind)
            }
            Finding::Unreadable(location, kind) => {
                let path = root.canonical_path(*location);
                problem(Code::DirectoryUnreadable, path, Some(*kind))
            }
            Finding::UnreadableLink(path, kind) => {
                problem(Code::LinkUnreadable, path.clone(), Some(*kind))
            }
            Finding::Misnamed(location, name) => {
                problem(Code::SkillFileMisnamed, below(*location, name)?, None)
            }
            Finding::SystemLink(location, name) => {
                problem(Code::SkillLinkNotFollowed, below(*location, name)?, None)
            }
            Finding::Skill(skill) => {
                let found = root.skills.found.get(*skill)?;
                let text = texts.get_mut(*skill)?;
                let text = std::mem::replace(text, SkillText::Absent);
                Report::Skill(self.skill(id, root, found, text)?)
            }
        })
    }

    fn skill(
        &self,
        id: RootId,
        root: &RootWalk,
        found: &Found,
        text: SkillText,
    ) -> Option<FoundSkill> {
        let location = root.locations.get(found.location)?;
        let directory = root.canonical_path(found.location);
        let identity = match &found.file {
            SkillFile::Linked(target, _) | SkillFile::Resolved(target) => target.clone(),
            SkillFile::Plain(path, _) if directory == location.path => path.clone(),
            _ => directory.join(SKILL_FILE_NAME).ok()?,
        };
        let (namespace, refused) = self.namespace(id, root, found.location);
        Some(FoundSkill {
            entrypoint: found.entrypoint.clone(),
            identity,
            text,
            sidecar: sidecar_of(root, found, &directory),
            directory,
            namespace,
            refused,
        })
    }

    /// The namespace of the skills in a location, and the refused manifests on the way to it.
    fn namespace(
        &self,
        id: RootId,
        root: &RootWalk,
        location: LocationId,
    ) -> (Option<String>, Vec<RefusedManifest>) {
        let top = root.canonical_path(root.traversal(location));
        let nearest = root
            .places(location)
            .find_map(|place| self.places.namespace(place));
        let judged: &[PlaceId] = match nearest {
            Some(_) => &[],
            None => self.fallbacks.judged(&top),
        };
        let above = self.places_above(id, location);
        let on_the_way = root.places(location).chain(above);
        let refused = on_the_way
            .chain(judged.iter().copied())
            .filter_map(|place| self.places.refusal(place))
            .collect();
        let namespace = nearest.or_else(|| self.fallbacks.namespace(&top, &self.places));
        let namespace = namespace.and_then(|it| fold_to_some(it.namespace()));
        (namespace, refused)
    }
}

impl RootWalk {
    fn limits_reached(&self) -> Vec<ReachedLimit> {
        let is_unlisted = |(parent, path): &&(LocationId, Option<PathUri>)| {
            let known = path.as_ref().and_then(|it| self.find_below(*parent, it));
            known.is_none_or(|location| !self.is_consumed(location))
        };
        let Unlisted { deep, beyond, end } = &self.unlisted;
        let first_deep = deep.iter().find(is_unlisted).map(|(parent, _)| *parent);
        let many_deep = deep.iter().filter(is_unlisted).count();
        let many_beyond = beyond.iter().collect::<HashSet<_>>().len();
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let reached = |limit, most, at, names, not_listed| ReachedLimit {
            limit,
            most,
            at: self.canonical_path(at),
            names,
            not_listed,
        };
        let deep = first_deep.map(|at| {
            let most = self.limits.max_depth;
            reached(ScanLimit::Depth, most, at, 0, count(many_deep))
        });
        let beyond = beyond.first().map(|at| {
            let most = self.limits.max_directories;
            reached(ScanLimit::Directories, most, *at, 0, count(many_beyond))
        });
        let end = end.map(|end| {
            let most = self.limits.max_entries;
            reached(ScanLimit::Entries, most, end.location, end.names, end.left)
        });
        deep.into_iter().chain(beyond).chain(end).collect()
    }

    /// How many directories the end of the walk leaves in the queue. What a link leads to does not
    /// count, whether it is known or not, because that would depend on the order of answers.
    pub(super) fn count_left(&self) -> u64 {
        let mut plain = HashSet::new();
        let mut is_left = |entry: &Entry| match self.plain_location(entry) {
            Some(location) => !self.is_consumed(location) && plain.insert(location),
            None => true,
        };
        let left = self.queue.rest().filter(|entry| is_left(entry)).count();
        u64::try_from(left).unwrap_or(u64::MAX)
    }

    /// The location an entry is if it is no link, as far as it was met. Where nobody said whether it
    /// is one, that is the same whether the answer is there or not.
    fn plain_location(&self, entry: &Entry) -> Option<LocationId> {
        match entry.target {
            Target::Location(location) if !entry.is_link => Some(location),
            Target::Unflagged => self.find_below(entry.parent?, &entry.path),
            _ => None,
        }
    }
}

fn sidecar_of(root: &RootWalk, found: &Found, directory: &PathUri) -> Option<SidecarFile> {
    let path = |place: SidecarPlace| {
        let sidecars = match place {
            SidecarPlace::In(location) => root.canonical_path(location),
            SidecarPlace::Unseen => directory.join(SIDECAR_DIRECTORY).ok()?,
        };
        sidecars.join(SIDECAR_FILE_NAME).ok()
    };
    let contents = |sidecar: SidecarId| root.skills.sidecars.get(sidecar)?.clone();
    let (place, contents) = match found.sidecar {
        SidecarState::Absent => return None,
        SidecarState::Directory(location) => (SidecarPlace::In(location), None),
        SidecarState::File(place, sidecar) => match contents(sidecar)? {
            Err(io::ErrorKind::NotFound) => return None,
            Err(io::ErrorKind::IsADirectory) => (place, None),
            contents => (place, Some(contents)),
        },
    };
    Some(SidecarFile {
        path: path(place)?,
        contents,
    })
}
