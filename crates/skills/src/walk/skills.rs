//! The skills of one root while their files are on the way.
//!
//! A skill file is read once per root, whether a directory lists it or a link leads to it; the text
//! is parsed on arrival, so the body of a skill is never kept. A sidecar is kept as it is until the
//! canonical location of its skill is certain.

use std::collections::HashMap;
use std::io;

use codex_path_uri::PathUri;

use super::call::{Call, Purpose};
use super::root::{LocationId, RootId};
use crate::frontmatter::{Fields, Refusal, read_fields};
use crate::limits::MAX_SIDECAR_BYTES;

/// Index of a skill of one root, in queue order.
pub(crate) type SkillId = usize;
/// Index of a text of one root.
pub(crate) type TextId = usize;
/// Index of a sidecar of one root.
pub(crate) type SidecarId = usize;

/// A directory that lists a skill file.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) location: LocationId,
    /// The skill file as walked.
    pub(super) entrypoint: PathUri,
    pub(super) file: SkillFile,
    pub(super) sidecar: SidecarState,
}

/// The file behind the name.
#[derive(Debug)]
pub(super) enum SkillFile {
    /// A plain file of the directory, by the spelling it is asked.
    Plain(PathUri, TextId),
    /// A link, to what is not known.
    Link,
    /// A link to this canonical path, while the root's own is not known.
    Resolved(PathUri),
    /// A link whose target is read.
    Linked(PathUri, TextId),
    /// A link that cannot be resolved.
    Unresolved(io::ErrorKind),
}

/// What a skill file says.
#[derive(Clone, Debug)]
pub(crate) enum SkillText {
    /// It went away, or nobody waited for it.
    Absent,
    Unreadable(io::ErrorKind),
    Refused(Refusal),
    Fields(Fields),
}

impl SkillText {
    fn unreadable(kind: io::ErrorKind) -> Self {
        match kind {
            io::ErrorKind::NotFound => Self::Absent,
            kind => Self::Unreadable(kind),
        }
    }
}

/// Whether a skill has a sidecar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SidecarState {
    /// None, or the listing that would show one has not had its turn.
    Absent,
    /// None, but a directory in its place, in this location.
    Directory(LocationId),
    /// Read, or on the way.
    File(SidecarPlace, SidecarId),
}

/// Where a sidecar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SidecarPlace {
    /// In a directory that was listed.
    In(LocationId),
    /// Below the skill's directory, unseen.
    Unseen,
}

/// The skills and texts of one root.
#[derive(Debug, Default)]
pub(super) struct Skills {
    pub(super) found: Vec<Found>,
    /// Absent while they are on the way.
    texts: Vec<SkillText>,
    /// What sidecars hold; nothing while they are on the way.
    pub(super) sidecars: Vec<Option<Result<Vec<u8>, io::ErrorKind>>>,
    /// Texts that a link led to, by the spelling they are asked.
    linked: HashMap<PathUri, TextId>,
}

impl Skills {
    /// The text of a file, and whether it is to be read: no link led to it before.
    pub(super) fn plain_text(&mut self, path: &PathUri) -> (TextId, bool) {
        match self.linked.get(path) {
            Some(known) => (*known, false),
            None => (self.add_text(), true),
        }
    }

    /// As [`plain_text`](Self::plain_text), for the target of a link; `listed` is the text of the
    /// file if its directory was listed.
    pub(super) fn linked_text(&mut self, path: &PathUri, listed: Option<TextId>) -> (TextId, bool) {
        if let Some(known) = listed.or_else(|| self.linked.get(path).copied()) {
            return (known, false);
        }
        let text = self.add_text();
        self.linked.insert(path.clone(), text);
        (text, true)
    }

    fn add_text(&mut self) -> TextId {
        self.texts.push(SkillText::Absent);
        self.texts.len() - 1
    }

    pub(super) fn take_text(&mut self, id: TextId, contents: Result<Vec<u8>, io::ErrorKind>) {
        if let Some(text) = self.texts.get_mut(id) {
            *text = match contents.map(|bytes| read_fields(&bytes)) {
                Ok(Ok(fields)) => SkillText::Fields(fields),
                Ok(Err(refusal)) => SkillText::Refused(refusal),
                Err(kind) => SkillText::unreadable(kind),
            };
        }
    }

    /// What every skill's file says, in the order of skills. A text that links lead to several times
    /// is that of one skill, so the first of them gets it.
    pub(super) fn give_texts(&mut self) -> Vec<SkillText> {
        let Self { found, texts, .. } = self;
        let mut text_of = |id: TextId| {
            let text = texts.get_mut(id);
            text.map_or(SkillText::Absent, |text| {
                std::mem::replace(text, SkillText::Absent)
            })
        };
        let texts = found.iter().map(|found| match found.file {
            SkillFile::Plain(_, text) | SkillFile::Linked(_, text) => text_of(text),
            SkillFile::Unresolved(kind) => SkillText::unreadable(kind),
            SkillFile::Link | SkillFile::Resolved(_) => SkillText::Absent,
        });
        texts.collect()
    }

    pub(super) fn take_sidecar(&mut self, id: SidecarId, contents: Result<Vec<u8>, io::ErrorKind>) {
        if let Some(sidecar) = self.sidecars.get_mut(id) {
            *sidecar = Some(contents.map(|mut bytes| {
                // One byte beyond the limit is enough to refuse it.
                bytes.truncate(MAX_SIDECAR_BYTES + 1);
                bytes
            }));
        }
    }

    /// Asks for a sidecar.
    pub(super) fn read_sidecar(
        &mut self,
        root: RootId,
        path: PathUri,
    ) -> (SidecarId, (Purpose, Call)) {
        let id = self.sidecars.len();
        self.sidecars.push(None);
        (id, (Purpose::Sidecar(root, id), Call::Read(path)))
    }

    pub(super) fn set_sidecar(&mut self, skill: SkillId, state: SidecarState) {
        if let Some(found) = self.found.get_mut(skill) {
            found.sidecar = state;
        }
    }
}
