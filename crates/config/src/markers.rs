//! Project root markers.

use std::io;

use codex_path_uri::PathConvention;
use serde::Serialize;

use crate::{ConfigDiagnostic, TomlValue, ValueOrigin};

/// The markers when nothing is configured: `.git`.
pub fn default_project_root_markers() -> Vec<String> {
    vec![".git".to_owned()]
}

/// The markers that a table sets, as written.
pub fn project_root_markers_from_config(config: &TomlValue) -> io::Result<Option<Vec<String>>> {
    todo!("{config:?}")
}

/// Markers that can be searched for, and what became of the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsableMarkers {
    /// Normalised and distinct, in order.
    pub markers: Vec<String>,
    /// Where they come from.
    pub source: MarkersSource,
    /// The markers that were dropped, in order.
    pub rejected: Vec<RejectedMarker>,
}

impl UsableMarkers {
    /// One warning per dropped marker, and one when the defaults replace what was configured.
    pub fn diagnostics(&self) -> Vec<ConfigDiagnostic> {
        todo!()
    }
}

/// Where markers come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkersSource {
    /// A layer sets them.
    Configured(ValueOrigin),
    /// Nothing is configured.
    Default,
    /// What this layer sets cannot be used.
    DefaultAfterInvalid(ValueOrigin),
}

/// A marker that was dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectedMarker {
    /// The marker as written.
    pub marker: String,
    /// Why.
    pub reason: MarkerProblem,
}

/// Why a marker describes nothing in an ancestor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum MarkerProblem {
    /// Nothing but white space.
    Blank,
    /// Leaves the ancestor through `..`.
    Escapes,
    /// Names a place of its own.
    Absolute,
    /// Holds NUL.
    Nul,
}

impl MarkerProblem {
    /// The code, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Escapes => "escapes",
            Self::Absolute => "absolute",
            Self::Nul => "nul",
        }
    }
}

/// The markers that can be searched for in an environment of this convention.
pub fn usable_markers(
    markers: Option<Vec<String>>,
    origin: ValueOrigin,
    convention: PathConvention,
) -> UsableMarkers {
    todo!("{markers:?} {origin:?} {convention:?}")
}
