//! What a host lets a project do: the rule that the `[projects]` table is read with.
//!
//! The entry nearest to a directory speaks for it. Project layers need a yes, documents only the
//! absence of a no. Pure: the table and the roots are found elsewhere.

use codex_agents_md::ProjectDocuments;
use codex_config::{DisabledReason, ProjectLayerDecision, ProjectTrustTable, TrustLevel};
use codex_path_uri::PathUri;

/// The table, and the directories whose entries speak for others.
#[derive(Debug)]
pub(crate) struct Trust {
    /// What the user said about directories.
    pub(crate) table: ProjectTrustTable,
    /// The project root, if there is one.
    pub(crate) project_root: Option<PathUri>,
    /// The Git root, if there is one and the table has entries.
    pub(crate) git_root: Option<PathUri>,
}

impl Trust {
    /// Whether the project layer of `directory` counts: only in a trusted directory.
    pub(crate) fn project_layer(&self, directory: &PathUri) -> ProjectLayerDecision {
        let roots = self.project_root.iter().chain(&self.git_root);
        match self.table.nearest(std::iter::once(directory).chain(roots)) {
            Some(TrustLevel::Trusted) => ProjectLayerDecision::Enable,
            Some(TrustLevel::Untrusted) => ProjectLayerDecision::Disable(DisabledReason::Untrusted),
            None => ProjectLayerDecision::Disable(DisabledReason::NotTrusted),
        }
    }

    /// Whether the documents of a session in `cwd` are given to the model: unless untrusted.
    pub(crate) fn project_documents(&self, cwd: &PathUri) -> ProjectDocuments {
        match self
            .table
            .nearest(std::iter::once(cwd).chain(&self.git_root))
        {
            Some(TrustLevel::Untrusted) => ProjectDocuments::Withheld,
            Some(TrustLevel::Trusted) | None => ProjectDocuments::Allowed,
        }
    }
}
