//! Findings that end nothing.

use std::fmt;

use codex_file_system::Severity;
use serde::Serialize;

use crate::ValueOrigin;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConfigDiagnosticCode {
    /// The selected profile has no file.
    ProfileNotFound,
    /// A fallback name is no plain file name.
    InvalidFallbackName,
    /// A marker describes nothing in an ancestor.
    InvalidMarker,
    /// All configured markers were dropped; the defaults are used.
    DefaultMarkersUsed,
    /// `project_root_markers` has the wrong type; the defaults are used.
    InvalidProjectRootMarkers,
    /// A project file exists and is disabled.
    ProjectLayerDisabled,
    /// There are more findings about one key than are told.
    DiagnosticsTruncated,
}

/// Most findings about the elements of one key. Beyond: one `diagnostics_truncated` with the number
/// left out.
pub const MAX_DIAGNOSTICS_PER_KEY: usize = 1_024;

impl ConfigDiagnosticCode {
    /// The code, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ProfileNotFound => "profile_not_found",
            Self::InvalidFallbackName => "invalid_fallback_name",
            Self::InvalidMarker => "invalid_marker",
            Self::DefaultMarkersUsed => "default_markers_used",
            Self::InvalidProjectRootMarkers => "invalid_project_root_markers",
            Self::ProjectLayerDisabled => "project_layer_disabled",
            Self::DiagnosticsTruncated => "diagnostics_truncated",
        }
    }

    /// How much it matters.
    pub fn severity(self) -> Severity {
        match self {
            Self::ProjectLayerDisabled => Severity::Info,
            _ => Severity::Warning,
        }
    }
}

impl fmt::Display for ConfigDiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ConfigDiagnostic {
    /// What was found.
    pub code: ConfigDiagnosticCode,
    /// How much it matters.
    pub severity: Severity,
    /// The layer and the place it is about.
    pub origin: ValueOrigin,
    /// The text it is about, as written: a profile, a name, a marker, a key; the native path of
    /// a disabled file.
    pub text: String,
    /// Why: a code in snake_case, the host's own words, or how many were left out; `None` when
    /// `code` says it all.
    pub reason: Option<String>,
}

impl ConfigDiagnostic {
    pub(crate) fn new(code: ConfigDiagnosticCode, origin: ValueOrigin) -> Self {
        Self {
            code,
            severity: code.severity(),
            origin,
            text: String::new(),
            reason: None,
        }
    }

    pub(crate) fn about(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    pub(crate) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// One finding for each element of an array that gives one, as many as may be told of `key`.
///
/// `origin` is that of the whole array.
pub(crate) fn of_elements<T>(
    key: &str,
    origin: &ValueOrigin,
    elements: impl ExactSizeIterator<Item = T>,
    finding: impl FnMut(T) -> ConfigDiagnostic,
) -> Vec<ConfigDiagnostic> {
    let left_out = elements.len().saturating_sub(MAX_DIAGNOSTICS_PER_KEY);
    let kept = elements.take(MAX_DIAGNOSTICS_PER_KEY);
    let mut findings: Vec<_> = kept.map(finding).collect();
    if left_out > 0 {
        let code = ConfigDiagnosticCode::DiagnosticsTruncated;
        let truncated = ConfigDiagnostic::new(code, origin.clone()).about(key);
        findings.push(truncated.because(left_out.to_string()));
    }
    findings
}

/// One sentence. Text that others wrote is quoted and escaped.
impl fmt::Display for ConfigDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            code,
            origin,
            text,
            reason,
            ..
        } = self;
        match code {
            ConfigDiagnosticCode::ProfileNotFound => {
                write!(f, "{origin}: the profile {text:?} has no file")
            }
            ConfigDiagnosticCode::InvalidFallbackName => {
                write!(f, "{origin}: fallback name {text:?} is no plain file name")
            }
            ConfigDiagnosticCode::InvalidMarker => {
                write!(
                    f,
                    "{origin}: project root marker {text:?} names nothing inside a directory"
                )
            }
            ConfigDiagnosticCode::DefaultMarkersUsed => {
                write!(
                    f,
                    "{origin}: no project root marker can be used, so the defaults are"
                )
            }
            ConfigDiagnosticCode::InvalidProjectRootMarkers => {
                write!(f, "{origin}: the default project root markers are used")
            }
            ConfigDiagnosticCode::ProjectLayerDisabled => {
                write!(f, "{origin}: {text:?} is disabled")
            }
            ConfigDiagnosticCode::DiagnosticsTruncated => {
                write!(f, "{origin}: more findings about {text:?} are left out")
            }
        }?;
        match reason {
            Some(reason) => write!(f, " ({})", reason.escape_debug()),
            None => Ok(()),
        }
    }
}
