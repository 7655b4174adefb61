//! The layers that do not depend on the project: machine, user, profile, `-c`, managed.
//!
//! One read per file, all in flight together, judged lowest precedence first. Nothing is asked
//! before it is read and nothing is spawned. What becomes of one answer is in `read`.

use std::collections::HashSet;

use codex_file_system::ExecutorFileSystem;
use codex_path_uri::PathUri;
use futures::{StreamExt, TryStreamExt, stream};
use tracing::Instrument;

use crate::judge::type_of;
use crate::keys::key_diagnostics;
use crate::read::{LayerFile, read_layer};
use crate::source::CONFIG_TOML_FILE;
use crate::stack::Scope;
use crate::{
    ConfigDiagnostic, ConfigError, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack,
    ProfileName, TomlValue, ValueOrigin, parse_overrides,
};

/// System, user, profile, managed.
const MAX_BASE_FILES: usize = 4;

const LEGACY_PROFILE_KEY: [&str; 1] = ["profile"];

/// What the base layers are read from.
pub struct ConfigSources<'a> {
    /// The filesystem that holds the base files, usually the host's.
    pub filesystem: &'a dyn ExecutorFileSystem,
    /// The directory of the user's files; exactly one.
    pub config_home: PathUri,
    /// The machine's file, if the host has one.
    pub system_config: Option<PathUri>,
    /// The machine's managed file, if the host has one.
    pub managed_config: Option<PathUri>,
    /// The selected profile.
    pub profile: Option<ProfileName>,
    /// The `-c` arguments, in order.
    pub overrides: Vec<String>,
}

impl<'a> ConfigSources<'a> {
    /// The user's file alone: no other file, no profile, no `-c` argument.
    pub fn new(filesystem: &'a dyn ExecutorFileSystem, config_home: PathUri) -> Self {
        Self {
            filesystem,
            config_home,
            system_config: None,
            managed_config: None,
            profile: None,
            overrides: Vec::new(),
        }
    }
}

/// Layers, and what was found on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedLayers {
    /// The layers.
    pub stack: ConfigLayerStack,
    /// Findings, lowest precedence first.
    pub diagnostics: Vec<ConfigDiagnostic>,
}

/// Reads the base layers.
///
/// A file that does not exist is no layer; for the file of a selected profile this is the
/// warning `profile_not_found`. A file named twice is read once, and its lower layer stays.
///
/// # Round trips
/// 1: one `read_file` per file, at most 4, all in flight together. The `-c` arguments are parsed
/// first and cost none.
///
/// # Errors
/// The first in this order: [`ConfigError::InvalidOverride`], before any call; then, lowest
/// precedence first, [`ConfigError::Read`] for a file that exists but cannot be read or is
/// larger than [`MAX_CONFIG_FILE_BYTES`](crate::MAX_CONFIG_FILE_BYTES), and
/// [`ConfigError::InvalidToml`]; then [`ConfigError::LegacyProfile`] when a layer sets the
/// top-level key `profile`.
///
/// # Cancellation
/// Dropping the future starts no further read; reads already sent may still run remotely.
///
/// # Examples
///
/// ```
/// use codex_config::{ConfigSources, load_base_layers};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tree = "/home/me/.codex/config.toml = model = 'a'";
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree)?;
/// let mut sources = ConfigSources::new(&fs, PathUri::parse("file:///home/me/.codex")?);
/// sources.overrides = vec!["model=b".to_owned()];
/// let loaded = load_base_layers(&sources).await?;
/// assert_eq!(loaded.stack.effective_config()["model"].as_str(), Some("b"));
/// assert_eq!(loaded.stack.origin(&["model"]).to_string(), "-c");
/// # Ok(())
/// # }
/// ```
pub async fn load_base_layers(sources: &ConfigSources<'_>) -> Result<LoadedLayers, ConfigError> {
    let session = session_layer(&sources.overrides)?;
    let files = base_files(sources)?;
    let span = tracing::debug_span!("config_base_layers", calls = files.len());
    // A future does nothing before it is polled, so the window alone decides what is in flight.
    let reads: Vec<_> = files
        .iter()
        .map(|file| read_layer(sources.filesystem, file))
        .collect();
    let read: Vec<Option<ConfigLayerEntry>> = stream::iter(reads)
        .buffered(MAX_BASE_FILES)
        .try_collect()
        .instrument(span)
        .await?;

    let missing = files.iter().zip(&read).filter(|(_, layer)| layer.is_none());
    let mut diagnostics: Vec<_> = missing
        .filter_map(|(file, _)| profile_not_found(file))
        .collect();
    let mut layers: Vec<_> = read.into_iter().flatten().chain(session).collect();
    // Stable, so only the session layer moves: below the managed one.
    layers.sort_by_key(|layer| layer.name.precedence());
    diagnostics.extend(layers.iter().flat_map(key_diagnostics));
    let stack = ConfigLayerStack::new(layers)?;
    refuse_legacy_profile(&stack)?;
    Ok(LoadedLayers { stack, diagnostics })
}

fn session_layer(overrides: &[String]) -> Result<Option<ConfigLayerEntry>, ConfigError> {
    if overrides.is_empty() {
        return Ok(None);
    }
    let table = parse_overrides(overrides)?;
    Ok(Some(ConfigLayerEntry::new(
        ConfigLayerSource::SessionFlags,
        table,
    )))
}

/// The files to read, lowest precedence first, each once.
fn base_files(sources: &ConfigSources<'_>) -> Result<Vec<LayerFile>, ConfigError> {
    let home = &sources.config_home;
    let mut files = Vec::new();
    if let Some(file) = sources.system_config.clone() {
        files.push(LayerFile {
            source: ConfigLayerSource::System { file: file.clone() },
            file,
        });
    }
    files.push(user_file(home, None, CONFIG_TOML_FILE)?);
    if let Some(profile) = sources.profile.clone() {
        let name = format!("{profile}.{CONFIG_TOML_FILE}");
        files.push(user_file(home, Some(profile), &name)?);
    }
    if let Some(file) = sources.managed_config.clone() {
        let source = ConfigLayerSource::LegacyManagedConfigTomlFromFile { file: file.clone() };
        files.push(LayerFile { source, file });
    }
    let mut seen = HashSet::new();
    files.retain(|file| seen.insert(file.file.clone()));
    Ok(files)
}

fn user_file(
    home: &PathUri,
    profile: Option<ProfileName>,
    name: &str,
) -> Result<LayerFile, ConfigError> {
    let source = |file| ConfigLayerSource::User { file, profile };
    match home.join(name) {
        Ok(file) => Ok(LayerFile {
            source: source(file.clone()),
            file,
        }),
        Err(error) => Err(ConfigError::Read {
            source_layer: source(home.clone()),
            file: home.clone(),
            source: error.into(),
        }),
    }
}

/// The finding about a file that does not exist, if a person selected it.
fn profile_not_found(file: &LayerFile) -> Option<ConfigDiagnostic> {
    let ConfigLayerSource::User {
        profile: Some(profile),
        ..
    } = &file.source
    else {
        return None;
    };
    let origin = ValueOrigin::Layer {
        source: file.source.clone(),
        position: None,
    };
    tracing::warn!(file = %file.file, %profile, "the selected profile has no file");
    Some(ConfigDiagnostic::ProfileNotFound {
        origin,
        profile: profile.clone(),
    })
}

/// The key once selected a profile; without this it would silently select nothing.
fn refuse_legacy_profile(base: &ConfigLayerStack) -> Result<(), ConfigError> {
    match base.setting(&LEGACY_PROFILE_KEY, Scope::All) {
        None => Ok(()),
        Some(setting) => Err(ConfigError::LegacyProfile {
            origin: setting.origin(&LEGACY_PROFILE_KEY),
            name: match setting.value {
                TomlValue::String(name) => name.clone(),
                other => type_of(other).to_owned(),
            },
        }),
    }
}
