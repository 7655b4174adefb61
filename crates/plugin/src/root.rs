//! Places in environments: the directory a host selects, and a file of a plugin.
//!
//! A path means something only together with its environment, so neither is ever handed out alone.

use codex_file_system::{EnvironmentId, InvalidEnvironmentId};
use codex_path_uri::{PathConvention, PathUri, PathUriError};
use serde::{Deserialize, Serialize};

/// A directory that may hold a plugin or stand alone as a capability.
///
/// A root only says where to look. Its id is never parsed, joined to a path or compared with anything but another id.
///
/// # Examples
/// ```
/// use codex_plugin::SelectedCapabilityRoot;
///
/// let json = r#"{"id":"demo","location":{"type":"environment","environmentId":"box","path":"file:///plugins/demo"}}"#;
/// let root: SelectedCapabilityRoot = serde_json::from_str(json)?;
/// assert_eq!(root, SelectedCapabilityRoot::parse("demo", "box", "/plugins/demo")?);
/// assert_eq!(serde_json::to_string(&root)?, json);
/// # Ok::<(), Box<dyn std::error::Error>>(())
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

/// The texts name no environment or no absolute path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidCapabilityRoot {
    /// The environment's id.
    #[error(transparent)]
    Environment(#[from] InvalidEnvironmentId),
    /// The path.
    #[error(transparent)]
    Path(#[from] PathUriError),
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

    /// The same from texts: the path is absolute, in the convention of POSIX or Windows, or a `file:` URI.
    ///
    /// # Errors
    /// [`InvalidCapabilityRoot`] for a text that is no environment id or no absolute path.
    ///
    /// # Examples
    /// ```
    /// use codex_plugin::SelectedCapabilityRoot;
    ///
    /// let root = SelectedCapabilityRoot::parse("release", "build", r"D:\plugins\release")?;
    /// assert_eq!(root.path().as_str(), "file:///D:/plugins/release");
    /// assert!(SelectedCapabilityRoot::parse("release", "build", "plugins/release").is_err());
    /// # Ok::<(), codex_plugin::InvalidCapabilityRoot>(())
    /// ```
    pub fn parse(
        id: impl Into<String>,
        environment_id: &str,
        path: &str,
    ) -> Result<Self, InvalidCapabilityRoot> {
        let path = match PathConvention::infer_absolute(path) {
            Some(convention) => PathUri::from_native(path, convention)?,
            None => PathUri::parse(path)?,
        };
        Ok(Self::new(id, EnvironmentId::new(environment_id)?, path))
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

/// A file or directory of a plugin, and the environment it is in.
///
/// A locator of a [`ResolvedPlugin`](crate::ResolvedPlugin) is lexically at or below the plugin's root. That is no
/// promise about links: whoever opens it applies a [`SymlinkPolicy`](crate::SymlinkPolicy), as
/// [`read_plugin_resource`](crate::read_plugin_resource) does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginResourceLocator {
    environment_id: EnvironmentId,
    path: PathUri,
}

impl PluginResourceLocator {
    /// The file or directory `path` of the environment `environment_id`.
    pub fn new(environment_id: EnvironmentId, path: PathUri) -> Self {
        Self {
            environment_id,
            path,
        }
    }

    /// The environment whose filesystem can open the path.
    pub fn environment_id(&self) -> &EnvironmentId {
        &self.environment_id
    }

    /// The path, which means nothing outside its environment.
    pub fn path(&self) -> &PathUri {
        &self.path
    }
}
