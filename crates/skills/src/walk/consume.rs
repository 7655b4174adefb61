//! The turn of one listing: what it shows, and what follows from it.

use std::io;

use codex_file_system::ReadDirectoryEntry;
use codex_path_uri::{FileName, PathUri};
use codex_plugin::ManifestDirectories;

use super::EnvironmentWalk;
use super::call::{Call, Purpose};
use super::finish::Finding;
use super::listing::Sorted;
use super::queue::{Entry, EntryId, Target};
use super::root::{Listing, LocationId, Progress, RootId, RootWalk, TOP, WalkEnd, child};
use super::skills::{Found, SidecarState, SkillFile, SkillId};
use crate::limits::{SIDECAR_DIRECTORY, SIDECAR_FILE_NAME, SKILL_FILE_NAME};

impl EnvironmentWalk {
    /// Gives the next entry its turn. Returns whether there was one whose answer is there.
    pub(super) fn consume_next(&mut self) -> bool {
        let heads = self.roots.iter().zip(0..);
        let heads = heads.filter_map(|(root, id)| root.head().map(|entry| (entry.depth, id)));
        let next = heads.min();
        self.roots_are_known |= next.is_none_or(|(depth, _)| depth > 0);
        let Some((_, id)) = next else { return false };
        let Some(root) = self.roots.get_mut(id) else {
            return false;
        };
        let Some(entry) = root.head().cloned() else {
            return false;
        };
        root.needs_canonical |= entry.is_link && entry.target != Target::NotFollowed;
        match entry.target {
            Target::Unflagged | Target::Link | Target::Resolved(_) => return false,
            Target::Gone => {}
            Target::NotFollowed => self.read_unseen_sidecar(id, entry.beside),
            Target::Unreadable(kind) => {
                root.findings
                    .push(Finding::UnreadableLink(entry.walked, kind));
            }
            Target::Location(location) if root.is_consumed(location) => {
                self.see_sidecar(id, entry.beside, location);
            }
            Target::Location(location) if root.queue.head_is_beyond_limit() => {
                root.unlisted.beyond.push(location);
                self.read_unseen_sidecar(id, entry.beside);
            }
            Target::Location(location) => {
                let Some(answer) = take_listing(root, location) else {
                    return false;
                };
                root.queue.consume_head();
                self.consume_listing(id, location, &entry, answer);
                return true;
            }
        }
        if let Some(root) = self.roots.get_mut(id) {
            root.queue.consume_head();
        }
        true
    }

    fn consume_listing(
        &mut self,
        id: RootId,
        location: LocationId,
        entry: &Entry,
        answer: Result<Vec<ReadDirectoryEntry>, io::ErrorKind>,
    ) {
        self.turns += 1;
        let (turn, wanted) = (self.turns, self.locations);
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        root.walk_into(location, entry, turn);
        let listing = match answer {
            Ok(listing) => Sorted::new(listing),
            Err(kind) => {
                root.report_unlisted(location, entry.depth, kind);
                return;
            }
        };
        root.exists |= entry.depth == 0;
        root.directories += 1;
        root.entries += listing.len();
        let shown = match root.reads_manifests {
            true => listing.manifest_directories().intersection(wanted),
            false => ManifestDirectories::EMPTY,
        };
        if let Some(known) = root.locations.get_mut(location) {
            known.shown = shown;
            known.sidecar = listing.kind_of(SIDECAR_FILE_NAME);
        }
        if !shown.is_empty() {
            self.shown.push_back((id, location));
        }
        self.see_sidecar(id, entry.beside, location);
        let skill = self.find_skill(id, location, entry, &listing);
        self.queue_directories(id, location, entry, skill, &listing);
        self.stop_at_entry_limit(id, location, listing.len());
    }

    /// Makes a directory with a skill file a skill, and asks for the file.
    fn find_skill(
        &mut self,
        id: RootId,
        location: LocationId,
        entry: &Entry,
        listing: &Sorted,
    ) -> Option<SkillId> {
        let root = self.roots.get_mut(id)?;
        let Some(file) = listing.file(SKILL_FILE_NAME) else {
            let misnamed = listing.files(|name| name.eq_ignore_ascii_case(SKILL_FILE_NAME));
            let names = misnamed.map(|file| file.file_name.clone());
            let findings = names.map(|name| Finding::Misnamed(location, name));
            root.findings.extend(findings);
            return None;
        };
        if file.is_symlink == Some(true) && !root.follows_links {
            root.findings
                .push(Finding::SystemLink(location, file.file_name.clone()));
            return None;
        }
        let directory = &root.locations.get(location)?.path;
        let path = child(directory, &file.file_name);
        let entrypoint = match entry.walked == *directory {
            true => path.clone(),
            false => child(&entry.walked, &file.file_name),
        };
        let Some((path, entrypoint)) = path.zip(entrypoint) else {
            root.report_nameless(location);
            return None;
        };
        let is_link = file.is_symlink == Some(true);
        let skill = root.skills.found.len();
        root.findings.push(Finding::Skill(skill));
        self.judgements.push_back((id, skill));
        let file = self.ask_for_skill(id, skill, location, path, is_link)?;
        self.roots.get_mut(id)?.skills.found.push(Found {
            location,
            entrypoint,
            file,
            sidecar: SidecarState::Absent,
        });
        Some(skill)
    }

    /// Asks for the text of a skill file, or where it lies if it is a link.
    fn ask_for_skill(
        &mut self,
        id: RootId,
        skill: SkillId,
        location: LocationId,
        path: PathUri,
        is_link: bool,
    ) -> Option<SkillFile> {
        if is_link {
            let call = Call::Resolve(path);
            self.ready.add([(Purpose::SkillLink(id, skill), call)]);
            self.need_root(id, None);
            return Some(SkillFile::Link);
        }
        let root = self.roots.get_mut(id)?;
        let (text, is_due) = root.skills.plain_text(&path);
        root.locations.get_mut(location)?.text = Some(text);
        if is_due {
            let call = Call::Read(path.clone());
            self.ready.add([(Purpose::Text(id, text), call)]);
        }
        Some(SkillFile::Plain(path, text))
    }

    /// Appends the visible subdirectories to the queue, or counts those that lie too deep.
    fn queue_directories(
        &mut self,
        id: RootId,
        location: LocationId,
        entry: &Entry,
        skill: Option<SkillId>,
        listing: &Sorted,
    ) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        let directories: Vec<_> = listing.visible_directories().collect();
        let mut entries = Vec::with_capacity(directories.len());
        root.reserve(directories.len());
        let mut sidecar_is_unseen = false;
        for directory in directories {
            let name = &directory.file_name;
            let is_sidecar = skill.is_some() && name == SIDECAR_DIRECTORY;
            let is_link = directory.is_symlink == Some(true);
            if is_link && !root.follows_links {
                sidecar_is_unseen |= is_sidecar;
            } else if entry.depth >= root.limits.max_depth {
                sidecar_is_unseen |= is_sidecar;
                if !is_sidecar {
                    root.leave_out_deep(location, name, is_link);
                }
            } else if let Some(mut new) = root.entry_below(location, entry, directory) {
                new.beside = skill.filter(|_| is_sidecar);
                entries.push(new);
            }
        }
        let added = root.queue.append(entries);
        if sidecar_is_unseen {
            self.read_unseen_sidecar(id, skill);
        }
        for entry in added {
            self.ask_before_listing(id, entry);
        }
        self.admit(id);
    }

    /// Lists every entry of a root that surely fits the directory limit.
    pub(super) fn admit(&mut self, id: RootId) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        for entry in root.queue.admit() {
            self.list(id, entry);
        }
    }

    /// Asks for the listing of an admitted entry, unless its location is listed already.
    pub(super) fn list(&mut self, id: RootId, entry: EntryId) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        let Some(location) = root.target(entry) else {
            return;
        };
        let urgency = root.urgency(id, entry);
        if let Some(known) = root.locations.get_mut(location)
            && matches!(known.listing, Listing::Unasked)
        {
            known.listing = Listing::Asked;
            let call = Call::List(known.path.clone());
            self.ready
                .add_urgent(urgency, Purpose::Listing(id, location), call);
        }
    }

    /// Ends the walk of a root whose listings hold more names than the limit.
    fn stop_at_entry_limit(&mut self, id: RootId, location: LocationId, names: usize) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        if root.entries <= root.limits.max_entries {
            return;
        }
        root.progress = Progress::Stopped;
        root.unlisted.end = Some(WalkEnd {
            location,
            names,
            left: root.count_left(),
        });
        let unseen: Vec<_> = root.queue.rest().filter_map(|entry| entry.beside).collect();
        for skill in unseen {
            self.read_unseen_sidecar(id, Some(skill));
        }
    }
}

impl RootWalk {
    /// Records by which way a location was walked first.
    fn walk_into(&mut self, location: LocationId, entry: &Entry, turn: u64) {
        let above = entry.parent.filter(|_| !entry.is_link);
        let traversal = above.map_or(location, |parent| self.traversal(parent));
        self.has_several_tops |= traversal != TOP;
        if let Some(known) = self.locations.get_mut(location) {
            known.parent = above;
            known.traversal = traversal;
            known.turn = turn;
        }
    }

    fn report_unlisted(&mut self, location: LocationId, depth: usize, kind: io::ErrorKind) {
        let finding = match (depth, kind) {
            (0, io::ErrorKind::NotFound) if self.is_required => Finding::RootMissing,
            (_, io::ErrorKind::NotFound) => return,
            (0, io::ErrorKind::NotADirectory) => Finding::RootNotDirectory,
            (_, kind) => Finding::Unreadable(location, kind),
        };
        self.findings.push(finding);
    }

    /// Reports a directory whose path takes no names: what lies below cannot be asked about.
    fn report_nameless(&mut self, location: LocationId) {
        let kind = io::ErrorKind::InvalidInput;
        self.findings.push(Finding::Unreadable(location, kind));
    }

    /// The queue entry of a subdirectory.
    fn entry_below(
        &mut self,
        location: LocationId,
        entry: &Entry,
        directory: &ReadDirectoryEntry,
    ) -> Option<Entry> {
        let parent = &self.locations.get(location)?.path;
        let Some(path) = child(parent, &directory.file_name) else {
            self.report_nameless(location);
            return None;
        };
        let walked = match entry.walked == *parent {
            true => path.clone(),
            false => child(&entry.walked, &directory.file_name)?,
        };
        let target = match directory.is_symlink {
            Some(true) => Target::Link,
            Some(false) => Target::Location(self.locate_below(location, path.clone())),
            None => Target::Unflagged,
        };
        let mut new = Entry::new(walked, path, entry.depth + 1, target);
        new.parent = Some(location);
        Some(new)
    }

    fn leave_out_deep(&mut self, location: LocationId, name: &FileName, is_link: bool) {
        let parent = self.locations.get(location);
        let path = parent.and_then(|parent| child(&parent.path, name));
        let plain = path.filter(|_| !is_link);
        self.unlisted.deep.push((location, plain));
    }
}

fn take_listing(
    root: &mut RootWalk,
    location: LocationId,
) -> Option<Result<Vec<ReadDirectoryEntry>, io::ErrorKind>> {
    let known = root.locations.get_mut(location)?;
    match std::mem::replace(&mut known.listing, Listing::Consumed) {
        Listing::Answered(answer) => Some(answer),
        waiting => {
            known.listing = waiting;
            None
        }
    }
}
