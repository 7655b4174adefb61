//! What the listing of a considered directory tells, and the findings that follow. Pure.

use std::collections::HashSet;

use codex_file_system::{FileKind, ReadDirectoryEntry};

use super::{DirectoryRow, InstructionsReport};
use crate::diagnostics::{InstructionDetails, InstructionDiagnostic, InstructionDiagnosticCode};

use InstructionDiagnosticCode as Code;

/// Names that a listing shows beside the document of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamesBeside {
    /// Later candidate names that are files too, in their order.
    pub(crate) shadowed: Vec<String>,
    /// Entries that only case keeps from being a candidate, sorted.
    pub(crate) case_variants: Vec<String>,
}

impl NamesBeside {
    /// Judges the entries of the directory of `row`; `names` are the candidate names.
    pub(crate) fn new(
        row: &DirectoryRow,
        names: &[String],
        entries: &[ReadDirectoryEntry],
    ) -> Self {
        let document = row
            .document
            .as_ref()
            .and_then(|document| document.basename());
        Self {
            shadowed: shadowed(names, document.as_deref(), entries),
            case_variants: case_variants(names, document.as_deref(), entries),
        }
    }
}

fn shadowed(
    names: &[String],
    document: Option<&str>,
    entries: &[ReadDirectoryEntry],
) -> Vec<String> {
    let files: HashSet<&str> = entries
        .iter()
        .filter(|entry| entry.kind == FileKind::File)
        .filter_map(|entry| entry.file_name.as_str())
        .collect();
    names
        .iter()
        .skip_while(|name| Some(name.as_str()) != document)
        .skip(1)
        .filter(|name| files.contains(name.as_str()))
        .cloned()
        .collect()
}

/// A filesystem that ignores case lists the document under the spelling it stores: that entry is
/// the document, not a variant of it.
fn case_variants(
    names: &[String],
    document: Option<&str>,
    entries: &[ReadDirectoryEntry],
) -> Vec<String> {
    let listed = || entries.iter().filter_map(|entry| entry.file_name.as_str());
    let stored_otherwise = document.filter(|document| listed().all(|name| name != *document));
    let exact: HashSet<&str> = names.iter().map(String::as_str).collect();
    let folded: HashSet<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    let is_variant = |entry: &&str| {
        folded.contains(&entry.to_ascii_lowercase())
            && !exact.contains(entry)
            && !stored_otherwise.is_some_and(|document| document.eq_ignore_ascii_case(entry))
    };
    listed().filter(is_variant).map(str::to_owned).collect()
}

impl InstructionsReport {
    /// What [`add_listings`](crate::add_listings) found, in the order of the rows:
    /// `shadowed_candidate` and `case_variant_present`. Nothing before it.
    pub fn listing_diagnostics(&self) -> Vec<InstructionDiagnostic> {
        let mut diagnostics = Vec::new();
        for environment in &self.environments {
            let mut found = |code, path, names: &Option<Vec<String>>| {
                if let Some(names) = names.clone().filter(|names| !names.is_empty()) {
                    let (id, details) = (
                        &environment.environment_id,
                        InstructionDetails::Names { names },
                    );
                    diagnostics.push(InstructionDiagnostic::at(code, id, path, details));
                }
            };
            for row in &environment.directories {
                let document = row.document.as_ref().unwrap_or(&row.directory);
                found(Code::ShadowedCandidate, document, &row.shadowed);
                found(Code::CaseVariantPresent, &row.directory, &row.case_variants);
            }
        }
        diagnostics
    }
}
