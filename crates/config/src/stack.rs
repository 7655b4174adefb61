//! The layers together: which ones there are, in which order, merged or not.
//!
//! Invariant: the layers are sorted by precedence and those of the project run from the root to
//! the working directory, so whatever walks the stack upward meets the stronger layer later. A
//! disabled layer is listed and never merged. What a single key means across the layers lives
//! in `lookup`.

use std::collections::HashSet;

use crate::layer::TomlTable;
use crate::{ConfigError, ConfigLayerEntry, ConfigLayerSource, TomlValue, merge_toml_values};

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
