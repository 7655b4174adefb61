//! The project root of one environment: given by the host, or searched for.
//!
//! The search itself is `codex-config`'s; the walk is lexical and the nearest directory wins.
//! Nothing above an accepted root is judged.

use codex_config::{ProjectRootSearch, UsableMarkers, find_project_root};
use codex_file_system::wrap::Counting;
use codex_file_system::{ExecutorFileSystem, FindUpErrorPolicy};

use crate::error::InstructionsError;
use crate::options::DocumentErrorPolicy;
use crate::snapshot::{ProjectRootInput, TurnEnvironment};

/// The root of an environment, and how many markers were asked for to find it.
pub(crate) struct RootAnswer {
    pub(crate) search: Result<ProjectRootSearch, InstructionsError>,
    pub(crate) marker_probes: u64,
}

/// Finds the root, unless the host has done so already: then no call is made.
pub(crate) async fn find_root(
    turn: &TurnEnvironment,
    markers: &UsableMarkers,
    policy: DocumentErrorPolicy,
) -> RootAnswer {
    let TurnEnvironment {
        environment_id: id,
        cwd,
        ..
    } = turn;
    match &turn.project_root {
        ProjectRootInput::Known(search) => RootAnswer {
            search: Ok(search.clone()),
            marker_probes: 0,
        },
        ProjectRootInput::Failed(error) => RootAnswer {
            search: Err(InstructionsError::of_host_search(id, cwd, error)),
            marker_probes: 0,
        },
        ProjectRootInput::Search => {
            let filesystem: &dyn ExecutorFileSystem = turn.environment.filesystem();
            let counted = Counting::new(filesystem);
            let found = find_project_root(&counted, cwd, markers.clone(), find_up(policy)).await;
            RootAnswer {
                search: found.map_err(|error| InstructionsError::of_root_search(id, cwd, error)),
                marker_probes: counted.calls().get_metadata,
            }
        }
    }
}

fn find_up(policy: DocumentErrorPolicy) -> FindUpErrorPolicy {
    match policy {
        DocumentErrorPolicy::FailEnvironment => FindUpErrorPolicy::Propagate,
        DocumentErrorPolicy::KeepReadable => FindUpErrorPolicy::Ignore,
    }
}
