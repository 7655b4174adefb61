//! From files to layers.

use codex_file_system::{ExecutorFileSystem, Window};
use codex_path_uri::PathUri;

use crate::{ConfigDiagnostic, ConfigError, ConfigLayerStack, DisabledReason, ProfileName};

/// Largest configuration file, in bytes (1 MiB).
pub const MAX_CONFIG_FILE_BYTES: usize = 1024 * 1024;

/// What the base layers are read from.
pub struct ConfigSources<'a> {
    /// The filesystem that holds the base files, usually the host's.
    pub filesystem: &'a dyn ExecutorFileSystem,
    /// The directory of the user's files.
    pub config_home: PathUri,
    /// The machine's file, if there is one.
    pub system_config: Option<PathUri>,
    /// The machine's managed file, if there is one.
    pub managed_config: Option<PathUri>,
    /// The selected profile.
    pub profile: Option<ProfileName>,
    /// The `-c` arguments, in order.
    pub overrides: Vec<String>,
}

/// Layers and what was found on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedLayers {
    /// The layers.
    pub stack: ConfigLayerStack,
    /// Findings, lowest precedence first.
    pub diagnostics: Vec<ConfigDiagnostic>,
}

/// What a host decides about the layer of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectLayerDecision {
    /// Read and merge it.
    Enable,
    /// List it without reading it.
    Disable(DisabledReason),
}

/// Reads the base layers.
pub async fn load_base_layers(sources: &ConfigSources<'_>) -> Result<LoadedLayers, ConfigError> {
    todo!("{:?}", sources.overrides)
}

/// Adds the layers of the project's directories.
pub async fn load_project_layers(
    base: ConfigLayerStack,
    filesystem: &dyn ExecutorFileSystem,
    directories: &[PathUri],
    decide: &(dyn Fn(&PathUri) -> ProjectLayerDecision + Sync),
    window: Window,
) -> Result<LoadedLayers, ConfigError> {
    let _ = (base, filesystem, directories, decide, window);
    todo!()
}
