//! Reading the layers: first those of the machine and the user, then those of the project.
//!
//! Each loader is a serial program over a [`Lookahead`]: it expects all its files and reads one
//! after another, lowest precedence first. A file is never asked for before it is read, and no
//! more than the largest allowed file is read of any. A project layer that the host disables is
//! asked for but never read, so its content cannot do anything, not even be broken.

use std::collections::HashSet;
use std::io;

use codex_file_system::error::is_broken_link;
use codex_file_system::{ExecutorFileSystem, Lookahead, ReadCall, Window};
use codex_path_uri::PathUri;
use tracing::Instrument;

use crate::keys::key_diagnostics;
use crate::layer::TomlTable;
use crate::stack::Scope;
use crate::toml_text::position;
use crate::values::type_of;
use crate::{
    CONFIG_TOML_FILE, ConfigDiagnostic, ConfigError, ConfigLayerEntry, ConfigLayerSource,
    ConfigLayerStack, DisabledReason, ProfileName, TomlValue, ValueOrigin, parse_overrides,
};

/// Largest configuration file, in bytes (1 MiB).
pub const MAX_CONFIG_FILE_BYTES: usize = 1024 * 1024;

/// As much of a file as tells whether it is too large.
const PREFIX_BYTES: u64 = MAX_CONFIG_FILE_BYTES as u64 + 1;

/// Name of the folder that holds a project directory's configuration.
const DOT_CODEX_FOLDER: &str = ".codex";

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

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
    /// What a person should know, lowest precedence first.
    pub diagnostics: Vec<ConfigDiagnostic>,
}

/// What a host decides about the layer of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProjectLayerDecision {
    /// Read and merge it.
    Enable,
    /// List it, without reading it, if its file exists.
    Disable(DisabledReason),
}

/// Reads the base layers.
///
/// A file that does not exist is no layer; for the file of a selected profile this is the
/// warning `profile_not_found`. A file named twice is read once, and its lower layer stays. Keys
/// that a person believes to be active and nothing reads are told.
///
/// # Round trips
/// 1: one read per file, at most 4, all in flight together; 2 if a file is larger than 64 KiB. The
/// `-c` arguments are parsed first and cost none.
///
/// # Errors
/// The first in this order: [`ConfigError::InvalidOverride`], before any call; then, lowest
/// precedence first, [`ConfigError::Read`] for a file that exists but cannot be read - a link
/// without a target, a directory or a device is one - or is larger than
/// [`MAX_CONFIG_FILE_BYTES`], and [`ConfigError::InvalidToml`]; then
/// [`ConfigError::LegacyProfile`] when a layer sets the top-level key `profile`.
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
    let lookahead = Lookahead::new(sources.filesystem, Window::default());
    let loader = load_base_layers_with(&lookahead, sources);
    let span = tracing::debug_span!("config_base_layers");
    lookahead.drive(loader).instrument(span).await
}

/// [`load_base_layers`] as part of a larger load: its reads share the window and the answers of
/// that, and go to its filesystem rather than to that of `sources`.
///
/// # Round trips
/// As [`load_base_layers`], in the window of the load.
///
/// # Errors
/// As [`load_base_layers`].
pub async fn load_base_layers_with(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    sources: &ConfigSources<'_>,
) -> Result<LoadedLayers, ConfigError> {
    let session = session_layer(&sources.overrides)?;
    let files = base_files(sources)?;
    expect_files(fs, &files);
    let mut layers = Vec::new();
    let mut diagnostics = Vec::new();
    for file in files {
        match read_layer(fs, &file).await? {
            Some(layer) => layers.push(layer),
            None => diagnostics.extend(profile_not_found(&file)),
        }
    }
    layers.extend(session);
    // Stable, so only the session layer moves: below the managed one.
    layers.sort_by_key(|layer| layer.name.precedence());
    diagnostics.extend(layers.iter().flat_map(key_diagnostics));
    let stack = ConfigLayerStack::new(layers)?;
    refuse_legacy_profile(&stack)?;
    Ok(LoadedLayers { stack, diagnostics })
}

/// Expects the reads of [`load_base_layers_with`]. Makes no call.
pub fn expect_base_layers(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    sources: &ConfigSources<'_>,
) {
    expect_files(fs, &base_files(sources).unwrap_or_default());
}

/// Adds the layers of the project's directories to the base layers.
///
/// `directories` run from the project root to the working directory, as
/// [`ProjectRootSearch::directories`](crate::ProjectRootSearch::directories) gives them; a nearer
/// one overrides. `decide` is asked once for each, in that order, before any call. A file that
/// is already a layer is not asked for again. The diagnostics are one `project_layer_disabled`
/// per disabled file that exists, and for each enabled one what it sets without effect.
///
/// # Round trips
/// One call per directory, all in flight together as far as the default window goes: a read of
/// `.codex/config.toml` where enabled, `get_metadata` of it where disabled. One more round trip for
/// files larger than 64 KiB. No directories: none.
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
///     ConfigLayerStack, DisabledReason, ProjectLayerDecision, load_project_layers,
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
/// let loaded = load_project_layers(base, &fs, &directories, &refuse).await?;
/// assert_eq!(loaded.diagnostics[0].code(), "project_layer_disabled");
/// # Ok(())
/// # }
/// ```
pub async fn load_project_layers(
    base: ConfigLayerStack,
    filesystem: &dyn ExecutorFileSystem,
    directories: &[PathUri],
    decide: &(dyn Fn(&PathUri) -> ProjectLayerDecision + Sync),
) -> Result<LoadedLayers, ConfigError> {
    let lookahead = Lookahead::new(filesystem, Window::default());
    let loader = load_project_layers_with(&lookahead, base, directories, decide);
    let span = tracing::debug_span!("config_project_layers");
    lookahead.drive(loader).instrument(span).await
}

/// [`load_project_layers`] as part of a larger load: its calls share the window and the answers of
/// that.
///
/// # Round trips
/// As [`load_project_layers`], in the window of the load.
///
/// # Errors
/// As [`load_project_layers`].
pub async fn load_project_layers_with(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    base: ConfigLayerStack,
    directories: &[PathUri],
    decide: &(dyn Fn(&PathUri) -> ProjectLayerDecision + Sync),
) -> Result<LoadedLayers, ConfigError> {
    let mut layers = base.into_layers();
    let files = project_files(&layers, directories, decide)?;
    fs.expect_all(files.iter().map(|(file, decision)| match decision {
        ProjectLayerDecision::Enable => ReadCall::beginning(&file.file, PREFIX_BYTES),
        ProjectLayerDecision::Disable(_) => ReadCall::metadata(&file.file),
    }));
    let mut diagnostics = Vec::new();
    for (file, decision) in files {
        let found = match decision {
            ProjectLayerDecision::Enable => read_layer(fs, &file).await?,
            ProjectLayerDecision::Disable(reason) => probe_layer(fs, &file, reason).await,
        };
        if let Some(layer) = found {
            diagnostics.extend(layer_disabled(&layer));
            diagnostics.extend(key_diagnostics(&layer));
            layers.push(layer);
        }
    }
    // Stable, so the project layers keep their order and move below the session.
    layers.sort_by_key(|layer| layer.name.precedence());
    let stack = ConfigLayerStack::new(layers)?;
    Ok(LoadedLayers { stack, diagnostics })
}

/// Expects the layer of `directory`: its read where the host will enable it, else the question
/// whether it is there. Makes no call.
pub fn expect_project_layer(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    directory: &PathUri,
    is_enabled: bool,
) {
    let file = project_file(directory).ok();
    fs.expect_all(file.map(|file| match is_enabled {
        true => ReadCall::beginning(&file.file, PREFIX_BYTES),
        false => ReadCall::metadata(&file.file),
    }));
}

/// A file that would be a layer.
#[derive(Clone, Debug)]
struct LayerFile {
    source: ConfigLayerSource,
    file: PathUri,
}

fn session_layer(overrides: &[String]) -> Result<Option<ConfigLayerEntry>, ConfigError> {
    if overrides.is_empty() {
        return Ok(None);
    }
    let table = parse_overrides(overrides)?;
    let layer = ConfigLayerEntry::new(ConfigLayerSource::SessionFlags, table);
    Ok(Some(layer))
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

/// The files to ask for, root first, each once and none that is a layer already.
fn project_files(
    layers: &[ConfigLayerEntry],
    directories: &[PathUri],
    decide: &(dyn Fn(&PathUri) -> ProjectLayerDecision + Sync),
) -> Result<Vec<(LayerFile, ProjectLayerDecision)>, ConfigError> {
    let layers = layers.iter();
    let mut seen: HashSet<PathUri> = layers.filter_map(|layer| layer.name.file()).collect();
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

fn expect_files(fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>, files: &[LayerFile]) {
    let files = files.iter();
    fs.expect_all(files.map(|file| ReadCall::beginning(&file.file, PREFIX_BYTES)));
}

/// Reads the layer of `file`; `None` where there is none.
async fn read_layer(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    file: &LayerFile,
) -> Result<Option<ConfigLayerEntry>, ConfigError> {
    let fail = |source| ConfigError::Read {
        source_layer: file.source.clone(),
        file: file.file.clone(),
        source,
    };
    let bytes = match fs.read_beginning(&file.file, PREFIX_BYTES).await {
        Err(error) if is_absent(&file.source, &error) => return Ok(None),
        Err(error) => return Err(fail(error)),
        Ok(prefix) if prefix.bytes.len() > MAX_CONFIG_FILE_BYTES => {
            let limit = format!("larger than {MAX_CONFIG_FILE_BYTES} bytes");
            return Err(fail(io::Error::new(io::ErrorKind::FileTooLarge, limit)));
        }
        Ok(prefix) => prefix.bytes,
    };
    ConfigLayerEntry::from_toml_text(file.source.clone(), decode(file, &bytes)?).map(Some)
}

/// Whether there is no file. A `.codex` that is a file holds no configuration; a config home that
/// is one is a mistake, and so is a link that leads to nothing.
fn is_absent(source: &ConfigLayerSource, error: &io::Error) -> bool {
    let is_project = matches!(source, ConfigLayerSource::Project { .. });
    match error.kind() {
        io::ErrorKind::NotFound => !is_broken_link(error),
        io::ErrorKind::NotADirectory => is_project,
        _ => false,
    }
}

/// The text, still with its byte order mark: removing it is part of parsing a layer.
fn decode<'a>(file: &LayerFile, bytes: &'a [u8]) -> Result<&'a str, ConfigError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let valid = valid.strip_prefix(BYTE_ORDER_MARK).unwrap_or(valid);
        let before = String::from_utf8_lossy(valid);
        ConfigError::InvalidToml {
            source_layer: file.source.clone(),
            file: file.file.clone(),
            position: position(&before, before.len()),
            message: "invalid UTF-8".to_owned(),
        }
    })
}

/// The disabled layer of `file`, if the file is there.
async fn probe_layer(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    file: &LayerFile,
    reason: DisabledReason,
) -> Option<ConfigLayerEntry> {
    let answer = fs.get_metadata(&file.file, None).await;
    let is_there = match &answer {
        Ok(_) => true,
        Err(error) => is_broken_link(error),
    };
    let nothing_read = TomlValue::Table(TomlTable::new());
    let layer = ConfigLayerEntry::new(file.source.clone(), nothing_read).disabled(reason);
    is_there.then_some(layer)
}

/// The diagnostic about a file that does not exist, if a person selected it.
fn profile_not_found(file: &LayerFile) -> Option<ConfigDiagnostic> {
    let ConfigLayerSource::User {
        profile: Some(profile),
        ..
    } = &file.source
    else {
        return None;
    };
    tracing::warn!(file = %file.file, %profile, "the selected profile has no file");
    Some(ConfigDiagnostic::ProfileNotFound {
        origin: ValueOrigin::Layer {
            source: file.source.clone(),
            position: None,
        },
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
