//! What one key means across the layers, answered without merging them.
//!
//! Invariant: every answer equals that of merging first and looking afterwards.

use std::collections::BTreeMap;
use std::io;

use codex_path_uri::PathConvention;

use crate::markers::{PROJECT_ROOT_MARKERS_KEY, strings_of};
use crate::stack::{ConfigLayerStack, Scope};
use crate::usable_markers::{MarkersSource, UsableMarkers, usable_markers};
use crate::{ConfigLayerEntry, TomlValue, ValueOrigin};

/// The value that the deciding layer has at a key.
pub(crate) struct Setting<'a> {
    /// The place of the layer in the stack.
    pub(crate) layer: usize,
    pub(crate) entry: &'a ConfigLayerEntry,
    /// For anything but a table, the merged value; for a table, this layer's part of it.
    pub(crate) value: &'a TomlValue,
}

impl Setting<'_> {
    pub(crate) fn origin(&self, key: &[&str]) -> ValueOrigin {
        self.entry.origin(key)
    }
}

/// What a layer says at a key.
enum Said<'a> {
    /// Nothing, and lower layers may still speak.
    Nothing,
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
            let value = match said_at(&entry.config, key) {
                Said::Nothing => continue,
                Said::Hidden => break,
                Said::Value(value) => value,
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

fn said_at<'a>(config: &'a TomlValue, key: &[&str]) -> Said<'a> {
    let mut here = config;
    for segment in key {
        match here {
            TomlValue::Table(entries) => match entries.get(*segment) {
                Some(value) => here = value,
                None => return Said::Nothing,
            },
            _ => return Said::Hidden,
        }
    }
    Said::Value(here)
}
