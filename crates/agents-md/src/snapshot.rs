//! What is loaded: the environments of one turn, as the host hands them over.
//!
//! Plain data. Trust and an already known project root are inputs here; this crate decides
//! neither.

use std::io;
use std::sync::Arc;

use codex_config::{ProjectDocuments, ProjectRootSearch};
use codex_file_system::{Environment, EnvironmentId};
use codex_path_uri::PathUri;

/// The environments bound to one turn, in binding order.
#[derive(Clone, Debug, Default)]
pub struct TurnEnvironmentSnapshot {
    /// Loaded in this order; the same environment and directory given twice is loaded twice.
    pub turn_environments: Vec<TurnEnvironment>,
}

/// One environment of a turn.
#[derive(Clone, Debug)]
pub struct TurnEnvironment {
    /// The id shown to the model and kept in everything that leaves a load.
    pub environment_id: EnvironmentId,
    /// The environment; all calls go to its filesystem.
    pub environment: Environment,
    /// Where the search begins. Taken as written: links are not resolved, and the directory need
    /// not exist. One that does not is told nowhere: all that is asked below it is `NotFound`. A
    /// host that wants to tell asks for its metadata first.
    pub cwd: PathUri,
    /// Whether project documents may be looked for at all.
    pub project_documents: ProjectDocuments,
    /// Where the project root comes from.
    pub project_root: ProjectRootInput,
}

/// Where the project root of an environment comes from.
#[derive(Clone, Debug, Default)]
pub enum ProjectRootInput {
    /// It is searched for with the configured markers.
    #[default]
    Search,
    /// The host has searched for it already; no marker is asked for.
    Known(ProjectRootSearch),
    /// The host's own search failed. The environment fails likewise, under either policy.
    Failed(Arc<io::Error>),
}

impl TurnEnvironment {
    /// An environment whose documents are allowed and whose root is searched for.
    pub fn new(environment_id: EnvironmentId, environment: Environment, cwd: PathUri) -> Self {
        Self {
            environment_id,
            environment,
            cwd,
            project_documents: ProjectDocuments::default(),
            project_root: ProjectRootInput::default(),
        }
    }

    /// Where the search begins: the field [`cwd`](Self::cwd), for callers written for codex-rs.
    #[must_use]
    pub fn cwd(&self) -> &PathUri {
        &self.cwd
    }

    /// Sets whether project documents may be looked for.
    pub fn with_project_documents(mut self, project_documents: ProjectDocuments) -> Self {
        self.project_documents = project_documents;
        self
    }

    /// Sets where the project root comes from.
    pub fn with_project_root(mut self, project_root: ProjectRootInput) -> Self {
        self.project_root = project_root;
        self
    }
}
