//! Where one value came from.
//!
//! An origin names the layer and, for a layer read from text, the place of the value in it. A
//! value that no layer sets has [`ValueOrigin::Default`].

use std::fmt;

use codex_file_system::TextPosition;
use serde::Serialize;

use crate::ConfigLayerSource;

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
