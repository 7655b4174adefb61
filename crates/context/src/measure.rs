//! How much of a model's input each source takes.

use codex_agents_md::InstructionProvenance;
use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use serde::Serialize;

use crate::Context;

/// How many bytes of text are taken for one token. It is an estimate: no tokenizer is asked.
pub const BYTES_PER_TOKEN: u64 = 4;

/// The size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measure {
    /// Bytes of UTF-8.
    pub bytes: u64,
    /// Unicode scalar values.
    pub characters: u64,
    /// ⌈bytes / [`BYTES_PER_TOKEN`]⌉.
    pub estimated_tokens: u64,
}

impl Measure {
    /// The size of `text`.
    ///
    /// # Examples
    /// ```
    /// let size = codex_context::Measure::of("naïve");
    /// assert_eq!((size.bytes, size.characters, size.estimated_tokens), (6, 5, 2));
    /// ```
    pub fn of(text: &str) -> Self {
        let bytes = count(text.len());
        Self {
            bytes,
            characters: count(text.chars().count()),
            estimated_tokens: bytes.div_ceil(BYTES_PER_TOKEN),
        }
    }
}

/// A part of a model's input, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// What it is.
    pub kind: SourceKind,
    /// The machine; `None` for the user's own document.
    pub environment_id: Option<EnvironmentId>,
    /// The file.
    pub path: PathUri,
    /// How large the part is that a model is given.
    pub size: Measure,
}

/// What a part of a model's input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The user's own document.
    UserInstructions,
    /// A document of a project.
    Document,
    /// A line of the catalog.
    Skill,
}

pub(crate) fn sources(context: &Context) -> Vec<Source> {
    let mut sources = Vec::new();
    let instructions = context.loaded.instructions.as_ref();
    if let Some(loaded) = instructions.and_then(|it| it.loaded()) {
        if let Some(user) = loaded.user_instructions() {
            sources.push(Source {
                kind: SourceKind::UserInstructions,
                environment_id: None,
                path: user.source.clone(),
                size: Measure::of(&user.text),
            });
        }
        for entry in loaded.entries() {
            if let InstructionProvenance::Project {
                source_path,
                environment_id,
                ..
            } = &entry.provenance
            {
                sources.push(Source {
                    kind: SourceKind::Document,
                    environment_id: Some(environment_id.clone()),
                    path: source_path.clone(),
                    size: Measure::of(&entry.contents),
                });
            }
        }
    }
    let rendered = context.loaded.skills.as_ref();
    if let Some(rendered) = rendered.and_then(|skills| skills.rendered.as_ref()) {
        let shown = rendered
            .extents
            .iter()
            .filter(|(_, extent)| *extent != codex_skills::LineExtent::Omitted);
        for ((handle, _), line) in shown.zip(&rendered.lines) {
            sources.push(Source {
                kind: SourceKind::Skill,
                environment_id: Some(handle.environment_id().clone()),
                path: handle.entrypoint().clone(),
                size: Measure::of(line),
            });
        }
    }
    sources
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
