//! One layer: a source, its table, and whether it counts.

use crate::positions::Positions;
use crate::{ConfigError, ConfigLayerSource};
use serde::Serialize;

/// A TOML value; the config of a layer is always a table.
pub use toml::Value as TomlValue;

/// Why a layer is listed but not merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DisabledReason {
    /// The host knows nothing about the directory.
    NotTrusted,
    /// The host was told not to trust the directory.
    Untrusted,
    /// Any other reason, for people to read.
    Other(String),
}

/// One layer of configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigLayerEntry {
    /// Where it comes from.
    pub name: ConfigLayerSource,
    /// Its table, unknown keys included.
    pub config: TomlValue,
    /// Why it is not merged; `None` when it is.
    pub disabled_reason: Option<DisabledReason>,
    positions: Positions,
}

impl ConfigLayerEntry {
    /// An enabled layer whose values have no positions.
    pub fn new(name: ConfigLayerSource, config: TomlValue) -> Self {
        Self {
            name,
            config,
            disabled_reason: None,
            positions: Positions::default(),
        }
    }

    /// An enabled layer parsed from `text`, with the position of every value.
    ///
    /// # Errors
    /// [`ConfigError::InvalidToml`] at the first offending character.
    pub fn from_toml_text(name: ConfigLayerSource, text: &str) -> Result<Self, ConfigError> {
        todo!("{name} {text}")
    }

    /// The same layer, listed but not merged.
    pub fn disabled(mut self, reason: DisabledReason) -> Self {
        self.disabled_reason = Some(reason);
        self
    }
}
