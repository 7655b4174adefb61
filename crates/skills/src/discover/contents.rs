//! What is read of a skill: its file and its sidecar, each no further than a limit.
//!
//! A skill file is read once per environment, whether a directory lists it or links lead to it, and
//! its text is parsed on arrival, so the body of a skill is never kept.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use codex_file_system::{ExecutorFileSystem, FileKind, MAX_BEGINNING_BYTES, ReadCall};
use codex_path_uri::PathUri;

use super::ask::{Asker, CallFailure};
use super::findings::Obstacle;
use super::root::{Directory, Location, RootWalk};
use crate::frontmatter::{Fields, MAX_SKILL_PREFIX_BYTES, Refusal, ends_block, read_fields};
use crate::limits::{MAX_SIDECAR_BYTES, SIDECAR_DIRECTORY, SIDECAR_FILE_NAME};

/// A directory that lists a skill file.
#[derive(Debug)]
pub(super) struct DiscoveredSkill {
    pub(super) directory: Arc<Directory>,
    /// The skill file as walked.
    pub(super) entrypoint: PathUri,
    /// The skill file, as it is asked.
    pub(super) file: PathUri,
    pub(super) is_link: bool,
    /// Where a link leads, canonically.
    pub(super) target: Option<PathUri>,
    /// Why a link leads nowhere.
    pub(super) unresolved: Option<CallFailure>,
    pub(super) sidecar: SidecarPlace,
}

impl DiscoveredSkill {
    /// The file that holds the text, as it is asked; nothing if a link leads nowhere.
    pub(super) fn text_path(&self, root: &RootWalk) -> Option<PathUri> {
        match (&self.target, self.is_link) {
            (Some(target), _) => Some(root.location_at(target).path),
            (None, false) => Some(self.file.clone()),
            (None, true) => None,
        }
    }
}

/// Where the sidecar of a skill is.
#[derive(Clone, Debug, Default)]
pub(super) enum SidecarPlace {
    /// Nowhere.
    #[default]
    Absent,
    /// In this directory, which was listed: a file, or something else in its place.
    In(Arc<Directory>, FileKind),
    /// Below the skill's directory, unseen.
    Unseen,
    /// In a directory that cannot be listed.
    Unlisted,
}

/// What a skill file says.
#[derive(Clone, Debug)]
pub(crate) enum SkillText {
    /// It went away, or another skill has the same file.
    Absent,
    Unreadable(io::ErrorKind),
    Refused(Refusal),
    Fields(Fields),
}

impl From<CallFailure> for SkillText {
    fn from(failure: CallFailure) -> Self {
        match failure.kind {
            io::ErrorKind::NotFound => Self::Absent,
            kind => Self::Unreadable(kind),
        }
    }
}

/// The sidecar of a skill.
#[derive(Debug)]
pub(crate) enum SidecarState {
    /// There is none.
    Absent,
    /// Something else is in its place.
    NotAFile(PathUri, Obstacle),
    /// The directory that may hold it cannot be listed, which is told elsewhere.
    Unlisted,
    /// What reading it gave: at most one byte beyond the limit.
    Read(PathUri, Result<Vec<u8>, io::ErrorKind>),
}

/// The files of one environment, by the path they are asked.
#[derive(Debug, Default)]
pub(super) struct Contents {
    texts: HashMap<PathUri, SkillText>,
    sidecars: HashMap<PathUri, Result<Vec<u8>, CallFailure>>,
}

impl Contents {
    /// Reads the text of a skill, and follows its link first.
    pub(super) async fn read_text<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        root: &mut RootWalk,
        skill: usize,
    ) {
        let Some(found) = root.skills.get_mut(skill) else {
            return;
        };
        if found.is_link {
            match asker.canonicalize(root.id, &found.file).await {
                Ok(target) => found.target = Some(target),
                Err(failure) => found.unresolved = Some(failure),
            }
            root.resolve(asker).await;
        }
        let path = root.skills.get(skill).and_then(|it| it.text_path(root));
        let Some(path) = path.filter(|it| !self.texts.contains_key(it)) else {
            return;
        };
        let read = asker
            .read(root.id, &path, MAX_SKILL_PREFIX_BYTES, ends_block)
            .await;
        let text = match read.map(|it| read_fields(&it.bytes, it.is_complete)) {
            Ok(Ok(fields)) => SkillText::Fields(fields),
            Ok(Err(refusal)) => SkillText::Refused(refusal),
            Err(failure) => failure.into(),
        };
        self.texts.insert(path, text);
    }

    /// The text of a skill. A file that several skills share is that of the first who takes it.
    pub(super) fn take_text(&mut self, root: &RootWalk, skill: &DiscoveredSkill) -> SkillText {
        if let Some(failure) = skill.unresolved {
            return failure.into();
        }
        let text = skill.text_path(root).and_then(|it| self.texts.remove(&it));
        text.unwrap_or(SkillText::Absent)
    }

    /// Reads the sidecar of a skill, where it has one.
    pub(super) async fn read_sidecar<F: ExecutorFileSystem + ?Sized>(
        &mut self,
        asker: &mut Asker<'_, '_, F>,
        root: &RootWalk,
        skill: usize,
    ) {
        let path = root.skills.get(skill).and_then(sidecar_path);
        let Some(path) = path.filter(|it| !self.sidecars.contains_key(it)) else {
            return;
        };
        let limit = u64::try_from(MAX_SIDECAR_BYTES + 1).unwrap_or(u64::MAX);
        let read = asker.read(root.id, &path, limit, |_| false).await;
        self.sidecars.insert(path, read.map(|it| it.bytes));
    }

    /// The sidecar of a skill, by its canonical path.
    pub(super) fn sidecar(&self, root: &RootWalk, skill: &DiscoveredSkill) -> SidecarState {
        let canonical = |location: &Location| root.canonical_path(location);
        let directory = match &skill.sidecar {
            SidecarPlace::Absent => return SidecarState::Absent,
            SidecarPlace::Unlisted => return SidecarState::Unlisted,
            SidecarPlace::In(directory, _) => Ok(canonical(&directory.location)),
            SidecarPlace::Unseen => canonical(&skill.directory.location).join(SIDECAR_DIRECTORY),
        };
        let Ok(path) = directory.and_then(|it| it.join(SIDECAR_FILE_NAME)) else {
            return SidecarState::Absent;
        };
        match &skill.sidecar {
            SidecarPlace::In(_, FileKind::Directory) => {
                return SidecarState::NotAFile(path, Obstacle::Io(io::ErrorKind::IsADirectory));
            }
            SidecarPlace::In(_, FileKind::Other) => {
                return SidecarState::NotAFile(path, Obstacle::NotAFile);
            }
            SidecarPlace::In(_, FileKind::BrokenLink) => {
                return SidecarState::NotAFile(path, Obstacle::BrokenLink);
            }
            _ => {}
        }
        match sidecar_path(skill).and_then(|it| self.sidecars.get(&it)) {
            Some(Ok(bytes)) => SidecarState::Read(path, Ok(bytes.clone())),
            Some(Err(failure)) if failure.is_absence() => SidecarState::Absent,
            Some(Err(failure)) => match Obstacle::from(*failure) {
                Obstacle::Io(kind) if kind != io::ErrorKind::IsADirectory => {
                    SidecarState::Read(path, Err(kind))
                }
                obstacle => SidecarState::NotAFile(path, obstacle),
            },
            None => SidecarState::Absent,
        }
    }
}

/// The sidecar that is read for a skill, as it is asked.
fn sidecar_path(skill: &DiscoveredSkill) -> Option<PathUri> {
    let directory = match &skill.sidecar {
        SidecarPlace::In(directory, FileKind::File) => directory.location.path.clone(),
        SidecarPlace::Unseen => {
            let directory = &skill.directory.location.path;
            directory.join(SIDECAR_DIRECTORY).ok()?
        }
        _ => return None,
    };
    directory.join(SIDECAR_FILE_NAME).ok()
}

/// The first call that reading a skill file or a sidecar makes.
pub(super) fn beginning(path: &PathUri) -> ReadCall {
    ReadCall::prefix(path, MAX_BEGINNING_BYTES)
}
