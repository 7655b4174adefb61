//! What a model is told: each piece of text with its origin, and how the pieces become one text.
//!
//! Pure: no decision about what is loaded. The order of the parts is the caller's. Two layouts
//! exist, and only the *environment ids* of the project entries choose between them: with one id the
//! text reads as one project, with several each stretch is labelled. A path is never kept without
//! its environment: the same spelling in another environment is another file.
//!
//! The wrapper of the fragment is fixed; the text passes through it unescaped, whatever it holds. A
//! document that holds the wrapper's own tags is reported by the loader and not changed here; a
//! directory whose name holds one is escaped, since nobody reads that name for its own sake.

use std::borrow::Cow;

use codex_file_system::EnvironmentId;
use codex_path_uri::{AbsolutePathBuf, PathUri};

use crate::decode::{is_blank, wrapper_tag};
use crate::user::UserInstructions;

const PART_SEPARATOR: &str = "\n\n";
const PROJECT_SEPARATOR: &str = "\n\n--- project-doc ---\n\n";

/// Everything a model is told by instruction files, in order, each piece with its origin.
///
/// # Examples
/// ```ignore-windows
/// use codex_agents_md::LoadedAgentsMd;
/// use codex_path_uri::AbsolutePathBuf;
///
/// let source = AbsolutePathBuf::try_from("/home/me/.codex/AGENTS.md")?;
/// let mut loaded = LoadedAgentsMd::new_user("Answer in English.".to_owned(), source);
/// loaded.push_internal("Tests run with `just test`.");
/// assert_eq!(loaded.text(), "Answer in English.\n\nTests run with `just test`.");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadedAgentsMd {
    user_instructions: Option<UserInstructions>,
    entries: Vec<InstructionEntry>,
}

impl LoadedAgentsMd {
    /// Only a user-level text; nothing at all if `contents` is blank.
    pub fn new_user(contents: String, path: AbsolutePathBuf) -> Self {
        Self::from_parts(
            Some(UserInstructions {
                text: contents,
                source: PathUri::from_abs_path(&path),
            }),
            Vec::new(),
        )
    }

    /// Only a text of the host's own; nothing at all if it is blank.
    pub fn from_internal_text(contents: impl Into<String>) -> Self {
        let mut loaded = Self::default();
        loaded.push_internal(contents);
        loaded
    }

    /// The user-level text and the entries, in this order; a blank user-level text counts as none.
    pub fn from_parts(
        user_instructions: Option<UserInstructions>,
        entries: Vec<InstructionEntry>,
    ) -> Self {
        Self {
            user_instructions: user_instructions.filter(|user| !is_blank(&user.text)),
            entries,
        }
    }

    /// Adds a text of the host's own behind everything else; a blank one adds nothing.
    pub fn push_internal(&mut self, contents: impl Into<String>) {
        let contents = contents.into();
        if !is_blank(&contents) {
            self.entries.push(InstructionEntry::internal(contents));
        }
    }

    /// The user-level text.
    pub fn user_instructions(&self) -> Option<&UserInstructions> {
        self.user_instructions.as_ref()
    }

    /// Everything but the user-level text, in order.
    pub fn entries(&self) -> &[InstructionEntry] {
        &self.entries
    }

    /// Whether there is no user-level text and every entry is blank.
    pub fn is_empty(&self) -> bool {
        self.user_instructions.is_none()
            && self.entries.iter().all(|entry| is_blank(&entry.contents))
    }

    /// The whole text, in the layout that the entries call for.
    pub fn text(&self) -> String {
        if self.spans_environments() {
            self.labelled_text()
        } else {
            self.plain_text()
        }
    }

    /// The files the text comes from: the user-level one, then each project entry's.
    pub fn sources(&self) -> impl Iterator<Item = PathUri> + '_ {
        let user = self
            .user_instructions
            .iter()
            .map(|user| user.source.clone());
        let project = self
            .entries
            .iter()
            .filter_map(|entry| match &entry.provenance {
                InstructionProvenance::Project { source_path, .. } => Some(source_path.clone()),
                InstructionProvenance::Internal => None,
            });
        user.chain(project)
    }

    /// The block that carries the text in a conversation.
    ///
    /// Its directory is the working directory, not the project root, of the first project entry;
    /// none when several environments contributed, and none without project entries.
    pub fn contextual_user_fragment(&self) -> ContextUserInstructions {
        let directory = if self.spans_environments() {
            None
        } else {
            self.project_origins()
                .next()
                .map(|(_, cwd)| cwd.inferred_native_path_string())
        };
        ContextUserInstructions {
            directory,
            text: self.text(),
        }
    }

    fn project_origins(&self) -> impl Iterator<Item = (&EnvironmentId, &PathUri)> {
        self.entries.iter().filter_map(project_origin)
    }

    fn spans_environments(&self) -> bool {
        let mut ids = self.project_origins().map(|(id, _)| id);
        ids.next().is_some_and(|first| ids.any(|id| id != first))
    }

    fn plain_text(&self) -> String {
        let mut text = self.user_text().to_owned();
        let mut is_first = self.user_instructions.is_none();
        let mut follows_project_entry = false;
        for entry in &self.entries {
            let is_project = project_origin(entry).is_some();
            if is_first {
                is_first = false;
            } else if is_project && !follows_project_entry {
                text.push_str(PROJECT_SEPARATOR);
            } else {
                text.push_str(PART_SEPARATOR);
            }
            text.push_str(&entry.contents);
            follows_project_entry = is_project;
        }
        text
    }

    fn labelled_text(&self) -> String {
        let mut parts: Vec<String> = self
            .user_instructions
            .iter()
            .map(|user| user.text.clone())
            .collect();
        let mut previous = None;
        for entry in &self.entries {
            let origin = project_origin(entry);
            if let Some((id, cwd)) = origin
                && origin != previous
            {
                let cwd = cwd.inferred_native_path_string();
                parts.push(format!("for `{id}` with root {}", without_tags(&cwd)));
            }
            parts.push(entry.contents.clone());
            previous = origin;
        }
        parts.join(PART_SEPARATOR)
    }

    fn user_text(&self) -> &str {
        self.user_instructions
            .as_ref()
            .map_or("", |user| &user.text)
    }
}

fn project_origin(entry: &InstructionEntry) -> Option<(&EnvironmentId, &PathUri)> {
    match &entry.provenance {
        InstructionProvenance::Project {
            environment_id,
            cwd,
            ..
        } => Some((environment_id, cwd)),
        InstructionProvenance::Internal => None,
    }
}

/// One piece of the instructions, with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionEntry {
    /// The text as the model is given it: decoded, cut to the budget, otherwise unchanged.
    pub contents: String,
    /// Where the text comes from.
    pub provenance: InstructionProvenance,
}

/// The origin of an [`InstructionEntry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionProvenance {
    /// A document found between the project root and the working directory.
    Project {
        /// The document, as it was asked for: links are not resolved.
        source_path: PathUri,
        /// The environment that holds the document.
        environment_id: EnvironmentId,
        /// The working directory whose search found the document.
        cwd: PathUri,
    },
    /// Text that the host itself adds; it has no file.
    Internal,
}

impl InstructionEntry {
    /// A document found for `cwd` in an environment.
    pub(crate) fn project(
        contents: impl Into<String>,
        source_path: PathUri,
        environment_id: EnvironmentId,
        cwd: PathUri,
    ) -> Self {
        let provenance = InstructionProvenance::Project {
            source_path,
            environment_id,
            cwd,
        };
        Self {
            contents: contents.into(),
            provenance,
        }
    }

    /// Text that the host adds.
    pub(crate) fn internal(contents: impl Into<String>) -> Self {
        Self {
            contents: contents.into(),
            provenance: InstructionProvenance::Internal,
        }
    }
}

/// The instructions as one block that the model reads in the user's place.
///
/// # Examples
/// ```
/// use codex_agents_md::LoadedAgentsMd;
///
/// let fragment = LoadedAgentsMd::from_internal_text("Be brief.").contextual_user_fragment();
/// assert_eq!(
///     fragment.render(),
///     "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextUserInstructions {
    /// The working directory in the native spelling of its environment, for the header; `None`
    /// where one directory cannot speak for all of the text.
    pub directory: Option<String>,
    /// The instructions themselves.
    pub text: String,
}

impl ContextUserInstructions {
    /// The block as text.
    pub fn render(&self) -> String {
        let directory = self
            .directory
            .as_ref()
            .map(|directory| format!(" for {}", without_tags(directory)))
            .unwrap_or_default();
        let text = &self.text;
        format!("# AGENTS.md instructions{directory}\n\n<INSTRUCTIONS>\n{text}\n</INSTRUCTIONS>")
    }
}

/// Whether the name of a directory could end the fragment that it heads.
pub(crate) fn holds_wrapper_tag(directory: &PathUri) -> bool {
    wrapper_tag(&directory.inferred_native_path_string()).is_some()
}

/// A directory whose name ends no fragment.
fn without_tags(directory: &str) -> Cow<'_, str> {
    if wrapper_tag(directory).is_none() {
        return Cow::Borrowed(directory);
    }
    Cow::Owned(directory.replace('<', "&lt;").replace('>', "&gt;"))
}
