//! Errors of one environment, before the selected root they are for is known.

use std::io;
use std::sync::Arc;

use codex_file_system::EnvironmentId;
use codex_path_uri::{PathUri, PathUriError};

use crate::{ManifestError, PluginProviderError, ResourceOutsideRoot};

/// Makes errors that name the environment and no selected root.
#[derive(Clone, Debug)]
pub(crate) struct ErrorContext {
    pub(crate) environment_id: Option<EnvironmentId>,
}

impl ErrorContext {
    pub(crate) fn inspect_root(
        &self,
        path: &PathUri,
        error: impl Into<Arc<io::Error>>,
    ) -> PluginProviderError {
        PluginProviderError::InspectRoot {
            root_id: String::new(),
            environment_id: self.environment_id.clone(),
            path: path.clone(),
            source: error.into(),
        }
    }

    pub(crate) fn root_not_directory(&self, path: &PathUri) -> PluginProviderError {
        PluginProviderError::RootNotDirectory {
            root_id: String::new(),
            environment_id: self.environment_id.clone(),
            path: path.clone(),
        }
    }

    pub(crate) fn invalid_manifest_path(
        &self,
        path: &PathUri,
        error: Arc<PathUriError>,
    ) -> PluginProviderError {
        PluginProviderError::InvalidManifestPath {
            root_id: String::new(),
            environment_id: self.environment_id.clone(),
            path: path.clone(),
            source: error,
        }
    }

    pub(crate) fn inspect_manifest(
        &self,
        path: &PathUri,
        error: impl Into<Arc<io::Error>>,
    ) -> PluginProviderError {
        PluginProviderError::InspectManifest {
            root_id: String::new(),
            environment_id: self.environment_id.clone(),
            path: path.clone(),
            source: error.into(),
        }
    }

    pub(crate) fn read_manifest(
        &self,
        path: &PathUri,
        error: impl Into<Arc<io::Error>>,
    ) -> PluginProviderError {
        PluginProviderError::ReadManifest {
            root_id: String::new(),
            environment_id: self.environment_id.clone(),
            path: path.clone(),
            source: error.into(),
        }
    }

    pub(crate) fn manifest_too_large(
        &self,
        path: &PathUri,
        limit: u64,
        actual: u64,
    ) -> PluginProviderError {
        PluginProviderError::ManifestTooLarge {
            root_id: String::new(),
            environment_id: self.environment_id.clone(),
            path: path.clone(),
            limit,
            actual,
        }
    }

    pub(crate) fn parse_manifest(
        &self,
        path: &PathUri,
        error: ManifestError,
    ) -> PluginProviderError {
        PluginProviderError::ParseManifest {
            root_id: String::new(),
            environment_id: self.environment_id.clone(),
            path: path.clone(),
            source: Arc::new(error),
        }
    }

    pub(crate) fn construct_descriptor(
        &self,
        root: &PathUri,
        outside: ResourceOutsideRoot,
    ) -> PluginProviderError {
        PluginProviderError::ConstructDescriptor {
            root_id: String::new(),
            environment_id: self.environment_id.clone(),
            path: root.clone(),
            source: Arc::new(outside),
        }
    }
}
