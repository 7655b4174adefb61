//! What a report can tell only after listing the considered directories: documents that the chosen
//! one hides, and names that are wrong in case only.
//!
//! Nothing here changes what was loaded. Listings cost calls, so they are made on request only.

use std::collections::HashSet;
use std::io;

use codex_file_system::{ExecutorFileSystem, FileKind, ReadDirectoryEntry, Window};
use futures::stream::{self, StreamExt};

use crate::calls::EnvironmentCalls;
use crate::diagnostics::{InstructionDetails, InstructionDiagnostic, InstructionDiagnosticCode};
use crate::report::{DirectoryRow, InstructionsReport};
use crate::snapshot::{TurnEnvironment, TurnEnvironmentSnapshot};

use InstructionDiagnosticCode as Code;

/// Lists every considered directory and fills in what the report's rows say of hidden documents
/// and of names that differ in ASCII case only.
///
/// `environments` are those the report was made for; an environment of the report that has no
/// counterpart at its position is left as it is. [`InstructionsReport::listing_diagnostics`] then
/// tells what was found.
///
/// # Round trips
/// One listing per considered directory of all environments together: D calls, ⌈D/window⌉ round
/// trips.
///
/// # Errors
/// None: a directory that cannot be listed keeps `None` in its row.
///
/// # Cancellation
/// Dropping the future starts no further call and leaves the report as it was.
pub async fn add_listings(
    report: &mut InstructionsReport,
    environments: &TurnEnvironmentSnapshot,
    window: Window,
) {
    let turns = environments.turn_environments.iter();
    let turns: Vec<_> = turns
        .map(|turn| {
            let filesystem: &dyn ExecutorFileSystem = turn.environment.filesystem();
            (
                turn,
                EnvironmentCalls::new(filesystem, &turn.environment_id),
            )
        })
        .collect();
    let listings: Vec<_> = stream::iter(list_considered(report, &turns))
        .buffered(window.get())
        .collect()
        .await;
    for (environment, row, listing) in listings {
        let Some(environment) = report.environments.get_mut(environment) else {
            continue;
        };
        if let (Some(row), Ok(entries)) = (environment.directories.get_mut(row), listing) {
            row.add_listing(&environment.names, &entries);
        }
    }
    for (environment, (_, calls)) in report.environments.iter_mut().zip(&turns) {
        environment.calls.listings += calls.listings();
    }
}

/// One listing of one row: positions of environment and row, and the answer.
type Listed = (usize, usize, io::Result<Vec<ReadDirectoryEntry>>);

fn list_considered<'a>(
    report: &'a InstructionsReport,
    turns: &'a [(&TurnEnvironment, EnvironmentCalls<'_>)],
) -> impl Iterator<Item = impl Future<Output = Listed>> {
    let pairs = report.environments.iter().zip(turns).enumerate();
    let pairs = pairs.filter(|(_, (environment, (turn, _)))| {
        environment.environment_id == turn.environment_id && environment.cwd == turn.cwd
    });
    pairs.flat_map(|(position, (environment, (_, calls)))| {
        let rows = environment.directories.iter().enumerate();
        rows.map(move |(row, considered)| async move {
            (position, row, calls.list(&considered.directory).await)
        })
    })
}

impl DirectoryRow {
    fn add_listing(&mut self, names: &[String], entries: &[ReadDirectoryEntry]) {
        let document = self
            .document
            .as_ref()
            .and_then(|document| document.basename());
        self.shadowed = Some(shadowed(names, document.as_deref(), entries));
        self.case_variants = Some(case_variants(names, document.as_deref(), entries));
    }
}

/// The names behind the document's that are files too.
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
    let behind = names
        .iter()
        .skip_while(|name| Some(name.as_str()) != document)
        .skip(1);
    behind
        .filter(|name| files.contains(name.as_str()))
        .cloned()
        .collect()
}

/// The entries that only case keeps from being a candidate.
///
/// A filesystem that ignores case lists the document under the spelling it stores: that entry is
/// the document, not a variant of it.
fn case_variants(
    names: &[String],
    document: Option<&str>,
    entries: &[ReadDirectoryEntry],
) -> Vec<String> {
    let listed = || entries.iter().filter_map(|entry| entry.file_name.as_str());
    let stored_otherwise = document.filter(|document| listed().all(|name| name != *document));
    let is_variant = |entry: &&str| {
        let is_close = |name: &str| name.eq_ignore_ascii_case(entry);
        names.iter().any(|name| is_close(name))
            && names.iter().all(|name| name != entry)
            && !stored_otherwise.is_some_and(is_close)
    };
    listed().filter(is_variant).map(str::to_owned).collect()
}

impl InstructionsReport {
    /// What [`add_listings`] found, in the order of the rows; nothing before it.
    pub fn listing_diagnostics(&self) -> Vec<InstructionDiagnostic> {
        let mut diagnostics = Vec::new();
        for environment in &self.environments {
            let mut found = |code, path, names: &Option<Vec<String>>| match names {
                Some(names) if !names.is_empty() => {
                    let details = InstructionDetails::Names {
                        names: names.clone(),
                    };
                    let id = &environment.environment_id;
                    diagnostics.push(InstructionDiagnostic::at(code, id, path, details));
                }
                _ => {}
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
