//! The `[projects]` table: what a person wrote about directories.
//!
//! No I/O and no inheritance: an entry speaks of exactly one directory. Which directories speak for
//! a project is decided in the parent module.

use std::collections::BTreeMap;

use codex_path_uri::{PathConvention, PathUri};
use serde::Serialize;

use crate::stack::Scope;
use crate::values::type_of;
use crate::{ConfigError, ConfigLayerSource, ConfigLayerStack, TomlValue};

const PROJECTS_KEY: &str = "projects";
const TRUST_LEVEL_KEY: &str = "trust_level";

/// What a person wrote about a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustLevel {
    /// `trust_level = "trusted"`.
    Trusted,
    /// `trust_level = "untrusted"`.
    Untrusted,
}

/// The entries of the `[projects]` table that have a trust level.
///
/// # Examples
///
/// ```
/// use codex_config::{
///     ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, ProjectTrustTable, TrustLevel,
/// };
/// use codex_path_uri::PathUri;
///
/// let text = "[projects.'/repo']\ntrust_level = 'trusted'\n";
/// let layer = ConfigLayerEntry::from_toml_text(ConfigLayerSource::SessionFlags, text)?;
/// let table = ProjectTrustTable::from_stack(&ConfigLayerStack::new(vec![layer])?)?;
/// let (cwd, root) = (PathUri::parse("file:///repo/a")?, PathUri::parse("file:///repo")?);
/// assert_eq!(table.get(&cwd), None);
/// assert_eq!(table.nearest([&cwd, &root]), Some(TrustLevel::Trusted));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProjectTrustTable {
    levels: Levels,
    /// What would be written without the layers of the user's files.
    levels_without_user: Levels,
    config_home: Option<PathUri>,
}

/// Two tables are equal when they say the same of every directory.
impl PartialEq for ProjectTrustTable {
    fn eq(&self, other: &Self) -> bool {
        self.levels == other.levels
    }
}

impl Eq for ProjectTrustTable {}

/// Each key under every convention that reads it as an absolute path. No path of one convention
/// equals one of the other, so a directory only ever meets its own.
type Levels = BTreeMap<PathUri, TrustLevel>;

impl ProjectTrustTable {
    /// Reads the table from the enabled layers, those of the project left out.
    ///
    /// A key is the native path of a directory; on Windows the case of its letters says nothing.
    /// Where several keys spell one directory, the one from the highest layer counts, and within a
    /// layer `untrusted`.
    ///
    /// # Errors
    /// [`ConfigError::InvalidValue`] for a `trust_level` other than `"trusted"` and
    /// `"untrusted"`, and for a table that is none.
    pub fn from_stack(stack: &ConfigLayerStack) -> Result<Self, ConfigError> {
        Ok(Self {
            levels: levels(stack, Scope::WithoutProject)?,
            // With a wrong value that the user's files hide, nothing but them trusts anything.
            levels_without_user: levels(stack, Scope::WithoutProjectAndUser).unwrap_or_default(),
            config_home: config_home(stack),
        })
    }

    /// What is written about exactly this directory, its key read in the convention of
    /// `directory` and normalised lexically.
    pub fn get(&self, directory: &PathUri) -> Option<TrustLevel> {
        self.levels.get(&folded(directory)).copied()
    }

    /// What is written about the first of these directories that has an entry.
    pub fn nearest<'a>(
        &self,
        directories: impl IntoIterator<Item = &'a PathUri>,
    ) -> Option<TrustLevel> {
        directories
            .into_iter()
            .find_map(|directory| self.get(directory))
    }

    /// Whether nothing is written about any directory.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Whether any entry says `untrusted`.
    pub(super) fn has_untrusted(&self) -> bool {
        let mut levels = self.levels.values();
        levels.any(|level| *level == TrustLevel::Untrusted)
    }

    /// The directory of the user's own file, where there is one.
    pub(super) fn config_home(&self) -> Option<&PathUri> {
        self.config_home.as_ref()
    }

    /// Whether this directory is trusted because of the user's files alone.
    pub(super) fn is_trusted_by_config_home(&self, directory: &PathUri) -> bool {
        let key = folded(directory);
        let trusts = |levels: &Levels| levels.get(&key) == Some(&TrustLevel::Trusted);
        trusts(&self.levels) && !trusts(&self.levels_without_user)
    }

    /// Whether any directory is.
    pub(super) fn trusts_by_config_home(&self) -> bool {
        let mut directories = self.levels.keys();
        directories.any(|directory| self.is_trusted_by_config_home(directory))
    }

    /// The same without what the user's files trust; what they distrust stays.
    pub(super) fn without_config_home(&self) -> Self {
        let mut levels = self.levels_without_user.clone();
        let distrusted = self
            .levels
            .iter()
            .filter(|(_, level)| **level == TrustLevel::Untrusted);
        levels.extend(distrusted.map(|(directory, level)| (directory.clone(), *level)));
        Self {
            levels,
            ..self.clone()
        }
    }
}

/// The key of a directory: where the machine ignores case, so does the table.
fn folded(directory: &PathUri) -> PathUri {
    if directory.convention() != Some(PathConvention::Windows) {
        return directory.clone();
    }
    let lower_case = directory.inferred_native_path_string().to_lowercase();
    let folded = PathUri::from_native(&lower_case, PathConvention::Windows);
    folded.unwrap_or_else(|_| directory.clone())
}

fn levels(stack: &ConfigLayerStack, scope: Scope) -> Result<Levels, ConfigError> {
    let keys = project_keys(stack, scope)?;
    let mut entries = Vec::new();
    for key in &keys {
        if let Some((layer, level)) = entry(stack, scope, key)? {
            entries.push((layer, level, key));
        }
    }
    entries.sort();
    let mut levels = Levels::new();
    for (_, level, key) in entries {
        for convention in [PathConvention::Posix, PathConvention::Windows] {
            if let Ok(directory) = PathUri::from_native(key, convention) {
                levels.insert(folded(&directory), level);
            }
        }
    }
    Ok(levels)
}

fn config_home(stack: &ConfigLayerStack) -> Option<PathUri> {
    let mut enabled = stack.enabled(Scope::WithoutProject);
    enabled.find_map(|(_, layer)| match &layer.name {
        ConfigLayerSource::User { file, .. } => file.parent(),
        _ => None,
    })
}

fn project_keys(stack: &ConfigLayerStack, scope: Scope) -> Result<Vec<String>, ConfigError> {
    let key = [PROJECTS_KEY];
    let Some(setting) = stack.setting(&key, scope) else {
        return Ok(Vec::new());
    };
    match stack.merged(scope).get(PROJECTS_KEY) {
        Some(TomlValue::Table(projects)) => Ok(projects.keys().cloned().collect()),
        _ => Err(setting.invalid(&key, "a table", type_of(setting.value))),
    }
}

/// The level of one entry, with the place of its layer in the stack.
fn entry(
    stack: &ConfigLayerStack,
    scope: Scope,
    directory: &str,
) -> Result<Option<(usize, TrustLevel)>, ConfigError> {
    let key = [PROJECTS_KEY, directory];
    match stack.setting(&key, scope) {
        Some(setting) if !setting.value.is_table() => {
            return Err(setting.invalid(&key, "a table", type_of(setting.value)));
        }
        _ => {}
    }
    let key = [PROJECTS_KEY, directory, TRUST_LEVEL_KEY];
    let Some(setting) = stack.setting(&key, scope) else {
        return Ok(None);
    };
    let level = match setting.value {
        TomlValue::String(level) if level == "trusted" => TrustLevel::Trusted,
        TomlValue::String(level) if level == "untrusted" => TrustLevel::Untrusted,
        other => {
            let found = match other {
                TomlValue::String(level) => format!("{level:?}"),
                other => type_of(other).to_owned(),
            };
            let expected = "\"trusted\" or \"untrusted\"";
            return Err(setting.invalid(&key, expected, found));
        }
    };
    Ok(Some((setting.layer, level)))
}
