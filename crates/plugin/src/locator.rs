//! A path together with the environment that can open it.
//!
//! The same spelling in two environments is two files, so neither part is ever handed out alone,
//! and equality and hashing look at both.

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;

/// A file or directory of a plugin, and the environment it is in.
///
/// A locator of a [`ResolvedPlugin`](crate::ResolvedPlugin) is lexically at or below the plugin's
/// root. That is no promise about links: whoever opens it applies a
/// [`SymlinkPolicy`](crate::SymlinkPolicy), as [`read_plugin_resource`](crate::read_plugin_resource)
/// does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
