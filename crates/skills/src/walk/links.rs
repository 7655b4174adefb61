//! Links, and directories of which nobody said whether they are links.
//!
//! Nothing is followed before it is certain where it leads in the spelling of its root, because only
//! then can it be told whether the walk has been there.

use std::io;

use codex_file_system::FileMetadata;
use codex_path_uri::PathUri;

use super::EnvironmentWalk;
use super::call::{Call, Purpose};
use super::queue::{EntryId, Target};
use super::ready::Urgency;
use super::root::{Canonical, RootId, RootWalk};
use super::skills::{SkillFile, SkillId};

impl EnvironmentWalk {
    /// Asks what has to be known of an entry before it can be listed.
    pub(super) fn ask_before_listing(&mut self, id: RootId, entry: EntryId) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        let Some((target, path)) = root
            .queue
            .entry(entry)
            .map(|it| (&it.target, it.path.clone()))
        else {
            return;
        };
        let urgency = root.urgency(id, entry);
        match target {
            Target::Unflagged => {
                self.ready
                    .add_urgent(urgency, Purpose::Flag(id, entry), Call::Stat(path));
            }
            Target::Link => {
                self.ready
                    .add_urgent(urgency, Purpose::Link(id, entry), Call::Resolve(path));
                self.resolve_root(id, Some(urgency));
            }
            _ => {}
        }
    }

    /// Asks for the canonical location of a root, unless it is given or asked already.
    pub(super) fn resolve_root(&mut self, id: RootId, urgency: Option<Urgency>) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        if root.canonical != Canonical::Unasked {
            return;
        }
        root.canonical = Canonical::Asked;
        let (purpose, call) = (Purpose::Root(id), Call::Resolve(root.given.clone()));
        match urgency {
            Some(urgency) => self.ready.add_urgent(urgency, purpose, call),
            None => self.ready.add([(purpose, call)]),
        }
    }

    /// Asks for the canonical location of a root that counts from here on.
    pub(super) fn need_root(&mut self, id: RootId, urgency: Option<Urgency>) {
        if let Some(root) = self.roots.get_mut(id) {
            root.needs_canonical = true;
        }
        self.resolve_root(id, urgency);
    }

    pub(super) fn take_flag(
        &mut self,
        id: RootId,
        entry: EntryId,
        metadata: Result<FileMetadata, io::ErrorKind>,
    ) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        let Some((parent, path)) = root
            .queue
            .entry(entry)
            .map(|it| (it.parent, it.path.clone()))
        else {
            return;
        };
        let target = match (metadata.map(|metadata| metadata.is_symlink), parent) {
            (Ok(Some(false)), Some(parent)) => Target::Location(root.locate_below(parent, path)),
            (Err(io::ErrorKind::NotFound), _) => Target::Gone,
            _ if root.follows_links => Target::Link,
            _ => Target::NotFollowed,
        };
        root.queue.resolve(entry, target);
        self.ask_before_listing(id, entry);
        self.list_if_admitted(id, entry);
    }

    pub(super) fn take_link(
        &mut self,
        id: RootId,
        entry: EntryId,
        path: Result<PathUri, io::ErrorKind>,
    ) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        let target = match path {
            Ok(path) if root.is_spelling_certain() => Target::Location(root.locate_canonical(path)),
            Ok(path) => Target::Resolved(path),
            Err(io::ErrorKind::NotFound) => Target::Gone,
            Err(kind) => Target::Unreadable(kind),
        };
        root.queue.resolve(entry, target);
        self.list_if_admitted(id, entry);
    }

    pub(super) fn take_skill_link(
        &mut self,
        id: RootId,
        skill: SkillId,
        path: Result<PathUri, io::ErrorKind>,
    ) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        let is_certain = root.is_spelling_certain();
        if let Some(found) = root.skills.found.get_mut(skill) {
            found.file = match path {
                Ok(path) => SkillFile::Resolved(path),
                Err(kind) => SkillFile::Unresolved(kind),
            };
        }
        if is_certain {
            self.read_linked_skill(id, skill);
        }
    }

    /// Takes the canonical location of a root, and goes on with what waited for it.
    pub(super) fn take_root(&mut self, id: RootId, path: Result<PathUri, io::ErrorKind>) {
        let is_only_root = self.roots.iter().filter(|root| root.exists).count() < 2;
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        match path {
            Ok(path) => {
                if is_only_root {
                    self.places.rename(&root.given, &path);
                }
                root.canonical = Canonical::Known(path);
            }
            Err(kind) => {
                root.canonical = Canonical::AsGiven;
                root.unresolved = Some(kind).filter(|kind| *kind != io::ErrorKind::NotFound);
            }
        }
        let links = root.queue.resolved();
        let skills = 0..root.skills.found.len();
        for (entry, path) in links {
            self.take_link(id, entry, Ok(path));
        }
        for skill in skills {
            self.read_linked_skill(id, skill);
        }
        self.start_postponed_fallbacks(id);
    }

    /// Reads the target of a linked skill file, once its spelling is certain.
    fn read_linked_skill(&mut self, id: RootId, skill: SkillId) {
        let Some(root) = self.roots.get_mut(id) else {
            return;
        };
        let target = root
            .skills
            .found
            .get(skill)
            .and_then(|found| match &found.file {
                SkillFile::Resolved(target) => Some(target.clone()),
                _ => None,
            });
        let Some(target) = target else { return };
        let path = root
            .inside_spelling(&target)
            .unwrap_or_else(|| target.clone());
        let listed = root.listed_text(&path);
        let (text, is_due) = root.skills.linked_text(&path, listed);
        if let Some(found) = root.skills.found.get_mut(skill) {
            found.file = SkillFile::Linked(target, text);
        }
        if is_due {
            self.ready
                .add([(Purpose::Text(id, text), Call::Read(path))]);
        }
    }

    /// Lists an entry of which enough is known, and whatever became certain to fit with it.
    fn list_if_admitted(&mut self, id: RootId, entry: EntryId) {
        self.admit(id);
        if self
            .roots
            .get(id)
            .is_some_and(|root| root.queue.is_admitted(entry))
        {
            self.list(id, entry);
        }
    }
}

impl RootWalk {
    /// Whether it can be told which location a canonical path is.
    fn is_spelling_certain(&self) -> bool {
        matches!(self.canonical, Canonical::Known(_) | Canonical::AsGiven)
    }

    /// The text of a skill file whose directory has had its turn.
    fn listed_text(&self, path: &PathUri) -> Option<usize> {
        let directory = self.locations.get(self.find(&path.parent()?)?)?;
        let text = directory.text?;
        let is_same = self.skills.found.iter().any(|found| {
            matches!(&found.file, SkillFile::Plain(plain, known) if *known == text && plain == path)
        });
        is_same.then_some(text)
    }
}
