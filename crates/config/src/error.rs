//! Everything that ends loading or judging configuration.
//!
//! One enum, because a host shows all of it in one place: the first line of its output. A finding
//! that does not end anything is a [`ConfigDiagnostic`](crate::ConfigDiagnostic) instead.

use std::fmt;
use std::io;

use codex_path_uri::PathUri;

use crate::{ConfigLayerSource, ProfileName, TextPosition, ValueOrigin};

/// Why configuration cannot be used.
///
/// The message begins with `FILE:LINE:COLUMN: ` in native spelling where a position is known,
/// else with the layer, such as `-c: `.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file exists but cannot be read, or is larger than
    /// [`MAX_CONFIG_FILE_BYTES`](crate::MAX_CONFIG_FILE_BYTES).
    #[error("{source_layer}: cannot read {}", file.inferred_native_path_string())]
    Read {
        /// The layer that the file would have been.
        source_layer: ConfigLayerSource,
        /// The file.
        file: PathUri,
        /// The cause.
        source: io::Error,
    },
    /// A file is not UTF-8 or not TOML.
    #[error("{}:{position}: invalid TOML: {message}", file.inferred_native_path_string())]
    InvalidToml {
        /// The layer that the file would have been.
        source_layer: ConfigLayerSource,
        /// The file.
        file: PathUri,
        /// The first offending character.
        position: TextPosition,
        /// What the parser says, one line.
        message: String,
    },
    /// A merged value has the wrong type or is out of range.
    #[error("{origin}: `{key}`: expected {expected}, found {found}")]
    InvalidValue {
        /// The key, as it would be written in TOML.
        key: String,
        /// The layer and the place of the offending value.
        origin: ValueOrigin,
        /// What would be accepted, such as `an array of strings`.
        expected: &'static str,
        /// What is there, such as `a string`.
        found: String,
    },
    /// A `-c` argument is malformed.
    #[error("-c: `{argument}`: {reason}")]
    InvalidOverride {
        /// The argument as given.
        argument: String,
        /// What is wrong with it.
        reason: OverrideProblem,
    },
    /// A base layer has the key `profile`, which selects nothing.
    #[error(
        "{origin}: the key `profile` selects nothing: use `--profile {}` instead",
        selectable(name)
    )]
    LegacyProfile {
        /// The layer and the place of the value.
        origin: ValueOrigin,
        /// The value: the text of a string, the type of anything else.
        name: String,
    },
    /// The text is no profile name.
    #[error("--profile: invalid name {name:?}: use 1 to 64 of A-Z, a-z, 0-9, _ and -")]
    InvalidProfileName {
        /// The text as given.
        name: String,
    },
    /// The layers a host put together are no stack.
    #[error("configuration layers: {reason}")]
    InvalidStack {
        /// The rule that is broken, and by which layer.
        reason: String,
    },
}

impl ConfigError {
    /// The kind of the same failure as an [`io::Error`].
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Read { source, .. } => source.kind(),
            Self::InvalidOverride { .. } | Self::InvalidProfileName { .. } => {
                io::ErrorKind::InvalidInput
            }
            Self::InvalidToml { .. }
            | Self::InvalidValue { .. }
            | Self::LegacyProfile { .. }
            | Self::InvalidStack { .. } => io::ErrorKind::InvalidData,
        }
    }
}

/// What to write after `--profile`: `name` if a profile can have it.
fn selectable(name: &str) -> &str {
    if ProfileName::new(name).is_ok() {
        name
    } else {
        "NAME"
    }
}

/// Keeps [`ConfigError::kind`]; the error itself is the payload.
impl From<ConfigError> for io::Error {
    fn from(error: ConfigError) -> Self {
        Self::new(error.kind(), error)
    }
}

/// What is wrong with a `-c` argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OverrideProblem {
    /// There is no `=`.
    MissingEquals,
    /// Nothing stands before the `=`.
    EmptyKey,
    /// A segment of the key is empty: `a..b`, `.a`, `a.`.
    EmptySegment,
    /// The key holds a quote. Quotes have no meaning there, so the setting would have no effect.
    QuotedKey,
    /// The key has more segments than [`MAX_OVERRIDE_SEGMENTS`](crate::MAX_OVERRIDE_SEGMENTS).
    TooDeep,
    /// A text given whole as the session layer is not TOML.
    NotToml,
}

impl fmt::Display for OverrideProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MissingEquals => "expected KEY=VALUE",
            Self::EmptyKey => "the key is empty",
            Self::EmptySegment => "a segment of the key is empty",
            Self::QuotedKey => {
                "quotes have no meaning in the key; write such a key in an inline table: \
                 projects={\"/path\"={trust_level=\"trusted\"}}"
            }
            Self::TooDeep => "the key has too many segments",
            Self::NotToml => "not TOML",
        })
    }
}
