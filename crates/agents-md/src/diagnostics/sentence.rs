//! Findings as sentences for people. Nothing may be matched on them: codes and details are data.
//! Text that others wrote is quoted and escaped.

use std::fmt;

use codex_file_system::FileKind;
use codex_file_system::error::kind_name;

use crate::error::InstructionsOperation;

use super::{
    InstructionDetails as Details, InstructionDiagnostic, InstructionDiagnosticCode as Code,
};

impl fmt::Display for InstructionDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_subject(f)?;
        self.write_details(f)?;
        if let Some(id) = &self.environment_id {
            write!(f, " in environment `{id}`")?;
        }
        match &self.details {
            Details::EnvironmentFailure { kind, .. } => write!(f, ": {kind}"),
            _ => Ok(()),
        }
    }
}

impl InstructionDiagnostic {
    fn write_subject(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = words(self.code);
        let path = self.path.as_ref().map_or("", |path| path.as_str());
        match &self.details {
            Details::Configuration { origin, text, .. } => match self.code {
                Code::InvalidMarker | Code::InvalidFallbackName | Code::DiagnosticsTruncated => {
                    write!(f, "{origin}: {before} {text:?} {after}")
                }
                _ => write!(f, "{origin}: {before}{after}"),
            },
            Details::EnvironmentFailure { operation, .. } => {
                let (obstacle, verb) = obstacle(*operation);
                write!(f, "{before}, because {obstacle} `{path}`{verb}")
            }
            _ => write!(f, "{before} `{path}` {after}"),
        }
    }

    fn write_details(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.details {
            Details::None | Details::EnvironmentFailure { .. } => Ok(()),
            Details::Configuration { reason, .. } => match reason {
                Some(reason) => write!(f, " ({reason})"),
                None => Ok(()),
            },
            Details::Failure { kind } => write!(f, " ({})", kind_name(*kind)),
            Details::NotAFile { found } => match found {
                FileKind::Directory => f.write_str(" but a directory"),
                FileKind::File | FileKind::Other | FileKind::BrokenLink => Ok(()),
            },
            Details::Cut { .. } => self.write_cut(f),
            Details::Lost { raw_bytes, .. } => match raw_bytes {
                Some(bytes) => write!(f, ": all of it lost, {}", Count(*bytes, "byte")),
                None => f.write_str(": all of it lost"),
            },
            Details::Blank { raw_bytes } => {
                write!(f, ": {} dropped", Count(*raw_bytes, "byte"))
            }
            Details::Replaced {
                replacement_characters: count,
            } => {
                write!(f, ": {}", Count(*count, "replacement character"))
            }
            Details::Duplicate {
                earlier_path,
                earlier_environment_id: id,
            } => match id {
                Some(id) => {
                    write!(
                        f,
                        " as `{earlier_path}` in environment `{id}`, and is found"
                    )
                }
                None => write!(f, " as `{earlier_path}`, and is found"),
            },
            Details::Names { names } => write!(f, ": {names:?}"),
        }
    }

    fn write_cut(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details::Cut {
            raw_bytes,
            kept_bytes,
            lost_bytes,
            splits_character,
            ..
        } = &self.details
        else {
            return Ok(());
        };
        let raw = Count(*raw_bytes, "byte");
        write!(f, ": {kept_bytes} of {raw} kept, {lost_bytes} lost")?;
        f.write_str(if *splits_character {
            ", one character split"
        } else {
            ""
        })
    }
}

/// A number of things, with the thing in the singular.
struct Count(u64, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, thing) = self;
        write!(f, "{count} {thing}{}", if *count == 1 { "" } else { "s" })
    }
}

/// The words before and after the path that all documents were lost at.
fn obstacle(operation: InstructionsOperation) -> (&'static str, &'static str) {
    match operation {
        // The path is that of a marker, or of the directory a host's own search began at.
        InstructionsOperation::MarkerProbe => ("the search for the project root failed at", ""),
        InstructionsOperation::JoinCandidate => ("no project document can be named in", ""),
        InstructionsOperation::CandidateProbe => ("the project document", " cannot be looked at"),
        InstructionsOperation::ReadDocument => ("the project document", " cannot be read"),
    }
}

/// The words before and after what a finding is about.
fn words(code: Code) -> (&'static str, &'static str) {
    const DOCUMENT: &str = "the project document";
    const USER_DOCUMENT: &str = "the user-level document";
    match code {
        Code::ProjectDocumentsWithheld => ("project documents for", "are withheld by the host"),
        Code::ProjectDocumentsDisabled => (
            "project documents for",
            "are switched off by `project_doc_max_bytes = 0`",
        ),
        Code::InvalidProjectRootMarkers => (
            "`project_root_markers` is no array of strings",
            ", so the default markers are used",
        ),
        Code::InvalidMarker => ("the project root marker", "is dropped"),
        Code::DefaultMarkersUsed => (
            "no configured project root marker is usable",
            ", so the default markers are used",
        ),
        Code::InvalidFallbackName => ("the document name", "is dropped"),
        Code::DiagnosticsTruncated => ("more findings about", "are left out"),
        Code::MarkerProbeFailed => ("the project root marker", "counts as absent: probe failed"),
        Code::CandidateProbeFailed => (DOCUMENT, "is passed over: probe failed"),
        Code::DocumentUnreadable => (DOCUMENT, "is skipped: read failed"),
        Code::EnvironmentFailed => ("all project documents are lost", ""),
        Code::CandidateNotAFile => (DOCUMENT, "is passed over: no regular file"),
        Code::DocumentVanished => (DOCUMENT, "vanished before it was read"),
        Code::DocumentTruncated => (DOCUMENT, "is cut to the budget"),
        Code::DocumentOverBudget => (DOCUMENT, "is not read because the budget is spent"),
        Code::BlankDocument => (DOCUMENT, "is blank and hides later names"),
        Code::BlankAfterCut => (DOCUMENT, "is blank as far as it fits the budget"),
        Code::InvalidUtf8 => ("the text of", "holds bytes that are no UTF-8"),
        Code::DuplicateDocument => (DOCUMENT, "has the same text"),
        Code::WrapperTagInDocument => ("the text of", "holds a tag of the block it is put into"),
        Code::UserDocumentUnreadable => (USER_DOCUMENT, "is passed over: it cannot be read"),
        Code::UserDocumentBlank => (USER_DOCUMENT, "is blank"),
        Code::ShadowedCandidate => ("other documents are hidden by", "beside them"),
        Code::CaseVariantPresent => ("names in", "differ from a document name in case only"),
    }
}
