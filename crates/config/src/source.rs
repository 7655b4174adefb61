//! Where configuration comes from: the sources of layers in order of precedence, and the origin of
//! one value.
//!
//! Invariants: a [`ConfigLayerSource`] names its file, so a value that carries one can always be
//! traced; a [`ProfileName`] is a plain file name stem. Nothing here reads a file.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use codex_file_system::TextPosition;
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use crate::ConfigError;

/// Name of the configuration file in the config home and in a `.codex` folder.
pub const CONFIG_TOML_FILE: &str = "config.toml";

/// The origin of one configuration layer, declared lowest precedence first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum ConfigLayerSource {
    /// The machine's configuration file, given by the host.
    System {
        /// The file.
        file: PathUri,
    },
    /// The user's configuration file, or the file of the selected profile beside it.
    User {
        /// The file.
        file: PathUri,
        /// The selected profile; absent for the user's own file.
        profile: Option<ProfileName>,
    },
    /// `config.toml` in the `.codex` folder of a project directory.
    Project {
        /// The `.codex` folder.
        dot_codex_folder: PathUri,
    },
    /// All `-c` arguments together.
    SessionFlags,
    /// The machine's managed configuration file, given by the host.
    LegacyManagedConfigTomlFromFile {
        /// The file.
        file: PathUri,
    },
}

impl ConfigLayerSource {
    /// The rank of this source: a higher number wins.
    pub fn precedence(&self) -> i16 {
        match self {
            Self::System { .. } => 10,
            Self::User { profile: None, .. } => 20,
            Self::User {
                profile: Some(_), ..
            } => 21,
            Self::Project { .. } => 25,
            Self::SessionFlags => 30,
            Self::LegacyManagedConfigTomlFromFile { .. } => 40,
        }
    }

    /// The file that holds this layer; `None` for `-c` arguments and for a folder that cannot
    /// be joined.
    pub fn file(&self) -> Option<PathUri> {
        match self {
            Self::System { file }
            | Self::User { file, .. }
            | Self::LegacyManagedConfigTomlFromFile { file } => Some(file.clone()),
            Self::Project { dot_codex_folder } => dot_codex_folder.join(CONFIG_TOML_FILE).ok(),
            Self::SessionFlags => None,
        }
    }
}

/// What a person calls the source: `user configuration`, `-c` and so on, without its path.
impl fmt::Display for ConfigLayerSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { .. } => f.write_str("system configuration"),
            Self::User { profile: None, .. } => f.write_str("user configuration"),
            Self::User {
                profile: Some(profile),
                ..
            } => write!(f, "profile `{profile}`"),
            Self::Project { .. } => f.write_str("project configuration"),
            Self::SessionFlags => f.write_str("-c"),
            Self::LegacyManagedConfigTomlFromFile { .. } => f.write_str("managed configuration"),
        }
    }
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ValueOrigin {
    /// No layer sets the value.
    Default,
    /// A layer sets it.
    Layer {
        /// The layer.
        source: ConfigLayerSource,
        /// The place of the value in the layer's file; `None` for `-c` arguments and for layers
        /// that a host built itself.
        position: Option<TextPosition>,
    },
}

/// `FILE:LINE:COLUMN` in native spelling where there is a position, else the name of the layer.
impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Layer { source, position } => match (source.file(), position) {
                (Some(file), Some(position)) => {
                    write!(f, "{}:{position}", file.inferred_native_path_string())
                }
                _ => write!(f, "{source}"),
            },
        }
    }
}

/// How many bytes the name of a profile has.
const LENGTHS: RangeInclusive<usize> = 1..=64;

/// The name of a profile: 1 to 64 of `A-Z a-z 0-9 _ -`, so it is always a plain file name stem.
// A thin pointer: the name travels in every origin, and so in every error.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileName(Arc<String>);

impl ProfileName {
    /// Checks the text.
    ///
    /// # Errors
    /// [`ConfigError::InvalidProfileName`] for any other text.
    pub fn new(name: impl Into<String>) -> Result<Self, ConfigError> {
        let name = name.into();
        let is_valid = LENGTHS.contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if is_valid {
            Ok(Self(name.into()))
        } else {
            Err(ConfigError::InvalidProfileName { name })
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ProfileName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
