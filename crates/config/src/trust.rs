//! A reader for the `[projects]` table.
//!
//! It says what a person wrote about a directory and decides nothing: trust belongs to the host.
//! No I/O, and no inheritance: an entry speaks of exactly one directory.

use std::collections::BTreeMap;

use codex_path_uri::{PathConvention, PathUri};
use serde::Serialize;

use crate::judge::{Fault, Judge, type_of};
use crate::stack::Scope;
use crate::{ConfigError, ConfigLayerStack, TomlValue};

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectTrustTable {
    // Each key under every convention that reads it as an absolute path. No path of one
    // convention equals one of the other, so a directory only ever meets its own.
    levels: BTreeMap<PathUri, TrustLevel>,
}

impl ProjectTrustTable {
    /// Reads the table from the enabled layers, those of the project left out.
    ///
    /// A key is the native path of a directory. Where several keys spell one directory, the one
    /// from the highest layer counts, and within a layer `untrusted`.
    ///
    /// # Errors
    /// [`ConfigError::InvalidValue`] for a `trust_level` other than `"trusted"` and
    /// `"untrusted"`, and for a table that is none.
    pub fn from_stack(stack: &ConfigLayerStack) -> Result<Self, ConfigError> {
        let mut judge = Judge::default();
        let keys = judge.keep(project_keys(stack));
        let mut entries = Vec::new();
        for key in &keys {
            if let Some((layer, level)) = judge.keep(entry(stack, key)) {
                entries.push((layer, level, key));
            }
        }
        entries.sort();
        let mut levels = BTreeMap::new();
        for (_, level, key) in entries {
            for convention in [PathConvention::Posix, PathConvention::Windows] {
                if let Ok(directory) = PathUri::from_native(key, convention) {
                    levels.insert(directory, level);
                }
            }
        }
        judge.finish(Self { levels })
    }

    /// What is written about exactly this directory, its key read in the convention of
    /// `directory` and normalised lexically.
    pub fn get(&self, directory: &PathUri) -> Option<TrustLevel> {
        self.levels.get(directory).copied()
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
}

fn project_keys(stack: &ConfigLayerStack) -> Result<Vec<String>, Fault> {
    let key = [PROJECTS_KEY];
    let Some(setting) = stack.setting(&key, Scope::WithoutProject) else {
        return Ok(Vec::new());
    };
    match stack.effective_config_without_project().get(PROJECTS_KEY) {
        Some(TomlValue::Table(projects)) => Ok(projects.keys().cloned().collect()),
        _ => Err(Fault::of(&setting, &key, "a table", type_of(setting.value))),
    }
}

/// The level of one entry, with the place of its layer in the stack.
fn entry(stack: &ConfigLayerStack, directory: &str) -> Result<Option<(usize, TrustLevel)>, Fault> {
    let key = [PROJECTS_KEY, directory];
    match stack.setting(&key, Scope::WithoutProject) {
        Some(setting) if !setting.value.is_table() => {
            return Err(Fault::of(&setting, &key, "a table", type_of(setting.value)));
        }
        _ => {}
    }
    let key = [PROJECTS_KEY, directory, TRUST_LEVEL_KEY];
    let Some(setting) = stack.setting(&key, Scope::WithoutProject) else {
        return Ok(None);
    };
    match setting.value {
        TomlValue::String(level) if level == "trusted" => {
            Ok(Some((setting.layer, TrustLevel::Trusted)))
        }
        TomlValue::String(level) if level == "untrusted" => {
            Ok(Some((setting.layer, TrustLevel::Untrusted)))
        }
        other => {
            let found = match other {
                TomlValue::String(level) => format!("{level:?}"),
                other => type_of(other).to_owned(),
            };
            Err(Fault::of(
                &setting,
                &key,
                "\"trusted\" or \"untrusted\"",
                found,
            ))
        }
    }
}
