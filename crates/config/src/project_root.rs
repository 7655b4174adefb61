//! The one project-root search of a load.

use std::io;

use codex_file_system::{ExecutorFileSystem, FindUpErrorPolicy};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use crate::UsableMarkers;

/// The result of [`find_project_root`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectRootSearch {
    /// The nearest directory, from the working directory upward, that holds a marker.
    pub root: Option<PathUri>,
    /// Why this root, or why none.
    pub reason: RootReason,
    /// The markers searched for.
    pub markers: UsableMarkers,
    /// Probes that failed before the accepted one; only with [`FindUpErrorPolicy::Ignore`].
    pub failed_probes: Vec<FailedProbe>,
}

impl ProjectRootSearch {
    /// The directories from the root to `cwd`, both included; `cwd` alone without a root.
    pub fn directories(&self, cwd: &PathUri) -> Vec<PathUri> {
        todo!("{cwd}")
    }
    /// The Git root where this search has already found it or ruled it out.
    pub fn git_root(&self) -> Option<Option<PathUri>> {
        todo!()
    }
}

/// Why a search ended as it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum RootReason {
    /// A marker exists.
    Marker {
        /// The marker, as in [`UsableMarkers::markers`].
        marker: String,
        /// The number of the probe that found it, from 1.
        probe: usize,
    },
    /// No ancestor holds a marker.
    NoMarkerFound,
    /// The list of markers is empty.
    TraversalDisabled,
}

/// A probe that failed and was taken for an absent marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedProbe {
    /// The path asked for.
    pub path: PathUri,
    /// The kind of the failure.
    #[serde(serialize_with = "serialize_kind")]
    pub kind: io::ErrorKind,
}

fn serialize_kind<S: Serializer>(kind: &io::ErrorKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(codex_file_system::error::kind_name(*kind))
}

/// Searches for the project root of `cwd`.
pub async fn find_project_root(
    fs: &dyn ExecutorFileSystem,
    cwd: &PathUri,
    markers: UsableMarkers,
    policy: FindUpErrorPolicy,
) -> io::Result<ProjectRootSearch> {
    let _ = (fs, cwd, markers, policy);
    todo!()
}
