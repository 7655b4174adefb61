//! The turn of one directory: what its listing shows, and what follows from it.

use std::io;
use std::sync::Arc;

use codex_file_system::{ExecutorFileSystem, Expectation, FileKind, ReadCall, ReadDirectoryEntry};
use codex_path_uri::PathUri;
use codex_plugin::ManifestDirectories;

use super::Task;
use super::ask::{Asker, CallFailure};
use super::contents::{DiscoveredSkill, SidecarPlace, beginning};
use super::findings::{Finding, Obstacle, count_left};
use super::root::{Canonical, Directory, Entry, Link, Location, RootWalk, child, sorted};
use crate::diagnostics::SkillDiagnosticCode as Code;
use crate::limits::{SIDECAR_DIRECTORY, SIDECAR_FILE_NAME, SKILL_FILE_NAME};

impl RootWalk {
    /// The next entry of this depth, and whether it is a link.
    pub(super) async fn next_entry<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        depth: usize,
    ) -> Option<Entry> {
        let next = self.queue.front().filter(|it| it.depth == depth)?;
        if next.link == Link::Unknown {
            self.tell_links(asker).await;
        }
        self.queue.pop_front()
    }

    /// Asks of every directory of the next listing whether it is a link, and puts links last.
    async fn tell_links<F: ExecutorFileSystem + ?Sized>(&mut self, asker: &mut Asker<'_, '_, F>) {
        let parent = self.queue.front().and_then(|it| it.parent.clone());
        let is_sibling = |it: &Entry| match (&it.parent, &parent) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        let number = self.queue.iter().take_while(|it| is_sibling(it)).count();
        let mut siblings: Vec<Entry> = self.queue.drain(..number).collect();
        for entry in &mut siblings {
            let metadata = asker.metadata(self.id, &entry.path).await;
            entry.link = match metadata.map(|it| it.is_symlink) {
                Ok(Some(false)) => Link::No,
                Err(failure) if failure.is_absence() => Link::Gone,
                _ if self.follows_links => Link::Yes,
                _ => Link::NotFollowed,
            };
        }
        siblings.sort_by_key(|it| matches!(it.link, Link::Yes | Link::NotFollowed));
        for entry in siblings.into_iter().rev() {
            self.queue.push_front(entry);
        }
    }

    /// Gives an entry its turn.
    pub(super) async fn visit<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        entry: Entry,
        turns: &mut u64,
        tasks: &mut Vec<Task>,
    ) {
        let location = match entry.link {
            Link::Gone => return,
            Link::NotFollowed => return self.read_unseen(asker, entry.sidecar_of, tasks),
            Link::Yes => match self.follow(asker, &entry).await {
                Some(location) => location,
                None => return,
            },
            Link::No | Link::Unknown => self.location_below(entry.parent.as_deref(), &entry.path),
        };
        if let Some(known) = self.visited.get(&location).cloned() {
            return self.see_sidecar(asker, entry.sidecar_of, &known, tasks);
        }
        if self.visited.len() >= self.limits.max_directories {
            self.unlisted.beyond.push(location);
            return self.read_unseen(asker, entry.sidecar_of, tasks);
        }
        *turns += 1;
        match asker.list(self.id, &location.path).await {
            Ok(listing) => self.consume(asker, &entry, location, sorted(listing), *turns, tasks),
            Err(failure) => self.report_unlisted(&entry, location, failure, *turns),
        }
    }

    /// Where a link leads; nothing if that cannot be told.
    async fn follow<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        entry: &Entry,
    ) -> Option<Location> {
        let target = asker.canonicalize(self.id, &entry.path).await;
        if self.resolve(asker).await {
            // Only now it can be told how the targets of links are asked.
            self.expect_entries(asker, 0, 1);
        }
        match target {
            Ok(target) => return Some(self.location_at(&target)),
            Err(failure) if failure.is_absence() => return None,
            Err(failure) => {
                self.lose_sidecar(entry.sidecar_of);
                let path = entry.walked.clone();
                self.findings.push(Finding::Link(path, failure.into()));
            }
        }
        None
    }

    fn report_unlisted(
        &mut self,
        entry: &Entry,
        location: Location,
        failure: CallFailure,
        turn: u64,
    ) {
        let directory = self.enter(entry, location, Some(failure), &[], turn);
        if failure.kind != io::ErrorKind::NotFound {
            self.lose_sidecar(entry.sidecar_of);
        }
        self.findings.push(match (entry.depth, failure.kind) {
            (0, io::ErrorKind::NotFound) if self.is_required => {
                let link = Some(Obstacle::BrokenLink);
                Finding::Root(Code::RootMissing, link.filter(|_| failure.is_broken_link))
            }
            (0, io::ErrorKind::NotFound) if failure.is_broken_link => {
                Finding::Root(Code::LinkUnreadable, Some(Obstacle::BrokenLink))
            }
            (_, io::ErrorKind::NotFound) => return,
            (0, kind @ io::ErrorKind::NotADirectory) => {
                Finding::Root(Code::RootNotDirectory, Some(Obstacle::Io(kind)))
            }
            (_, kind) => Finding::Unreadable(directory, kind),
        });
    }

    /// Records a directory that has its turn.
    fn enter(
        &mut self,
        entry: &Entry,
        location: Location,
        failure: Option<CallFailure>,
        listing: &[ReadDirectoryEntry],
        turn: u64,
    ) -> Arc<Directory> {
        let parent = entry.parent.clone().filter(|_| entry.link != Link::Yes);
        self.has_several_tops |= entry.link == Link::Yes;
        let manifests = match self.reads_manifests {
            true => {
                let directories = listing.iter().filter(|it| it.kind == FileKind::Directory);
                ManifestDirectories::from_listing(directories.map(|it| &it.file_name))
            }
            false => ManifestDirectories::EMPTY,
        };
        let holds_skill = kind_of(listing, SKILL_FILE_NAME) == Some(FileKind::File);
        let directory = Arc::new(Directory {
            location: location.clone(),
            manifests: manifests.intersection(self.manifest_locations),
            sidecar: kind_of(listing, SIDECAR_FILE_NAME),
            failure,
            belongs_to_skill: holds_skill
                || parent.as_deref().is_some_and(|it| it.belongs_to_skill),
            parent,
            turn,
        });
        self.visited.insert(location, Arc::clone(&directory));
        directory
    }

    fn consume<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &Asker<'_, '_, F>,
        entry: &Entry,
        location: Location,
        listing: Vec<ReadDirectoryEntry>,
        turn: u64,
        tasks: &mut Vec<Task>,
    ) {
        let directory = self.enter(entry, location, None, &listing, turn);
        self.exists |= entry.depth == 0;
        self.directories += 1;
        self.entries += listing.len();
        self.see_sidecar(asker, entry.sidecar_of, &directory, tasks);
        let skill = self.find_skill(asker, entry, &directory, &listing, tasks);
        self.queue_directories(asker, entry, &directory, skill, &listing, tasks);
        if self.entries > self.limits.max_entries {
            self.unlisted.end = Some((directory, listing.len(), count_left(self)));
            let unseen: Vec<_> = self.queue.iter().map(|it| it.sidecar_of).collect();
            for skill in unseen {
                self.read_unseen(asker, skill, tasks);
            }
            self.queue.clear();
        }
    }

    /// Makes a directory with a skill file a skill, and tells what only looks like one.
    fn find_skill<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &Asker<'_, '_, F>,
        entry: &Entry,
        directory: &Arc<Directory>,
        listing: &[ReadDirectoryEntry],
        tasks: &mut Vec<Task>,
    ) -> Option<usize> {
        let is_skill_file = |it: &&ReadDirectoryEntry| it.file_name == *SKILL_FILE_NAME;
        let named = listing.iter().find(is_skill_file);
        let Some(file) = named.filter(|it| it.kind == FileKind::File) else {
            self.report_no_skill(entry, directory, listing);
            return None;
        };
        let is_link = file.is_symlink == Some(true);
        if is_link && !self.follows_links {
            let (directory, name) = (Arc::clone(directory), file.file_name.clone());
            let finding = Finding::Named(Code::SkillLinkNotFollowed, directory, name, None);
            self.findings.push(finding);
            return None;
        }
        let path = child(&directory.location.path, &file.file_name);
        let Some((path, entrypoint)) = path.zip(child(&entry.walked, &file.file_name)) else {
            self.report_nameless(directory);
            return None;
        };
        let skill = self.skills.len();
        match is_link {
            true if self.canonical == Canonical::Unasked => {
                let root = ReadCall::canonical(&self.given);
                asker.fs.expect_all([ReadCall::canonical(&path), root]);
            }
            true => asker.fs.expect_all([self.linked_text(&path)]),
            false => asker.fs.expect_all([beginning(&path)]),
        }
        self.findings.push(Finding::Skill(skill));
        tasks.push(Task::Skill(self.id, skill));
        self.skills.push(DiscoveredSkill {
            directory: Arc::clone(directory),
            entrypoint,
            file: path,
            is_link,
            target: None,
            unresolved: None,
            sidecar: SidecarPlace::Absent,
        });
        Some(skill)
    }

    fn linked_text<'f>(&self, file: &PathUri) -> Expectation<'f> {
        self.target_expectation(file, |target| Some(beginning(target)))
    }

    /// Expects the texts that links lead to, once it can be told how they are asked.
    pub(super) async fn expect_linked_skills<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
    ) {
        let linked = self.skills.iter().filter(|it| it.is_link);
        let linked: Vec<_> = linked.map(|it| it.file.clone()).collect();
        if !linked.is_empty() && self.canonical == Canonical::Unasked {
            self.resolve(asker).await;
            let texts = linked.iter().map(|it| self.linked_text(it));
            asker.fs.expect_all(texts);
        }
    }

    fn report_no_skill(
        &mut self,
        entry: &Entry,
        directory: &Arc<Directory>,
        listing: &[ReadDirectoryEntry],
    ) {
        let is_misnamed = |name: &str| name.eq_ignore_ascii_case(SKILL_FILE_NAME);
        for it in listing {
            let name = it.file_name.as_str();
            let (code, obstacle) = match it.kind {
                FileKind::File if name.is_some_and(is_misnamed) => (Code::SkillFileMisnamed, None),
                FileKind::Other if name == Some(SKILL_FILE_NAME) => {
                    (Code::SkillUnreadable, Some(Obstacle::NotAFile))
                }
                FileKind::BrokenLink if name == Some(SKILL_FILE_NAME) => {
                    (Code::SkillUnreadable, Some(Obstacle::BrokenLink))
                }
                _ => continue,
            };
            let (directory, name) = (Arc::clone(directory), it.file_name.clone());
            let finding = Finding::Named(code, directory, name, obstacle);
            self.findings.push(finding);
        }
        // A directory called like a skill file may be a skill itself; if not, one is missed.
        let name = entry
            .walked
            .file_name()
            .filter(|it| *it == *SKILL_FILE_NAME);
        if let (Some(name), Some(parent)) = (name, &entry.parent) {
            let obstacle = Some(Obstacle::Io(io::ErrorKind::IsADirectory));
            let parent = Arc::clone(parent);
            let finding = Finding::Named(Code::SkillUnreadable, parent, name, obstacle);
            self.findings.push(finding);
        }
    }

    /// Reports a directory whose path takes no names: what lies below cannot be asked about.
    fn report_nameless(&mut self, directory: &Arc<Directory>) {
        let finding = Finding::Unreadable(Arc::clone(directory), io::ErrorKind::InvalidInput);
        self.findings.push(finding);
    }

    /// Appends the visible subdirectories to the queue, or counts those that lie too deep.
    fn queue_directories<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &Asker<'_, '_, F>,
        entry: &Entry,
        directory: &Arc<Directory>,
        skill: Option<usize>,
        listing: &[ReadDirectoryEntry],
        tasks: &mut Vec<Task>,
    ) {
        let mut entries = Vec::new();
        for found in listing.iter().filter(|it| is_visible(it)) {
            let name = &found.file_name;
            let sidecar_of = skill.filter(|_| *name == *SIDECAR_DIRECTORY);
            let link = Link::from(found.is_symlink);
            if found.kind == FileKind::BrokenLink {
                self.report_broken_link(entry, directory, found, sidecar_of);
                continue;
            }
            if link == Link::Yes && !self.follows_links {
                self.read_unseen(asker, sidecar_of, tasks);
                continue;
            }
            let Some(path) = child(&directory.location.path, name) else {
                self.report_nameless(directory);
                continue;
            };
            if entry.depth >= self.limits.max_depth {
                self.read_unseen(asker, sidecar_of, tasks);
                if sidecar_of.is_none() {
                    let plain = Some(path).filter(|_| link != Link::Yes);
                    self.unlisted.deep.push((Arc::clone(directory), plain));
                }
                continue;
            }
            let Some(walked) = child(&entry.walked, name) else {
                continue;
            };
            entries.push(Entry {
                walked,
                path,
                depth: entry.depth + 1,
                parent: Some(Arc::clone(directory)),
                sidecar_of,
                link,
            });
        }
        entries.sort_by_key(|it| it.link == Link::Yes);
        let first = self.queue.len();
        self.queue.extend(entries);
        self.expect_entries(asker, first, 0);
    }

    /// Tells of a link without a target, unless it lies among what belongs to a skill.
    fn report_broken_link(
        &mut self,
        entry: &Entry,
        directory: &Directory,
        found: &ReadDirectoryEntry,
        sidecar_of: Option<usize>,
    ) {
        self.lose_sidecar(sidecar_of);
        let is_skill_file = found.file_name == *SKILL_FILE_NAME;
        let matters = sidecar_of.is_some() || !directory.belongs_to_skill && !is_skill_file;
        let path = child(&entry.walked, &found.file_name).filter(|_| matters);
        let finding = path.map(|it| Finding::Link(it, Obstacle::BrokenLink));
        self.findings.extend(finding);
    }

    /// Looks for the sidecar of a skill in a directory that has had its turn.
    fn see_sidecar<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &Asker<'_, '_, F>,
        skill: Option<usize>,
        directory: &Arc<Directory>,
        tasks: &mut Vec<Task>,
    ) {
        let Some(skill) = skill else { return };
        if directory.failure.is_some_and(|it| !it.is_absence()) {
            return self.lose_sidecar(Some(skill));
        }
        let Some(kind) = directory.sidecar else {
            return;
        };
        if kind == FileKind::File
            && let Ok(path) = directory.location.path.join(SIDECAR_FILE_NAME)
        {
            asker.fs.expect_all([beginning(&path)]);
            tasks.push(Task::Sidecar(self.id, skill));
        }
        self.set_sidecar(skill, SidecarPlace::In(Arc::clone(directory), kind));
    }

    /// Reads the sidecar of a skill whose sidecar directory is not listed.
    fn read_unseen<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &Asker<'_, '_, F>,
        skill: Option<usize>,
        tasks: &mut Vec<Task>,
    ) {
        let Some(skill) = skill else { return };
        let found = self.skills.get(skill);
        let directory = found.map(|it| &it.directory.location.path);
        let sidecars = directory.and_then(|it| it.join(SIDECAR_DIRECTORY).ok());
        let path = sidecars.and_then(|it| it.join(SIDECAR_FILE_NAME).ok());
        asker.fs.expect_all(path.as_ref().map(beginning));
        tasks.push(Task::Sidecar(self.id, skill));
        self.set_sidecar(skill, SidecarPlace::Unseen);
    }

    fn lose_sidecar(&mut self, skill: Option<usize>) {
        if let Some(skill) = skill {
            self.set_sidecar(skill, SidecarPlace::Unlisted);
        }
    }

    fn set_sidecar(&mut self, skill: usize, place: SidecarPlace) {
        if let Some(found) = self.skills.get_mut(skill) {
            found.sidecar = place;
        }
    }
}

fn kind_of(listing: &[ReadDirectoryEntry], name: &str) -> Option<FileKind> {
    let found = listing.iter().find(|it| it.file_name == *name);
    found.map(|it| it.kind)
}

/// Whether an entry is looked at as a directory.
fn is_visible(entry: &ReadDirectoryEntry) -> bool {
    matches!(entry.kind, FileKind::Directory | FileKind::BrokenLink)
        && !entry.file_name.to_string_lossy().starts_with('.')
}
