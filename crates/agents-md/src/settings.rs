//! What configuration says about one environment, and where it says so.
//!
//! Pure: derived from the layers and the path convention of the working directory. A path of no
//! known convention is judged by the POSIX rules; nothing can be joined to it anyway.

use codex_config::{Config, UsableMarkers, ValueOrigin};
use codex_file_system::EnvironmentId;
use codex_path_uri::PathConvention;

use crate::diagnostics::InstructionDiagnostic;
use crate::names::CandidateNames;
use crate::snapshot::{ProjectRootInput, TurnEnvironment};

const FALLBACK_NAMES_KEY: &str = "project_doc_fallback_filenames";
const MAX_BYTES_KEY: &str = "project_doc_max_bytes";

/// The values in use for one environment.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The markers of the root search; those of the host's search where the root is known.
    pub(crate) markers: UsableMarkers,
    pub(crate) names: CandidateNames,
    pub(crate) fallback_names_origin: ValueOrigin,
    pub(crate) max_bytes: u64,
    pub(crate) max_bytes_origin: ValueOrigin,
}

impl Settings {
    pub(crate) fn new(config: &Config, turn: &TurnEnvironment) -> Self {
        let convention = turn.cwd.convention().unwrap_or(PathConvention::Posix);
        let stack = &config.config_layer_stack;
        let markers = match &turn.project_root {
            ProjectRootInput::Known(search) => search.markers.clone(),
            ProjectRootInput::Search | ProjectRootInput::Failed(_) => {
                stack.usable_project_root_markers(convention)
            }
        };
        Self {
            markers,
            names: CandidateNames::new(config, convention),
            fallback_names_origin: stack.origin(&[FALLBACK_NAMES_KEY]),
            max_bytes: config.project_doc_max_bytes as u64,
            max_bytes_origin: stack.origin(&[MAX_BYTES_KEY]),
        }
    }

    /// What is wrong with the configured markers.
    pub(crate) fn marker_diagnostics<'a>(
        &self,
        id: &'a EnvironmentId,
    ) -> impl Iterator<Item = InstructionDiagnostic> + use<'a> {
        let found = self.markers.diagnostics();
        found
            .into_iter()
            .filter_map(|found| InstructionDiagnostic::of_configuration(id, found))
    }

    /// The configured names that the environment's convention refuses.
    pub(crate) fn name_diagnostics(
        &self,
        id: &EnvironmentId,
    ) -> impl Iterator<Item = InstructionDiagnostic> {
        self.names.refused.iter().map(|(name, problem)| {
            let origin = self.fallback_names_origin.clone();
            InstructionDiagnostic::of_fallback_name(id, origin, name, *problem)
        })
    }
}
