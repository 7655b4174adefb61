//! The stable codes of what a load can find, and how much each matters.

use std::fmt;

use codex_config::ConfigDiagnostic;
use codex_file_system::Severity;
use serde::Serialize;

/// What was found. Written in snake_case wherever it is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InstructionDiagnosticCode {
    /// The host withholds the project documents of an environment.
    ProjectDocumentsWithheld,
    /// The configured limit of 0 bytes switches project documents off.
    ProjectDocumentsDisabled,
    /// `project_root_markers` has the wrong type; the defaults are used.
    InvalidProjectRootMarkers,
    /// A marker describes nothing in an ancestor and is dropped.
    InvalidMarker,
    /// All configured markers were dropped; the defaults are used.
    DefaultMarkersUsed,
    /// A fallback name is no plain file name in the environment and is dropped.
    InvalidFallbackName,
    /// There are more findings about one key of the configuration than are told.
    DiagnosticsTruncated,
    /// A marker could not be asked for and is taken as absent.
    MarkerProbeFailed,
    /// A candidate could not be asked for; the next name takes its turn.
    CandidateProbeFailed,
    /// A document could not be read and is skipped.
    DocumentUnreadable,
    /// An environment contributes no document because of a failure.
    EnvironmentFailed,
    /// Something that is no regular file has the name of a candidate.
    CandidateNotAFile,
    /// A document was gone when it was to be read.
    DocumentVanished,
    /// Only the beginning of a document fits.
    DocumentTruncated,
    /// The budget was spent before a document had its turn.
    DocumentOverBudget,
    /// A document is blank and hides the later names of its directory.
    BlankDocument,
    /// The part of a document that fits is blank.
    BlankAfterCut,
    /// A text holds bytes that are no UTF-8.
    InvalidUtf8,
    /// Two texts are the same.
    DuplicateDocument,
    /// A text holds a tag of the wrapper it is put into.
    WrapperTagInDocument,
    /// A user-level document could not be asked for or read.
    UserDocumentUnreadable,
    /// A user-level document is blank; the next name takes its turn.
    UserDocumentBlank,
    /// Later candidate names exist beside the chosen document.
    ShadowedCandidate,
    /// An entry differs from a candidate name in ASCII case only.
    CaseVariantPresent,
}

impl InstructionDiagnosticCode {
    /// The code, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ProjectDocumentsWithheld => "project_documents_withheld",
            Self::ProjectDocumentsDisabled => "project_documents_disabled",
            Self::InvalidProjectRootMarkers => "invalid_project_root_markers",
            Self::InvalidMarker => "invalid_marker",
            Self::DefaultMarkersUsed => "default_markers_used",
            Self::InvalidFallbackName => "invalid_fallback_name",
            Self::DiagnosticsTruncated => "diagnostics_truncated",
            Self::MarkerProbeFailed => "marker_probe_failed",
            Self::CandidateProbeFailed => "candidate_probe_failed",
            Self::DocumentUnreadable => "document_unreadable",
            Self::EnvironmentFailed => "environment_failed",
            Self::CandidateNotAFile => "candidate_not_a_file",
            Self::DocumentVanished => "document_vanished",
            Self::DocumentTruncated => "document_truncated",
            Self::DocumentOverBudget => "document_over_budget",
            Self::BlankDocument => "blank_document",
            Self::BlankAfterCut => "blank_after_cut",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::DuplicateDocument => "duplicate_document",
            Self::WrapperTagInDocument => "wrapper_tag_in_document",
            Self::UserDocumentUnreadable => "user_document_unreadable",
            Self::UserDocumentBlank => "user_document_blank",
            Self::ShadowedCandidate => "shadowed_candidate",
            Self::CaseVariantPresent => "case_variant_present",
        }
    }

    /// How much it matters: an error where something asked for is missing, information where
    /// nothing is lost, else a warning.
    pub fn severity(self) -> Severity {
        match self {
            Self::EnvironmentFailed => Severity::Error,
            Self::ProjectDocumentsWithheld
            | Self::ProjectDocumentsDisabled
            | Self::CandidateNotAFile
            | Self::ShadowedCandidate
            | Self::CaseVariantPresent => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// The code of the same finding in configuration; `None` for one that only the layer loaders
    /// raise.
    pub(crate) fn from_config(found: &ConfigDiagnostic) -> Option<Self> {
        match found {
            ConfigDiagnostic::InvalidProjectRootMarkers { .. } => {
                Some(Self::InvalidProjectRootMarkers)
            }
            ConfigDiagnostic::InvalidMarker { .. } => Some(Self::InvalidMarker),
            ConfigDiagnostic::DefaultMarkersUsed { .. } => Some(Self::DefaultMarkersUsed),
            ConfigDiagnostic::InvalidFallbackName { .. } => Some(Self::InvalidFallbackName),
            ConfigDiagnostic::DiagnosticsTruncated { .. } => Some(Self::DiagnosticsTruncated),
            _ => None,
        }
    }
}

impl fmt::Display for InstructionDiagnosticCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
