//! The layers of the project: one `.codex` folder per directory from the root to the working
//! directory.
//!
//! The host decides which ones count. A layer it disables is asked for but never read, so its
//! content cannot do anything, not even be broken.

use std::collections::HashSet;

use codex_file_system::{ExecutorFileSystem, Window};
use codex_path_uri::PathUri;
use futures::{StreamExt, TryStreamExt, stream};
use tracing::Instrument;

use crate::keys::key_diagnostics;
use crate::layer::TomlTable;
use crate::load::LoadedLayers;
use crate::read::{LayerFile, read_layer};
use crate::source::CONFIG_TOML_FILE;
use crate::{
    ConfigDiagnostic, ConfigError, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack,
    DisabledReason, TomlValue, ValueOrigin,
};

/// Name of the folder that holds a project directory's configuration.
const DOT_CODEX_FOLDER: &str = ".codex";

/// How many calls [`load_project_layers`] keeps in flight unless a host chooses otherwise: 8.
pub const DEFAULT_PROJECT_LAYER_WINDOW: Window = match Window::new(8) {
    Some(window) => window,
    None => Window::SERIAL,
};

/// What a host decides about the layer of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectLayerDecision {
    /// Read and merge it.
    Enable,
    /// List it, without reading it, if its file exists.
    Disable(DisabledReason),
}

/// Adds the layers of the project's directories to the base layers.
///
/// `directories` run from the project root to the working directory, as
/// [`ProjectRootSearch::directories`](crate::ProjectRootSearch::directories) gives them; a nearer
/// one overrides. `decide` is asked once for each, in that order, before any call. A file that
/// is already a layer is not asked for again. The diagnostics are one `project_layer_disabled`
/// per disabled file that exists, and
/// for each enabled one what it sets without effect.
///
/// # Round trips
/// One call per directory, ceil(directories / `window`) round trips: `read_file` of
/// `.codex/config.toml` where enabled, `get_metadata` of it where disabled. No directories: none.
///
/// # Errors
/// The first in the order of the directories: [`ConfigError::Read`] or
/// [`ConfigError::InvalidToml`] of an enabled file, [`ConfigError::Read`] for a directory whose
/// path cannot be joined to. A file that does not exist, or whose `.codex` is a file, is no
/// layer, and neither is a disabled one whose metadata cannot be had.
/// [`ConfigError::InvalidStack`] when the directories do not run downward.
///
/// # Cancellation
/// Dropping the future starts no further call; calls already sent may still run remotely.
///
/// # Examples
///
/// ```
/// use codex_config::{
///     ConfigLayerStack, DEFAULT_PROJECT_LAYER_WINDOW, DisabledReason, ProjectLayerDecision,
///     load_project_layers,
/// };
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/repo/.codex/config.toml = not TOML")?;
/// let directories = [PathUri::parse("file:///repo")?];
/// let refuse = |_: &PathUri| ProjectLayerDecision::Disable(DisabledReason::Untrusted);
/// let base = ConfigLayerStack::default();
/// let window = DEFAULT_PROJECT_LAYER_WINDOW;
/// let loaded = load_project_layers(base, &fs, &directories, &refuse, window).await?;
/// assert_eq!(loaded.diagnostics[0].code(), "project_layer_disabled");
/// # Ok(())
/// # }
/// ```
pub async fn load_project_layers(
    base: ConfigLayerStack,
    filesystem: &dyn ExecutorFileSystem,
    directories: &[PathUri],
    decide: &(dyn Fn(&PathUri) -> ProjectLayerDecision + Sync),
    window: Window,
) -> Result<LoadedLayers, ConfigError> {
    let mut layers = base.into_layers();
    let files = project_files(&layers, directories, decide)?;
    let span = tracing::debug_span!("config_project_layers", calls = files.len());
    // A future does nothing before it is polled, so the window alone decides what is in flight.
    let asked: Vec<_> = files
        .iter()
        .map(|(file, decision)| read_or_probe_layer(filesystem, file, decision))
        .collect();
    let found: Vec<Option<ConfigLayerEntry>> = stream::iter(asked)
        .buffered(window.get())
        .try_collect()
        .instrument(span)
        .await?;
    let found: Vec<ConfigLayerEntry> = found.into_iter().flatten().collect();

    let told = found.iter().flat_map(|layer| {
        layer_disabled(layer)
            .into_iter()
            .chain(key_diagnostics(layer))
    });
    let diagnostics = told.collect();
    let precedence = |layer: &ConfigLayerEntry| layer.name.precedence();
    layers.extend(found);
    // Stable, so the project layers keep their order and move below the session.
    layers.sort_by_key(precedence);
    Ok(LoadedLayers {
        stack: ConfigLayerStack::new(layers)?,
        diagnostics,
    })
}

/// The files to ask for, root first, each once and none that is a layer already.
fn project_files(
    layers: &[ConfigLayerEntry],
    directories: &[PathUri],
    decide: &(dyn Fn(&PathUri) -> ProjectLayerDecision + Sync),
) -> Result<Vec<(LayerFile, ProjectLayerDecision)>, ConfigError> {
    let mut seen: HashSet<PathUri> = layers
        .iter()
        .filter_map(|layer| layer.name.file())
        .collect();
    let mut files = Vec::new();
    for directory in directories {
        let file = project_file(directory)?;
        if seen.insert(file.file.clone()) {
            files.push((file, decide(directory)));
        }
    }
    Ok(files)
}

fn project_file(directory: &PathUri) -> Result<LayerFile, ConfigError> {
    let joined = directory.join(DOT_CODEX_FOLDER).and_then(|folder| {
        let file = folder.join(CONFIG_TOML_FILE)?;
        Ok(LayerFile {
            source: ConfigLayerSource::Project {
                dot_codex_folder: folder,
            },
            file,
        })
    });
    joined.map_err(|error| ConfigError::Read {
        source_layer: ConfigLayerSource::Project {
            dot_codex_folder: directory.clone(),
        },
        file: directory.clone(),
        source: error.into(),
    })
}

async fn read_or_probe_layer(
    filesystem: &dyn ExecutorFileSystem,
    file: &LayerFile,
    decision: &ProjectLayerDecision,
) -> Result<Option<ConfigLayerEntry>, ConfigError> {
    let ProjectLayerDecision::Disable(reason) = decision else {
        return read_layer(filesystem, file).await;
    };
    let answer = filesystem.get_metadata(&file.file, None).await;
    tracing::trace!(file = %file.file, found = answer.is_ok(), "probe disabled configuration file");
    let nothing_read = TomlValue::Table(TomlTable::new());
    let layer = ConfigLayerEntry::new(file.source.clone(), nothing_read).disabled(reason.clone());
    Ok(answer.is_ok().then_some(layer))
}

fn layer_disabled(layer: &ConfigLayerEntry) -> Option<ConfigDiagnostic> {
    Some(ConfigDiagnostic::ProjectLayerDisabled {
        origin: ValueOrigin::Layer {
            source: layer.name.clone(),
            position: None,
        },
        file: layer.name.file()?,
        reason: layer.disabled_reason.clone()?,
    })
}
