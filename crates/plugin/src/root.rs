//! The directory a host selects: an opaque id and a place in one environment.
//!
//! A root only says where to look. Nothing here says whether the directory exists or what it
//! holds, and the id is never parsed, joined to a path or compared with anything but another id.

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use serde::{Deserialize, Serialize};

/// A directory that may hold a plugin or stand alone as a capability.
///
/// # Examples
/// ```
/// use codex_plugin::SelectedCapabilityRoot;
///
/// let json = r#"{"id":"demo","location":{"type":"environment","environmentId":"box","path":"file:///plugins/demo"}}"#;
/// let root: SelectedCapabilityRoot = serde_json::from_str(json)?;
/// assert_eq!(root.environment_id().as_str(), "box");
/// assert_eq!(root.path().as_str(), "file:///plugins/demo");
/// assert_eq!(serde_json::to_string(&root)?, json);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectedCapabilityRoot {
    /// What the host calls this root; any text, returned with every result.
    pub id: String,
    /// Where the root is.
    pub location: CapabilityRootLocation,
}

/// Where a selected root is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum CapabilityRootLocation {
    /// A directory of an environment.
    Environment {
        /// The environment that owns the directory.
        environment_id: EnvironmentId,
        /// The directory, in that environment.
        path: PathUri,
    },
}

impl SelectedCapabilityRoot {
    /// The directory `path` of the environment `environment_id`, under the host's name `id`.
    pub fn new(id: impl Into<String>, environment_id: EnvironmentId, path: PathUri) -> Self {
        Self {
            id: id.into(),
            location: CapabilityRootLocation::Environment {
                environment_id,
                path,
            },
        }
    }

    /// The environment that owns the root.
    pub fn environment_id(&self) -> &EnvironmentId {
        let CapabilityRootLocation::Environment { environment_id, .. } = &self.location;
        environment_id
    }

    /// The root's directory, in its environment.
    pub fn path(&self) -> &PathUri {
        let CapabilityRootLocation::Environment { path, .. } = &self.location;
        path
    }
}
