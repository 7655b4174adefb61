//! The skill files below a directory, found as loading finds them.
//!
//! What loading refuses is found as well; nothing is judged here.

use std::collections::BTreeSet;
use std::slice;

use codex_file_system::{EnvironmentId, EnvironmentSet, Severity, Window};
use codex_path_uri::PathUri;
use codex_skills::{
    SkillDiagnostic, SkillDiagnosticCode as Code, SkillLoadOptions, SkillRoot, SkillScope,
    load_skills,
};

/// The skill files below a directory.
pub(super) struct Below {
    /// By path.
    pub(super) files: Vec<PathUri>,
    /// Whether there is no such directory.
    pub(super) is_missing: bool,
    /// What kept files from being found.
    pub(super) others: Vec<SkillDiagnostic>,
}

impl Below {
    /// Loads the skills below a directory, for their files and for those that are none.
    pub(super) async fn find(
        environments: &EnvironmentSet,
        id: &EnvironmentId,
        directory: &PathUri,
        window: Window,
    ) -> Self {
        let root = SkillRoot {
            required: true,
            ..SkillRoot::new(id.clone(), directory.clone(), SkillScope::Environment)
        };
        let options = SkillLoadOptions {
            window,
            ..SkillLoadOptions::default()
        };
        let outcome = load_skills(environments, slice::from_ref(&root), &options).await;
        let loaded = outcome.skills.iter().map(|skill| skill.handle.entrypoint());
        let mut files: BTreeSet<PathUri> = loaded.cloned().collect();
        let (mut is_missing, mut others) = (false, Vec::new());
        for found in outcome.diagnostics {
            match found.code {
                Code::RootMissing => is_missing = true,
                Code::ScanLimitReached
                | Code::DirectoryUnreadable
                | Code::LinkUnreadable
                | Code::SkillFileMisnamed => others.push(found),
                Code::ProductRestricted => files.extend(found.path),
                // A lost skill has exactly one error.
                _ if found.severity == Severity::Error => files.extend(found.path),
                _ => {}
            }
        }
        Self {
            files: files.into_iter().collect(),
            is_missing,
            others,
        }
    }
}
