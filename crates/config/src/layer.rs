//! One layer: a source, its table, and whether it counts.
//!
//! A layer parsed from text also knows where each value stands in it. A layer never reads a
//! file and validates no value: unknown keys and wrong types stay as they are.

use serde::Serialize;

use crate::toml_text::{self, Places, TomlTextError};
use crate::{ConfigError, ConfigLayerSource, OverrideProblem, TextPosition, ValueOrigin};

/// A TOML value; the config of a layer is always a table.
pub use toml::Value as TomlValue;

pub(crate) use toml::Table as TomlTable;

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

impl DisabledReason {
    /// The code of the reason, or the host's own words.
    pub fn as_str(&self) -> &str {
        match self {
            Self::NotTrusted => "not_trusted",
            Self::Untrusted => "untrusted",
            Self::Other(words) => words,
        }
    }
}

/// One layer of configuration.
///
/// # Examples
///
/// ```
/// use codex_config::{ConfigLayerEntry, ConfigLayerSource, DisabledReason};
/// use codex_path_uri::PathUri;
///
/// let dot_codex_folder = PathUri::parse("file:///repo/.codex")?;
/// let source = ConfigLayerSource::Project { dot_codex_folder };
/// let layer = ConfigLayerEntry::from_toml_text(source, "project_doc_max_bytes = 3\n")?;
/// assert_eq!(layer.disabled_reason, None);
/// let listed = layer.disabled(DisabledReason::NotTrusted);
/// assert_eq!(listed.disabled_reason, Some(DisabledReason::NotTrusted));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigLayerEntry {
    /// Where it comes from.
    pub name: ConfigLayerSource,
    /// Its table, unknown keys included.
    pub config: TomlValue,
    /// Why it is not merged; `None` when it is.
    pub disabled_reason: Option<DisabledReason>,
    places: Places,
}

impl ConfigLayerEntry {
    /// An enabled layer whose values have no positions.
    pub fn new(name: ConfigLayerSource, config: TomlValue) -> Self {
        Self {
            name,
            config,
            disabled_reason: None,
            places: Places::default(),
        }
    }

    /// An enabled layer parsed from `text`, with the position of every value. A leading byte
    /// order mark is ignored, also in the columns.
    ///
    /// # Errors
    /// [`ConfigError::InvalidToml`] at the first offending character; for
    /// [`ConfigLayerSource::SessionFlags`], which has no file, [`ConfigError::InvalidOverride`].
    pub fn from_toml_text(name: ConfigLayerSource, text: &str) -> Result<Self, ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match toml_text::parse(text) {
            Ok((table, places)) => {
                let config = TomlValue::Table(table);
                Ok(Self {
                    name,
                    config,
                    disabled_reason: None,
                    places,
                })
            }
            Err(TomlTextError { position, message }) => Err(match name.file() {
                Some(file) => ConfigError::InvalidToml {
                    source_layer: name,
                    file,
                    position,
                    message,
                },
                None => ConfigError::InvalidOverride {
                    argument: text.to_owned(),
                    reason: OverrideProblem::NotToml,
                },
            }),
        }
    }

    /// The same layer, listed but not merged.
    pub fn disabled(mut self, reason: DisabledReason) -> Self {
        self.disabled_reason = Some(reason);
        self
    }

    /// Whether the layer is merged.
    pub(crate) fn is_enabled(&self) -> bool {
        self.disabled_reason.is_none()
    }

    /// The origin of the value that this layer has at `key`.
    pub(crate) fn origin(&self, key: &[&str]) -> ValueOrigin {
        self.origin_at(self.places.value(key))
    }

    /// The origin of element `index` of the array that this layer has at `key`.
    pub(crate) fn element_origin(&self, key: &[&str], index: usize) -> ValueOrigin {
        self.origin_at(self.places.element(key, index))
    }

    fn origin_at(&self, position: Option<TextPosition>) -> ValueOrigin {
        ValueOrigin::Layer {
            source: self.name.clone(),
            position,
        }
    }
}
