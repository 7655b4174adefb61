//! A text that may name a path: its own spelling as a URI, or native in either convention.

use codex_path_uri::{PathConvention, PathUri};

use crate::metadata::SkillMetadata;

/// The paths that a text can mean.
pub(crate) struct TargetPaths(Vec<PathUri>);

impl TargetPaths {
    pub(crate) fn of(text: &str) -> Self {
        let native = PathConvention::infer_absolute(text)
            .and_then(|convention| PathUri::from_native(text, convention).ok());
        Self(
            native
                .into_iter()
                .chain(PathUri::parse(text).ok())
                .collect(),
        )
    }

    /// Whether it names the file of a skill, by its identity or as walked.
    pub(crate) fn names(&self, skill: &SkillMetadata) -> bool {
        self.0
            .iter()
            .any(|path| *path == skill.identity || path == skill.handle.entrypoint())
    }
}
