//! Limit and names of project documents.

use codex_path_uri::PathConvention;
use serde::Serialize;

use crate::{ConfigDiagnostic, ConfigError, ConfigLayerStack};

/// How many bytes of project documents are kept when nothing is configured.
pub const DEFAULT_PROJECT_DOC_MAX_BYTES: usize = 32 * 1024;

/// The judged values.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The layers the values come from.
    pub config_layer_stack: ConfigLayerStack,
    /// How many bytes of project documents are kept; 0 switches them off.
    pub project_doc_max_bytes: usize,
    /// Further names of project documents: trimmed, valid, distinct, in order.
    pub project_doc_fallback_filenames: Vec<String>,
}

impl Config {
    /// Judges the merged values.
    pub fn from_stack(
        stack: ConfigLayerStack,
    ) -> Result<(Config, Vec<ConfigDiagnostic>), ConfigError> {
        todo!("{stack:?}")
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            config_layer_stack: ConfigLayerStack::default(),
            project_doc_max_bytes: DEFAULT_PROJECT_DOC_MAX_BYTES,
            project_doc_fallback_filenames: Vec::new(),
        }
    }
}

/// Why a name is no plain file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NameProblem {
    /// Nothing but white space.
    Blank,
    /// `.` or `..`.
    Dot,
    /// Holds a separator of the convention.
    Separator,
    /// Holds a `:`, which names a drive or a stream on Windows.
    Drive,
    /// Holds NUL.
    Nul,
}

impl NameProblem {
    /// The code, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Dot => "dot",
            Self::Separator => "separator",
            Self::Drive => "drive",
            Self::Nul => "nul",
        }
    }
}

/// Whether `name` is a direct child of any directory it is joined to.
pub fn fallback_name_is_plain(name: &str, convention: PathConvention) -> Result<(), NameProblem> {
    todo!("{name} {convention:?}")
}
