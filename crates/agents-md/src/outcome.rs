//! What a load gives back: the result, what went wrong beside it, and the account of both.

use codex_config::ProjectRootSearch;
use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;

use crate::{InstructionDiagnostic, InstructionsError, InstructionsReport, LoadedAgentsMd};

/// The outcome of [`load_project_instructions`](crate::load_project_instructions). A load always
/// has one: what failed is in it.
#[derive(Debug)]
#[non_exhaustive]
pub struct InstructionsOutcome {
    /// What the model is to be told; `None` when there is no text at all.
    pub loaded: Option<LoadedAgentsMd>,
    /// What became of each environment, in input order.
    pub environments: Vec<EnvironmentOutcome>,
    /// Everything found on the way: environments in input order; in each the markers, the names,
    /// the candidates and the documents root first, and its failure last.
    pub diagnostics: Vec<InstructionDiagnostic>,
    /// One row per considered directory, and the totals.
    pub report: InstructionsReport,
}

/// What became of one environment.
#[derive(Debug)]
#[non_exhaustive]
pub struct EnvironmentOutcome {
    /// The environment.
    pub environment_id: EnvironmentId,
    /// Its working directory.
    pub cwd: PathUri,
    /// The search for its project root, for reuse by whoever needs the same root; `None` when
    /// there was none or it failed.
    pub root: Option<ProjectRootSearch>,
    /// Why the environment contributes no document.
    pub error: Option<InstructionsError>,
    /// With `error`: the documents that had been chosen or read and are lost by it, root first.
    pub partial: Vec<PathUri>,
}
