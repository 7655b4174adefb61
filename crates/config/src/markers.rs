//! Project root markers: as they are written, and as they can be searched for.
//!
//! Invariant: a usable marker is a normalised relative path in an ancestor, so no probe leaves
//! the ancestor it is made for, and no two usable markers are equal. Nothing here asks a
//! filesystem; the search itself is in `project_root`.

use std::collections::HashSet;
use std::io;

use codex_path_uri::PathConvention;
use serde::Serialize;

use crate::diagnostics::of_elements;
use crate::{ConfigDiagnostic, TomlValue, ValueOrigin};

pub(crate) const PROJECT_ROOT_MARKERS_KEY: &str = "project_root_markers";

/// What a value of the wrong type is told.
pub(crate) const WRONG_TYPE: &str = "project_root_markers must be an array of strings";

/// The markers when nothing is configured: `.git`.
pub fn default_project_root_markers() -> Vec<String> {
    vec![".git".to_owned()]
}

/// The markers that a table sets, as written: order, duplicates and blanks stay. `None` when
/// `config` is not a table or has no `project_root_markers`.
///
/// # Errors
/// `InvalidData` when the value is no array of strings.
///
/// # Examples
///
/// ```
/// use codex_config::{TomlValue, project_root_markers_from_config};
///
/// # fn table(text: &str) -> TomlValue { TomlValue::Table(toml::from_str(text).unwrap()) }
/// let config = table("project_root_markers = ['.hg', '.git']");
/// let markers = project_root_markers_from_config(&config)?;
/// assert_eq!(markers, Some(vec![".hg".to_owned(), ".git".to_owned()]));
///
/// let config = table("project_root_markers = '.git'");
/// let error = project_root_markers_from_config(&config).unwrap_err();
/// assert_eq!(error.to_string(), "project_root_markers must be an array of strings");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn project_root_markers_from_config(config: &TomlValue) -> io::Result<Option<Vec<String>>> {
    config
        .get(PROJECT_ROOT_MARKERS_KEY)
        .map(strings_of)
        .transpose()
}

/// The strings of an array that holds nothing else.
pub(crate) fn strings_of(value: &TomlValue) -> io::Result<Vec<String>> {
    value
        .as_array()
        .and_then(|elements| {
            elements
                .iter()
                .map(|element| element.as_str().map(str::to_owned))
                .collect()
        })
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, WRONG_TYPE))
}

/// Markers that can be searched for, and what became of the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsableMarkers {
    /// Normalised and distinct, in order. Empty when traversal is disabled.
    pub markers: Vec<String>,
    /// Where they come from.
    pub source: MarkersSource,
    /// The markers that were dropped, in order.
    pub rejected: Vec<RejectedMarker>,
}

/// Where markers come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkersSource {
    /// A layer sets them.
    Configured(ValueOrigin),
    /// Nothing is configured.
    Default,
    /// The defaults, because nothing that this layer sets can be used.
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
    /// Names the ancestor itself, so any start directory would be the root.
    Dot,
}

impl MarkerProblem {
    /// The code, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Escapes => "escapes",
            Self::Absolute => "absolute",
            Self::Nul => "nul",
            Self::Dot => "dot",
        }
    }
}

impl UsableMarkers {
    /// One warning per dropped marker, at most
    /// [`MAX_DIAGNOSTICS_PER_KEY`](crate::MAX_DIAGNOSTICS_PER_KEY) and how many more. One more when
    /// the defaults replace what is configured: `default_markers_used` when every marker was
    /// dropped, `invalid_project_root_markers` when the value is no array of strings.
    pub fn diagnostics(&self) -> Vec<ConfigDiagnostic> {
        let (origin, is_replaced) = match &self.source {
            MarkersSource::Configured(origin) => (origin.clone(), false),
            MarkersSource::DefaultAfterInvalid(origin) => (origin.clone(), true),
            MarkersSource::Default => (ValueOrigin::Default, false),
        };
        let rejected = self.rejected.iter();
        let mut diagnostics =
            of_elements(PROJECT_ROOT_MARKERS_KEY, &origin, rejected, |rejected| {
                ConfigDiagnostic::InvalidMarker {
                    origin: origin.clone(),
                    marker: rejected.marker.clone(),
                    problem: rejected.reason,
                }
            });
        if is_replaced && self.rejected.is_empty() {
            diagnostics.push(ConfigDiagnostic::InvalidProjectRootMarkers { origin });
        } else if is_replaced {
            diagnostics.push(ConfigDiagnostic::DefaultMarkersUsed { origin });
        }
        diagnostics
    }
}

/// The markers that can be searched for in an environment of this convention.
///
/// Each is normalised lexically, with `/` between its segments; one that describes nothing *in*
/// an ancestor is dropped, and one equal to an earlier one is dropped silently. `None` gives the
/// defaults, and so does a list of which nothing is left; an empty list stays empty and disables
/// traversal. `origin` is where the list comes from.
///
/// # Examples
///
/// ```
/// use codex_config::{ValueOrigin, usable_markers};
/// use codex_path_uri::PathConvention;
///
/// let configured = ["x/../.hg", ".hg", "../mark", ".git/"].map(str::to_owned).to_vec();
/// let usable = usable_markers(Some(configured), ValueOrigin::Default, PathConvention::Posix);
/// assert_eq!(usable.markers, [".hg", ".git"]);
/// assert_eq!(usable.rejected[0].marker, "../mark");
/// ```
pub fn usable_markers(
    markers: Option<Vec<String>>,
    origin: ValueOrigin,
    convention: PathConvention,
) -> UsableMarkers {
    let Some(configured) = markers else {
        let markers = default_project_root_markers();
        return UsableMarkers {
            markers,
            source: MarkersSource::Default,
            rejected: Vec::new(),
        };
    };
    let mut usable = UsableMarkers {
        markers: Vec::new(),
        source: MarkersSource::Configured(origin.clone()),
        rejected: Vec::new(),
    };
    let mut seen = HashSet::new();
    for marker in configured {
        match normalised(&marker, convention) {
            Ok(normalised) => {
                if seen.insert(normalised.clone()) {
                    usable.markers.push(normalised);
                }
            }
            Err(reason) => usable.rejected.push(RejectedMarker { marker, reason }),
        }
    }
    if usable.markers.is_empty() && !usable.rejected.is_empty() {
        usable.markers = default_project_root_markers();
        usable.source = MarkersSource::DefaultAfterInvalid(origin);
    }
    usable
}

fn normalised(marker: &str, convention: PathConvention) -> Result<String, MarkerProblem> {
    if marker.trim().is_empty() {
        return Err(MarkerProblem::Blank);
    }
    if marker.contains('\0') {
        return Err(MarkerProblem::Nul);
    }
    if is_absolute(marker, convention) {
        return Err(MarkerProblem::Absolute);
    }
    let mut kept: Vec<&str> = Vec::new();
    for segment in convention.path_segments(marker) {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop().ok_or(MarkerProblem::Escapes)?;
            }
            name => kept.push(name),
        }
    }
    if kept.is_empty() {
        return Err(MarkerProblem::Dot);
    }
    let normalised = kept.join("/");
    // Only what stood before a drive kept it from being one: `./C:x`.
    if is_absolute(&normalised, convention) {
        Err(MarkerProblem::Absolute)
    } else {
        Ok(normalised)
    }
}

/// Whether joining `text` to a directory could name a place outside it without any `..`.
fn is_absolute(text: &str, convention: PathConvention) -> bool {
    match (convention, text.as_bytes()) {
        (_, [b'/', ..]) => true,
        (PathConvention::Windows, [b'\\', ..]) => true,
        (PathConvention::Windows, [drive, b':', ..]) => drive.is_ascii_alphabetic(),
        _ => false,
    }
}
