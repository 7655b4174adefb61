//! Why a selected root could not be judged.
//!
//! One variant per step that can fail. An error never means "no plugin here", and never leads to
//! another location, another environment or the host's own files. Sources are shared, so an error
//! can be handed to every root that names the same directory.

use std::fmt;
use std::io;
use std::sync::Arc;

use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, FileSystemError};
use codex_path_uri::{PathUri, PathUriError};

use crate::{ManifestError, ResourceOutsideRoot};

/// A selected root that is neither known to be a plugin nor known to be none.
///
/// Every variant carries the id of the selected root and the environment. Where no root was
/// selected, as in [`read_plugin_namespace`](crate::read_plugin_namespace), the id is empty and the
/// environment is known only if the filesystem names it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginProviderError {
    /// The environment is not among those the host bound; no call was made.
    #[error("environment `{environment_id}` of the plugin root is not available")]
    UnavailableEnvironment {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: EnvironmentId,
    },
    /// The root's metadata or canonical path could not be read; a missing root is one case.
    #[error(
        "cannot inspect the plugin root{}",
        Place(Some(path), environment_id, Some(source))
    )]
    InspectRoot {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: Option<EnvironmentId>,
        /// The root.
        path: PathUri,
        /// What the filesystem said.
        source: Arc<io::Error>,
    },
    /// The root exists and is no directory.
    #[error(
        "expected a directory at the plugin root{}",
        Place(Some(path), environment_id, None)
    )]
    RootNotDirectory {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: Option<EnvironmentId>,
        /// The root.
        path: PathUri,
    },
    /// The root is a path that takes no child names; no call was made.
    #[error(
        "cannot name a manifest below the plugin root{}",
        Place(None, environment_id, None)
    )]
    InvalidManifestPath {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: Option<EnvironmentId>,
        /// The root.
        path: PathUri,
        /// Why nothing can be joined to it.
        source: Arc<PathUriError>,
    },
    /// A location could not be probed, or the manifest's canonical path not be read.
    #[error(
        "cannot inspect the plugin manifest{}",
        Place(Some(path), environment_id, Some(source))
    )]
    InspectManifest {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: Option<EnvironmentId>,
        /// The location.
        path: PathUri,
        /// What the filesystem said.
        source: Arc<io::Error>,
    },
    /// The manifest could not be read, or is not UTF-8.
    #[error(
        "cannot read the plugin manifest{}",
        Place(Some(path), environment_id, Some(source))
    )]
    ReadManifest {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: Option<EnvironmentId>,
        /// The manifest.
        path: PathUri,
        /// What the filesystem said.
        source: Arc<io::Error>,
    },
    /// The manifest is larger than the limit.
    #[error(
        "found {actual} bytes, more than {limit}, in the plugin manifest{}",
        Place(Some(path), environment_id, None)
    )]
    ManifestTooLarge {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: Option<EnvironmentId>,
        /// The manifest.
        path: PathUri,
        /// Most bytes accepted.
        limit: u64,
        /// Bytes found.
        actual: u64,
    },
    /// The manifest's text is refused.
    #[error(
        "cannot parse the plugin manifest{}",
        Place(Some(path), environment_id, None)
    )]
    ParseManifest {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: Option<EnvironmentId>,
        /// The manifest.
        path: PathUri,
        /// The problem and its place.
        source: Arc<ManifestError>,
    },
    /// The manifest, or a resource it declares, lies outside the root.
    #[error(
        "the plugin reaches out of its root{}",
        Place(None, environment_id, None)
    )]
    ConstructDescriptor {
        /// Id of the selected root.
        root_id: String,
        /// The environment.
        environment_id: Option<EnvironmentId>,
        /// The root.
        path: PathUri,
        /// Which resource, and where it lies.
        source: Arc<ResourceOutsideRoot>,
    },
}

/// The variants about a root in an environment that is there, by one of the fields they share.
macro_rules! located {
    ($field:ident) => {
        Self::InspectRoot { $field, .. }
            | Self::RootNotDirectory { $field, .. }
            | Self::InvalidManifestPath { $field, .. }
            | Self::InspectManifest { $field, .. }
            | Self::ReadManifest { $field, .. }
            | Self::ManifestTooLarge { $field, .. }
            | Self::ParseManifest { $field, .. }
            | Self::ConstructDescriptor { $field, .. }
    };
}

impl PluginProviderError {
    /// Id of the selected root: any text, empty where no root was selected.
    pub fn root_id(&self) -> &str {
        match self {
            Self::UnavailableEnvironment { root_id, .. } | located!(root_id) => root_id,
        }
    }

    /// The environment, where it is known.
    pub fn environment_id(&self) -> Option<&EnvironmentId> {
        match self {
            Self::UnavailableEnvironment { environment_id, .. } => Some(environment_id),
            located!(environment_id) => environment_id.as_ref(),
        }
    }

    /// The root, location or manifest the error is about; none for an unavailable environment.
    pub fn path(&self) -> Option<&PathUri> {
        match self {
            Self::UnavailableEnvironment { .. } => None,
            located!(path) => Some(path),
        }
    }

    /// What the filesystem said, if a call failed.
    pub fn io_error(&self) -> Option<&io::Error> {
        match self {
            Self::InspectRoot { source, .. }
            | Self::InspectManifest { source, .. }
            | Self::ReadManifest { source, .. } => Some(source),
            _ => None,
        }
    }

    /// The kind of what the filesystem said, if a call failed.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        self.io_error().map(io::Error::kind)
    }

    /// The code as it stands in reports, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnavailableEnvironment { .. } => "unavailable_environment",
            Self::InspectRoot { .. } => "inspect_root",
            Self::RootNotDirectory { .. } => "root_not_directory",
            Self::InvalidManifestPath { .. } => "invalid_manifest_path",
            Self::InspectManifest { .. } => "inspect_manifest",
            Self::ReadManifest { .. } => "read_manifest",
            Self::ManifestTooLarge { .. } => "manifest_too_large",
            Self::ParseManifest { .. } => "parse_manifest",
            Self::ConstructDescriptor { .. } => "construct_descriptor",
        }
    }

    /// The code and the kind, without a path or foreign text: fit for telemetry.
    pub fn redacted(&self) -> String {
        match self.io_kind() {
            Some(kind) => format!("{} ({})", self.code(), kind_name(kind)),
            None => self.code().to_owned(),
        }
    }

    /// The same error for a root of another id.
    pub(crate) fn with_root_id(mut self, id: &str) -> Self {
        match &mut self {
            Self::UnavailableEnvironment { root_id, .. } | located!(root_id) => {
                id.clone_into(root_id);
            }
        }
        self
    }
}

/// The path and the environment of a message, left out where the source names them itself.
struct Place<'a>(
    Option<&'a PathUri>,
    &'a Option<EnvironmentId>,
    Option<&'a io::Error>,
);

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(path, environment_id, source) = self;
        let named_by_source = source.and_then(FileSystemError::find);
        if named_by_source.is_none()
            && let Some(path) = path
        {
            write!(formatter, " `{path}`")?;
        }
        let environment_is_named = named_by_source.is_some_and(|it| it.environment_id.is_some());
        match environment_id {
            Some(id) if !environment_is_named => write!(formatter, " in environment `{id}`"),
            _ => Ok(()),
        }
    }
}
