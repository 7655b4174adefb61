//! The layers together, and what they say as one.

use std::collections::BTreeMap;
use std::io;

use codex_path_uri::PathConvention;

use crate::{
    ConfigDiagnostic, ConfigError, ConfigLayerEntry, TomlValue, UsableMarkers, ValueOrigin,
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfigLayerStack {
    layers: Vec<ConfigLayerEntry>,
}

impl ConfigLayerStack {
    /// Checks and keeps the layers, lowest precedence first.
    pub fn new(layers: Vec<ConfigLayerEntry>) -> Result<Self, ConfigError> {
        Ok(Self { layers })
    }
    /// The layers in either order, disabled ones on request.
    pub fn get_layers(
        &self,
        ordering: ConfigLayerStackOrdering,
        include_disabled: bool,
    ) -> Vec<&ConfigLayerEntry> {
        todo!("{:?} {ordering:?} {include_disabled}", self.layers)
    }
    /// All enabled layers merged.
    pub fn effective_config(&self) -> TomlValue {
        todo!()
    }
    /// All enabled layers merged, without those of the project.
    pub fn effective_config_without_project(&self) -> TomlValue {
        todo!()
    }
    /// The origin of the value at `key`.
    pub fn origin(&self, key: &[&str]) -> ValueOrigin {
        todo!("{key:?}")
    }
    /// The origin of every leaf of [`effective_config`](Self::effective_config).
    pub fn origins(&self) -> BTreeMap<Vec<String>, ValueOrigin> {
        todo!()
    }
    /// The configured project root markers and their origin, project layers left out.
    pub fn project_root_markers(&self) -> (io::Result<Option<Vec<String>>>, ValueOrigin) {
        todo!()
    }
    /// [`project_root_markers`](Self::project_root_markers) by the tolerant rule: a wrong type
    /// gives the defaults. [`UsableMarkers::diagnostics`] tells what was dropped or replaced.
    pub fn usable_project_root_markers(&self, convention: PathConvention) -> UsableMarkers {
        todo!("{convention:?}")
    }
}

const _: fn() -> Option<ConfigDiagnostic> = || None;
