//! A directory to judge, and the places to look in it.

use std::sync::Arc;

use codex_file_system::{Environment, EnvironmentId, ExecutorFileSystem};
use codex_path_uri::{PathUri, PathUriError};

use crate::error_context::ErrorContext;
use crate::manifest::AGENT_PLUGINS_MANIFEST;
use crate::{DISCOVERABLE_PLUGIN_MANIFEST_PATHS, PluginOptions, manifest_candidates};

/// A distinct root in a known environment.
pub(super) struct Target<'a> {
    pub(super) fs: &'a dyn ExecutorFileSystem,
    pub(super) environment_id: &'a EnvironmentId,
    pub(super) root: &'a PathUri,
    /// The locations in order, or why the root has none.
    pub(super) locations: Result<Vec<PathUri>, Arc<PathUriError>>,
    /// Makes the errors about this root.
    pub(super) errors: ErrorContext,
}

impl<'a> Target<'a> {
    pub(super) fn new(
        environment: &'a Environment,
        root: &'a PathUri,
        options: &PluginOptions,
    ) -> Self {
        Self {
            fs: environment.filesystem().as_ref(),
            environment_id: environment.id(),
            root,
            locations: locations(root, options).map_err(Arc::new),
            errors: ErrorContext {
                environment_id: Some(environment.id().clone()),
            },
        }
    }

    /// Whether no location is behind this one.
    pub(super) fn is_last_location(&self, location: usize) -> bool {
        self.locations
            .as_ref()
            .is_ok_and(|locations| location + 1 == locations.len())
    }
}

/// Whether a location is the one of Agent Plugins 1.0, behind the three.
pub(super) fn is_agent_plugins(location: usize) -> bool {
    location >= DISCOVERABLE_PLUGIN_MANIFEST_PATHS.len()
}

fn locations(root: &PathUri, options: &PluginOptions) -> Result<Vec<PathUri>, PathUriError> {
    let mut locations = Vec::from(manifest_candidates(root)?);
    if options.agent_plugins_root() {
        locations.push(root.join(AGENT_PLUGINS_MANIFEST)?);
    }
    Ok(locations)
}
