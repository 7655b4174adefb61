//! The layers together: which there are, how they merge, and what one key means across them.
//!
//! Invariants: the layers are sorted by precedence and those of the project run from the root to
//! the working directory, so whatever walks the stack upward meets the stronger layer later. A
//! disabled layer is listed and never merged. What is asked of one key equals merging first and
//! looking afterwards.

use std::collections::{BTreeMap, HashSet};
use std::io;

use codex_path_uri::PathConvention;

use crate::layer::TomlTable;
use crate::markers::{PROJECT_ROOT_MARKERS_KEY, strings_of};
use crate::{
    ConfigError, ConfigLayerEntry, ConfigLayerSource, MarkersSource, TomlValue, UsableMarkers,
    ValueOrigin, usable_markers,
};

/// The order of [`ConfigLayerStack::get_layers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigLayerStackOrdering {
    /// The layer that every other one overrides comes first.
    LowestPrecedenceFirst,
    /// The layer that overrides every other one comes first.
    HighestPrecedenceFirst,
}

/// Layers sorted by precedence, lowest first.
///
/// # Examples
///
/// ```
/// use codex_config::{ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, ValueOrigin};
/// use codex_path_uri::PathUri;
///
/// let file = PathUri::parse("file:///home/me/.codex/config.toml")?;
/// let user = ConfigLayerSource::User { file, profile: None };
/// let stack = ConfigLayerStack::new(vec![
///     ConfigLayerEntry::from_toml_text(user, "a = 1\nb = 1\n")?,
///     ConfigLayerEntry::from_toml_text(ConfigLayerSource::SessionFlags, "b = 2\n")?,
/// ])?;
/// assert_eq!(stack.effective_config(), toml::from_str("a = 1\nb = 2\n")?);
/// assert_eq!(stack.origin(&["a"]).to_string(), "/home/me/.codex/config.toml:1:5");
/// assert_eq!(stack.origin(&["c"]), ValueOrigin::Default);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfigLayerStack {
    layers: Vec<ConfigLayerEntry>,
}

/// Which enabled layers a question is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of them.
    All,
    /// Those that do not depend on the project root.
    WithoutProject,
    /// Of those, the ones that are not in the config home.
    WithoutProjectAndUser,
}

impl ConfigLayerStack {
    /// A stack of these layers, lowest precedence first.
    ///
    /// # Errors
    /// [`ConfigError::InvalidStack`] when the layers are not sorted by
    /// [`precedence`](ConfigLayerSource::precedence), a `config` is not a table, two project
    /// layers have the same folder, or a project layer does not lie below the directory that
    /// holds the folder of the one before it.
    pub fn new(layers: Vec<ConfigLayerEntry>) -> Result<Self, ConfigError> {
        match problem_of(&layers) {
            Some(reason) => Err(ConfigError::InvalidStack { reason }),
            None => Ok(Self { layers }),
        }
    }

    /// The layers in either order, disabled ones on request.
    pub fn get_layers(
        &self,
        ordering: ConfigLayerStackOrdering,
        include_disabled: bool,
    ) -> Vec<&ConfigLayerEntry> {
        let listed = self
            .layers
            .iter()
            .filter(|layer| include_disabled || layer.is_enabled());
        match ordering {
            ConfigLayerStackOrdering::LowestPrecedenceFirst => listed.collect(),
            ConfigLayerStackOrdering::HighestPrecedenceFirst => listed.rev().collect(),
        }
    }

    /// All enabled layers merged; always a table.
    pub fn effective_config(&self) -> TomlValue {
        self.merged(Scope::All)
    }

    /// All enabled layers merged, those of the project left out; always a table.
    pub fn effective_config_without_project(&self) -> TomlValue {
        self.merged(Scope::WithoutProject)
    }

    /// The enabled layers of `scope`, each with its place in the stack, lowest first.
    pub(crate) fn enabled(
        &self,
        scope: Scope,
    ) -> impl DoubleEndedIterator<Item = (usize, &ConfigLayerEntry)> {
        self.layers.iter().enumerate().filter(move |(_, layer)| {
            let is_in_scope = match &layer.name {
                ConfigLayerSource::Project { .. } => scope == Scope::All,
                ConfigLayerSource::User { .. } => scope != Scope::WithoutProjectAndUser,
                _ => true,
            };
            layer.is_enabled() && is_in_scope
        })
    }

    /// All layers, lowest precedence first.
    pub(crate) fn into_layers(self) -> Vec<ConfigLayerEntry> {
        self.layers
    }

    /// The enabled layers of `scope` merged; always a table.
    pub(crate) fn merged(&self, scope: Scope) -> TomlValue {
        let mut merged = TomlValue::Table(TomlTable::new());
        for (_, layer) in self.enabled(scope) {
            merge_toml_values(&mut merged, &layer.config);
        }
        merged
    }
}

/// The value that the deciding layer has at a key.
pub(crate) struct Setting<'a> {
    /// The place of the layer in the stack.
    pub(crate) layer: usize,
    /// The layer.
    pub(crate) entry: &'a ConfigLayerEntry,
    /// For anything but a table, the merged value; for a table, this layer's part of it.
    pub(crate) value: &'a TomlValue,
}

impl Setting<'_> {
    pub(crate) fn origin(&self, key: &[&str]) -> ValueOrigin {
        self.entry.origin(key)
    }
}

/// What a layer has at a key.
enum Lookup<'a> {
    /// Nothing, and lower layers may have something.
    Absent,
    /// A value that is no table stands in the way, so lower layers are hidden.
    Hidden,
    Value(&'a TomlValue),
}

impl ConfigLayerStack {
    /// The origin of the merged value at `key`, one segment each.
    ///
    /// For a table with entries it is the highest enabled layer that sets one of them, for
    /// anything else the highest enabled layer that sets the value itself;
    /// [`ValueOrigin::Default`] where the merged table has nothing.
    pub fn origin(&self, key: &[&str]) -> ValueOrigin {
        self.setting(key, Scope::All)
            .map_or(ValueOrigin::Default, |setting| setting.origin(key))
    }

    /// The origin of every leaf of [`effective_config`](Self::effective_config): everything but
    /// tables with entries.
    pub fn origins(&self) -> BTreeMap<Vec<String>, ValueOrigin> {
        let mut origins = BTreeMap::new();
        if let TomlValue::Table(entries) = self.effective_config() {
            for (key, value) in &entries {
                self.collect_origins(&mut vec![key], value, &mut origins);
            }
        }
        origins
    }

    /// The configured project root markers as written, and their origin. Layers of the project
    /// are left out: they are found through the root that the markers define.
    ///
    /// Equal to [`project_root_markers_from_config`](crate::project_root_markers_from_config) of
    /// [`effective_config_without_project`](Self::effective_config_without_project), at the cost
    /// of one look-up per layer.
    ///
    /// # Errors
    /// The inner result is `InvalidData` when the value is no array of strings.
    pub fn project_root_markers(&self) -> (io::Result<Option<Vec<String>>>, ValueOrigin) {
        let key = [PROJECT_ROOT_MARKERS_KEY];
        match self.setting(&key, Scope::WithoutProject) {
            Some(setting) => (strings_of(setting.value).map(Some), setting.origin(&key)),
            None => (Ok(None), ValueOrigin::Default),
        }
    }

    /// The markers that can be searched for in an environment of this convention, by the
    /// tolerant rule: a value of the wrong type gives the defaults.
    ///
    /// [`UsableMarkers::diagnostics`] tells what was dropped or replaced.
    pub fn usable_project_root_markers(&self, convention: PathConvention) -> UsableMarkers {
        match self.project_root_markers() {
            (Ok(configured), origin) => usable_markers(configured, origin, convention),
            (Err(error), origin) => {
                tracing::warn!(%origin, %error, "the default project root markers are used");
                let defaults = usable_markers(None, ValueOrigin::Default, convention);
                UsableMarkers {
                    source: MarkersSource::DefaultAfterInvalid(origin),
                    ..defaults
                }
            }
        }
    }

    /// The layer that decides the merged value at `key`.
    pub(crate) fn setting(&self, key: &[&str], scope: Scope) -> Option<Setting<'_>> {
        let mut empty_table = None;
        for (layer, entry) in self.enabled(scope).rev() {
            let value = match look_up(&entry.config, key) {
                Lookup::Absent => continue,
                Lookup::Hidden => break,
                Lookup::Value(value) => value,
            };
            let setting = Setting {
                layer,
                entry,
                value,
            };
            match value {
                TomlValue::Table(entries) if entries.is_empty() => {
                    // It decides only if no lower layer has a table with entries here.
                    empty_table.get_or_insert(setting);
                }
                TomlValue::Table(_) => return Some(setting),
                _ if empty_table.is_some() => break,
                _ => return Some(setting),
            }
        }
        empty_table
    }

    fn collect_origins<'a>(
        &self,
        key: &mut Vec<&'a String>,
        value: &'a TomlValue,
        origins: &mut BTreeMap<Vec<String>, ValueOrigin>,
    ) {
        match value {
            TomlValue::Table(entries) if !entries.is_empty() => {
                for (segment, value) in entries {
                    key.push(segment);
                    self.collect_origins(key, value, origins);
                    key.pop();
                }
            }
            _ => {
                let segments: Vec<&str> = key.iter().map(|segment| segment.as_str()).collect();
                origins.insert(
                    key.iter().copied().cloned().collect(),
                    self.origin(&segments),
                );
            }
        }
    }
}

fn look_up<'a>(config: &'a TomlValue, key: &[&str]) -> Lookup<'a> {
    let mut here = config;
    for segment in key {
        match here {
            TomlValue::Table(entries) => match entries.get(*segment) {
                Some(value) => here = value,
                None => return Lookup::Absent,
            },
            _ => return Lookup::Hidden,
        }
    }
    Lookup::Value(here)
}

/// Overlays `overlay` onto `base`.
///
/// Two tables are joined key by key, recursively: keys that `overlay` does not have stay, and an
/// empty overlay table changes nothing. In every other case `base` becomes `overlay`.
///
/// # Examples
///
/// ```
/// use codex_config::{TomlValue, merge_toml_values};
///
/// # fn table(text: &str) -> TomlValue { TomlValue::Table(toml::from_str(text).unwrap()) }
/// let mut base = table("names = ['a', 'b']\n[limits]\nbytes = 1\ncalls = 2\n");
/// merge_toml_values(&mut base, &table("names = ['c']\n[limits]\nbytes = 3\n"));
/// assert_eq!(base, table("names = ['c']\n[limits]\nbytes = 3\ncalls = 2\n"));
/// ```
pub fn merge_toml_values(base: &mut TomlValue, overlay: &TomlValue) {
    match (base, overlay) {
        (TomlValue::Table(base), TomlValue::Table(overlay)) => {
            for (key, value) in overlay {
                match base.get_mut(key) {
                    Some(present) => merge_toml_values(present, value),
                    None => {
                        base.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (base, overlay) => *base = overlay.clone(),
    }
}

/// The first rule that the layers break.
fn problem_of(layers: &[ConfigLayerEntry]) -> Option<String> {
    if let Some(layer) = layers.iter().find(|layer| !layer.config.is_table()) {
        return Some(format!(
            "the config of {} is not a table",
            described(&layer.name)
        ));
    }
    let unsorted = layers
        .iter()
        .zip(layers.iter().skip(1))
        .find(|(lower, higher)| lower.name.precedence() > higher.name.precedence());
    if let Some((lower, higher)) = unsorted {
        return Some(format!(
            "{} must not come before {}",
            described(&lower.name),
            described(&higher.name)
        ));
    }
    problem_of_project_layers(layers)
}

fn problem_of_project_layers(layers: &[ConfigLayerEntry]) -> Option<String> {
    let folders: Vec<_> = layers
        .iter()
        .filter_map(|layer| match &layer.name {
            ConfigLayerSource::Project { dot_codex_folder } => Some(dot_codex_folder),
            _ => None,
        })
        .collect();
    let mut seen = HashSet::new();
    if let Some(repeated) = folders.iter().find(|folder| !seen.insert(**folder)) {
        let shown = repeated.inferred_native_path_string();
        return Some(format!("two project layers have the folder {shown}"));
    }
    // The directories that own the folders are compared, because a folder may itself be named
    // like one of them: `.codex` owns `.codex/.codex`.
    folders
        .iter()
        .zip(folders.iter().skip(1))
        .find(|(above, below)| match (above.parent(), below.parent()) {
            (Some(above), Some(below)) => !below.starts_with(&above),
            _ => true,
        })
        .map(|(_, below)| {
            let shown = below.inferred_native_path_string();
            format!("project folder {shown} is not below the directory of the one before it")
        })
}

fn described(source: &ConfigLayerSource) -> String {
    match source.file() {
        Some(file) => format!("{source} ({})", file.inferred_native_path_string()),
        None => source.to_string(),
    }
}
