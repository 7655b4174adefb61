//! The considered directories of a report, listed: what reads of the candidates do not tell.
//!
//! Documents that the chosen one hides, names that are wrong in case only, and files of other
//! programs where there is no document. Nothing here changes what was loaded. Listings cost calls,
//! so they are made on request only.

use std::collections::HashSet;

use codex_file_system::{
    ExecutorFileSystem, FileKind, Lookahead, ReadCall, ReadDirectoryEntry, Window,
};
use futures::future::join_all;

use crate::diagnostic::{InstructionDiagnostic, InstructionDiagnosticKind as Kind};
use crate::input::{TurnEnvironment, TurnEnvironmentSnapshot};
use crate::report::{DirectoryRow, EnvironmentReport, InstructionsReport};

/// Names under which other programs look for instructions.
const OTHER_PROGRAMS: [&str; 2] = ["CLAUDE.md", "GEMINI.md"];

/// Lists every considered directory and fills in what the report's rows say of hidden documents
/// and of names that differ in ASCII case only.
///
/// `environments` are those the report was made for; an environment of the report that has no
/// counterpart at its position is left as it is. [`InstructionsReport::listing_diagnostics`] then
/// tells what was found.
///
/// # Round trips
/// One listing per considered directory: D calls in each environment, ⌈D/64⌉ round trips.
///
/// # Errors
/// None: a directory that cannot be listed keeps `None` in its row.
///
/// # Cancellation
/// Dropping the future starts no further call.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_agents_md::{
///     TurnEnvironment, TurnEnvironmentSnapshot, add_listings, load_project_instructions,
/// };
/// use codex_config::Config;
/// use codex_file_system::{Environment, EnvironmentId};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # futures::executor::block_on(async {
/// let tree = "/repo/.git/\n/repo/agents.md = lower case";
/// let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
/// let cwd = PathUri::parse("file:///repo")?;
/// let id = EnvironmentId::new("local")?;
/// let environment = Environment::new(id.clone(), cwd.clone(), fs);
/// let turn_environments = vec![TurnEnvironment::new(id, environment, cwd)];
/// let snapshot = TurnEnvironmentSnapshot { turn_environments };
///
/// let mut outcome = load_project_instructions(&Config::default(), None, &snapshot).await;
/// assert!(outcome.loaded.is_none());
/// add_listings(&mut outcome.report, &snapshot).await;
/// let found = outcome.report.listing_diagnostics();
/// assert_eq!(found[0].code(), "case_variant_present");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn add_listings(report: &mut InstructionsReport, environments: &TurnEnvironmentSnapshot) {
    let turns = environments.turn_environments.iter();
    let listed = report.environments.iter_mut().zip(turns);
    let listed = listed.filter(|(report, turn)| {
        report.environment_id == turn.environment_id && report.cwd == turn.cwd
    });
    join_all(listed.map(|(report, turn)| list(report, turn))).await;
}

async fn list(report: &mut EnvironmentReport, turn: &TurnEnvironment) {
    let filesystem: &dyn ExecutorFileSystem = turn.environment.filesystem();
    let fs = Lookahead::new(filesystem, Window::default());
    let names = report.names.clone();
    let rows = &mut report.directories;
    fs.drive(async {
        fs.expect_all(rows.iter().map(|row| ReadCall::listing(&row.directory)));
        for row in rows {
            if let Ok(entries) = fs.read_directory(&row.directory, None).await {
                row.add_listing(&names, &entries);
            }
        }
    })
    .await;
    report.calls.listings += fs.plan().len() as u64;
}

impl DirectoryRow {
    /// Writes down what the entries of the directory tell; `names` are the candidate names.
    fn add_listing(&mut self, names: &[String], entries: &[ReadDirectoryEntry]) {
        let document = self.document.as_ref().and_then(|path| path.basename());
        let document = document.as_deref();
        let files = entries.iter().filter(|entry| entry.kind == FileKind::File);
        let files: HashSet<&str> = files.filter_map(|entry| entry.file_name.as_str()).collect();
        let later = names
            .iter()
            .skip_while(|name| Some(name.as_str()) != document)
            .skip(1);
        let shadowed = later.filter(|name| files.contains(name.as_str()));
        let shadowed = shadowed.cloned().collect();
        let foreign = OTHER_PROGRAMS.iter().filter(|name| files.contains(*name));
        let foreign = match document {
            Some(_) => Vec::new(),
            None => foreign.map(|name| (*name).to_owned()).collect(),
        };
        let case_variants = case_variants(names, document, entries);
        self.shadowed = Some(shadowed);
        self.case_variants = Some(case_variants);
        self.foreign = foreign;
    }
}

/// Entries that only case keeps from being a candidate. A filesystem that ignores case lists the
/// document under the spelling it stores: that entry is the document, not a variant of it.
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
    /// `shadowed_candidate`, `case_variant_present` and `other_instructions_present`. Nothing before
    /// it.
    pub fn listing_diagnostics(&self) -> Vec<InstructionDiagnostic> {
        let mut diagnostics = Vec::new();
        for environment in &self.environments {
            let id = &environment.environment_id;
            for row in &environment.directories {
                let document = row.document.as_ref().unwrap_or(&row.directory);
                if let Some(names) = row.shadowed.clone().filter(|names| !names.is_empty()) {
                    let kind = Kind::ShadowedCandidate { names };
                    diagnostics.push(InstructionDiagnostic::at(id, document, kind));
                }
                if let Some(names) = row.case_variants.clone().filter(|names| !names.is_empty()) {
                    let kind = Kind::CaseVariantPresent { names };
                    diagnostics.push(InstructionDiagnostic::at(id, &row.directory, kind));
                }
                if !row.foreign.is_empty() {
                    let names = row.foreign.clone();
                    let kind = Kind::OtherInstructionsPresent { names };
                    diagnostics.push(InstructionDiagnostic::at(id, &row.directory, kind));
                }
            }
        }
        diagnostics
    }
}
