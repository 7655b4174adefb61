//! One environment, and what a session start finds in it: the project root and what the user says
//! about it.
//!
//! Every environment has its own; configuration is that of the first one.

use std::sync::Arc;

use codex_agents_md::TurnEnvironment;
use codex_config::{
    LoadedLayers, ProjectLayerDecision, ProjectTrust, ProjectTrustTable, find_project_root,
    find_project_trust,
};
use codex_file_system::{Environment, FindUpErrorPolicy};
use codex_path_uri::{PathConvention, PathUri};
use codex_skills::ProjectSkillRoots;

use super::Located;
use crate::exit::Failure;
use crate::git_root::git_root;

/// An environment that was reached, and what was found in it.
pub(crate) struct Found {
    /// The environment.
    pub(crate) environment: Environment,
    /// Its project root.
    pub(crate) located: Located,
    /// What the user allows there.
    pub(crate) trust: ProjectTrust,
}

impl Found {
    /// Asks what the user says about the project that was located.
    ///
    /// # Errors
    /// When the trust table cannot be used.
    pub(super) async fn new(environment: Environment, located: Located) -> Result<Self, Failure> {
        let search = located.search.as_ref().ok();
        let table = ProjectTrustTable::from_stack(&located.base.stack)?;
        let (filesystem, cwd) = (environment.filesystem().as_ref(), environment.cwd());
        let git_root = if table.is_empty() {
            // Nothing is said about any directory, so nobody asks which one is the Git root.
            Ok(search.and_then(|search| search.git_root()).flatten())
        } else {
            git_root(filesystem, cwd, search, FindUpErrorPolicy::Propagate).await
        };
        let project_root = search.and_then(|search| search.root.as_ref());
        let git_root = git_root.as_ref().map(Option::as_ref);
        let trust = find_project_trust(&environment, cwd, project_root, git_root, &table).await;
        Ok(Self {
            environment,
            located,
            trust,
        })
    }

    /// The directories of the project whose layers are looked for.
    pub(super) fn directories(&self) -> Vec<PathUri> {
        self.located.directories(self.environment.cwd())
    }

    /// Whether the layer of a directory counts.
    pub(super) fn project_layer(&self, directory: &PathUri) -> ProjectLayerDecision {
        self.trust.layer(directory)
    }

    /// The environment as the loader of instructions takes it.
    pub(crate) fn turn(&self) -> TurnEnvironment {
        let environment = self.environment.clone();
        let (id, cwd) = (environment.id().clone(), environment.cwd().clone());
        TurnEnvironment::new(id, environment, cwd)
            .with_project_documents(self.trust.documents)
            .with_project_root(self.located.project_root())
    }

    /// Where its skills are.
    pub(crate) fn skill_roots(&self) -> ProjectSkillRoots {
        super::skills::project_roots(&self.environment, &self.located)
    }
}

/// Searches an environment for its project root with the markers of these layers. A failure is
/// kept in the result.
pub(super) async fn search(
    environment: &Environment,
    base: LoadedLayers,
    policy: FindUpErrorPolicy,
) -> Located {
    let cwd = environment.cwd();
    let convention = cwd.convention().unwrap_or_else(PathConvention::native);
    let markers = base.stack.usable_project_root_markers(convention);
    let filesystem = environment.filesystem().as_ref();
    let search = find_project_root(filesystem, cwd, markers.clone(), policy).await;
    Located {
        base,
        markers,
        search: search.map_err(Arc::new),
    }
}
