//! The figures and names of a finding, one shape per kind of finding.
//!
//! Which code has which shape is said at each variant. Serialized, details are the fields alone,
//! or null: the code beside them already says which fields there are.

use std::io;

use codex_config::ValueOrigin;
use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, FileKind};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use crate::error::InstructionsOperation;

/// What a finding's code alone does not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum InstructionDetails {
    /// `project_documents_withheld`, `project_documents_disabled`, `document_vanished`,
    /// `wrapper_tag_in_document`, `user_document_blank`: the code says it all.
    None,
    /// `invalid_project_root_markers`, `invalid_marker`, `default_markers_used`,
    /// `invalid_fallback_name`, `diagnostics_truncated`.
    Configuration {
        /// The layer and the place of the value.
        origin: ValueOrigin,
        /// The marker or name as configured, or the key the finding is about.
        text: String,
        /// Why it cannot be used, in snake_case; how many findings were left out.
        reason: Option<String>,
    },
    /// `marker_probe_failed`, `candidate_probe_failed`, `document_unreadable`,
    /// `user_document_unreadable`.
    Failure {
        /// The kind of the failure.
        #[serde(serialize_with = "serialize_error_kind")]
        kind: io::ErrorKind,
    },
    /// `environment_failed`.
    EnvironmentFailure {
        /// What was being done.
        operation: InstructionsOperation,
        /// The kind of the failure.
        #[serde(serialize_with = "serialize_error_kind")]
        kind: io::ErrorKind,
    },
    /// `candidate_not_a_file`.
    NotAFile {
        /// What it is: a directory, or something else that is no regular file.
        #[serde(serialize_with = "serialize_file_kind")]
        found: FileKind,
    },
    /// `document_truncated`.
    Cut {
        /// Length of the document in bytes.
        raw_bytes: u64,
        /// Bytes that are part of the instructions.
        kept_bytes: u64,
        /// Bytes that are not.
        lost_bytes: u64,
        /// Whether the cut falls inside a character, which then shows as U+FFFD.
        splits_character: bool,
        /// Bytes that were left of the budget before this document.
        budget_before: u64,
    },
    /// `document_over_budget`, `blank_after_cut`: nothing of the document is kept.
    Lost {
        /// Length of the document in bytes; `None` where its filesystem does not say.
        raw_bytes: Option<u64>,
        /// Bytes that are lost: all of them.
        lost_bytes: Option<u64>,
    },
    /// `blank_document`.
    Blank {
        /// Length of the document in bytes.
        raw_bytes: u64,
    },
    /// `invalid_utf8`.
    Replaced {
        /// U+FFFD that stand for invalid bytes, without one that a cut makes.
        replacement_characters: u64,
    },
    /// `duplicate_document`.
    Duplicate {
        /// The document or user-level file that has the same text and comes first.
        earlier_path: PathUri,
        /// Its environment; `None` for the user-level file.
        earlier_environment_id: Option<EnvironmentId>,
    },
    /// `shadowed_candidate`, `case_variant_present`.
    Names {
        /// The names: hidden ones in the order of the candidates, variants sorted.
        names: Vec<String>,
    },
}

impl InstructionDetails {
    pub(crate) fn failure(kind: io::ErrorKind) -> Self {
        Self::Failure { kind }
    }

    pub(crate) fn lost(raw_bytes: Option<u64>) -> Self {
        Self::Lost {
            raw_bytes,
            lost_bytes: raw_bytes,
        }
    }
}

fn serialize_error_kind<S: Serializer>(
    kind: &io::ErrorKind,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind_name(*kind))
}

fn serialize_file_kind<S: Serializer>(kind: &FileKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match kind {
        FileKind::File => "file",
        FileKind::Directory => "directory",
        FileKind::Other => "other",
        FileKind::BrokenLink => "broken_link",
    })
}
