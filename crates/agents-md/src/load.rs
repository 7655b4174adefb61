//! The way through: environments at the same time, told in input order.
//!
//! A load has no state between calls and no fallback: every call of an environment goes to that
//! environment's filesystem, and what fails there stays there. Nothing is asked for documents that
//! the host withholds or the limit switches off.

use std::collections::{HashMap, HashSet};

use codex_config::{
    Config, ConfigDiagnostic, ConfigLayerSource, ProjectDocuments, ProjectRootSearch, RootReason,
    ValueOrigin, find_project_root_with,
};
use codex_file_system::{
    EnvironmentId, ExecutorFileSystem, FindUpErrorPolicy, Lookahead, Question,
};
use codex_path_uri::PathUri;
use futures::future::join_all;
use tracing::field::Empty;
use tracing::{Instrument, debug_span};

use crate::decode::is_blank;
use crate::diagnostic::{InstructionDiagnostic, InstructionDiagnosticKind as Kind};
use crate::error::InstructionsError;
use crate::input::{
    DocumentErrorPolicy, InstructionsOptions, ProjectRootInput, Settings, TurnEnvironment,
    TurnEnvironmentSnapshot,
};
use crate::read::DocumentReader;
use crate::report::{
    DirectoryRow, DocumentOutcome, EnvironmentReport, EnvironmentStatus, InstructionCalls,
    InstructionsReport, PassedOverReason, REPORT_SCHEMA_VERSION, UserRow,
};
use crate::text::{InstructionEntry, LoadedAgentsMd, holds_wrapper_tag};
use crate::user::UserInstructions;

/// The outcome of [`load_project_instructions`]. A load always has one: what failed is in it.
#[derive(Debug)]
#[non_exhaustive]
pub struct InstructionsOutcome {
    /// What the model is to be told; `None` when there is no text at all.
    pub loaded: Option<LoadedAgentsMd>,
    /// What became of each environment, in input order.
    pub environments: Vec<EnvironmentOutcome>,
    /// Everything found on the way: environments in input order; in each the markers, the names,
    /// the candidates and the documents root first, and its failure last.
    pub diagnostics: Vec<InstructionDiagnostic>,
    /// One row per considered directory, and the totals.
    pub report: InstructionsReport,
}

/// What became of one environment.
#[derive(Debug)]
#[non_exhaustive]
pub struct EnvironmentOutcome {
    /// The environment.
    pub environment_id: EnvironmentId,
    /// Its working directory.
    pub cwd: PathUri,
    /// The search for its project root, for reuse by whoever needs the same root; `None` when
    /// there was none or it failed.
    pub root: Option<ProjectRootSearch>,
    /// Why the environment contributes no document.
    pub error: Option<InstructionsError>,
    /// With `error`: the documents that had been chosen or read and are lost by it, root first.
    pub partial: Vec<PathUri>,
}

/// Loads the project instructions of a turn with the default options.
///
/// This is [`load_project_instructions_with`] and [`InstructionsOptions::default`].
///
/// # Round trips
/// As [`load_project_instructions_with`] in the default window.
///
/// # Errors
/// None: a failure is in the outcome of its environment.
///
/// # Cancellation
/// Dropping the future starts no further call; calls already sent may still finish remotely.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_agents_md::{TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions};
/// use codex_config::Config;
/// use codex_file_system::{Environment, EnvironmentId};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # futures::executor::block_on(async {
/// let tree = "/repo/.git/\n/repo/AGENTS.md = root\n/repo/src/AGENTS.md = leaf";
/// let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
/// let cwd = PathUri::parse("file:///repo/src")?;
/// let id = EnvironmentId::new("local")?;
/// let environment = Environment::new(id.clone(), cwd.clone(), fs);
/// let turn_environments = vec![TurnEnvironment::new(id, environment, cwd)];
///
/// let snapshot = TurnEnvironmentSnapshot { turn_environments };
/// let outcome = load_project_instructions(&Config::default(), None, &snapshot).await;
/// assert_eq!(outcome.loaded.map(|loaded| loaded.text()).as_deref(), Some("root\n\nleaf"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn load_project_instructions(
    config: &Config,
    user_instructions: Option<UserInstructions>,
    environments: &TurnEnvironmentSnapshot,
) -> InstructionsOutcome {
    let options = InstructionsOptions::default();
    load_project_instructions_with(config, user_instructions, environments, &options).await
}

/// Loads the project instructions of a turn: for each environment at most one document per
/// directory from the project root to the working directory, within the configured budget,
/// behind the user-level text.
///
/// # Round trips
/// Per environment, with D directories, M markers, A ancestors of the working directory, k the
/// number of the probe that finds the root, C names, and windows of W calls; equal latencies:
///
/// | phase | calls | dependent round trips |
/// |---|---|---|
/// | markers, root found | min(A·M, 8·⌈k/8⌉) | ⌈k/8⌉ |
/// | markers, none found | A·M | ⌈A·M/8⌉ |
/// | markers disabled, root known or failed | 0 | 0 |
/// | documents | D·C, fewer in a window of 1 | ⌈D·C/W⌉; in a window of 1 as many as calls |
/// | withheld, or a limit of 0 bytes | 0 | 0 |
///
/// Each read is as long as the budget at most. One call more for the metadata of each name that is
/// there and cannot be read, and for the length of a cut document where the read does not tell it.
/// A window of 1 reads nothing ahead. Environments are loaded at the same time.
///
/// # Errors
/// None: a failure is in the outcome of its environment, the first in order (markers, then root
/// to working directory), whichever answer came first. `NotFound` is no failure.
///
/// # Cancellation
/// Dropping the future starts no further call; calls already sent may still finish remotely.
///
/// # Examples
/// One unreadable document does not hide the others under `KeepReadable`:
/// ```
/// use std::sync::Arc;
///
/// use codex_agents_md::{
///     DocumentErrorPolicy, InstructionsOptions, TurnEnvironment, TurnEnvironmentSnapshot,
///     load_project_instructions_with,
/// };
/// use codex_config::Config;
/// use codex_file_system::{Environment, EnvironmentId};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # futures::executor::block_on(async {
/// let tree = "/repo/.git/\n/repo/AGENTS.md !000 = root\n/repo/src/AGENTS.md = leaf";
/// let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
/// let cwd = PathUri::parse("file:///repo/src")?;
/// let id = EnvironmentId::new("local")?;
/// let environment = Environment::new(id.clone(), cwd.clone(), fs);
/// let turn_environments = vec![TurnEnvironment::new(id, environment, cwd)];
///
/// let snapshot = TurnEnvironmentSnapshot { turn_environments };
/// let document_errors = DocumentErrorPolicy::KeepReadable;
/// let options = InstructionsOptions { document_errors, ..InstructionsOptions::default() };
/// let config = Config::default();
/// let outcome = load_project_instructions_with(&config, None, &snapshot, &options).await;
/// assert_eq!(outcome.loaded.map(|loaded| loaded.text()).as_deref(), Some("leaf"));
/// assert_eq!(outcome.diagnostics[0].code(), "document_unreadable");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn load_project_instructions_with(
    config: &Config,
    user_instructions: Option<UserInstructions>,
    environments: &TurnEnvironmentSnapshot,
    options: &InstructionsOptions,
) -> InstructionsOutcome {
    let none = |_: &EnvironmentId| None::<&Lookahead<'_>>;
    load_project_instructions_through(none, config, user_instructions, environments, options).await
}

/// Loads the instructions of all environments as a part of a longer load: through the [`Lookahead`]
/// that the caller has for an environment, so that no call is made twice.
///
/// `options.window` counts where the caller has none.
///
/// # Round trips
/// Those of [`load_project_instructions`], less what the lookaheads know already.
pub async fn load_project_instructions_through<'l, 'f: 'l, F>(
    lookahead_of: impl Fn(&EnvironmentId) -> Option<&'l Lookahead<'f, F>>,
    config: &Config,
    user_instructions: Option<UserInstructions>,
    environments: &TurnEnvironmentSnapshot,
    options: &InstructionsOptions,
) -> InstructionsOutcome
where
    F: ExecutorFileSystem + ?Sized + 'f,
{
    let turns = environments.turn_environments.iter();
    let policy = options.document_errors;
    let loading = turns.clone().map(|turn| {
        let known = lookahead_of(&turn.environment_id);
        async move {
            let id = &turn.environment_id;
            // Around the drive, which makes the calls that are asked ahead.
            let span = debug_span!("documents", environment_id = %id, calls = Empty, bytes = Empty);
            let loading = async {
                match known {
                    Some(fs) => fs.drive(load_environment(fs, config, turn, policy)).await,
                    None => {
                        let filesystem: &dyn ExecutorFileSystem = turn.environment.filesystem();
                        let fs = Lookahead::new(filesystem, options.window);
                        fs.drive(load_environment(&fs, config, turn, policy)).await
                    }
                }
            };
            let loaded = loading.instrument(span.clone()).await;
            let calls = &loaded.report.calls;
            span.record("calls", calls.candidate_probes + calls.reads);
            span.record("bytes", loaded.report.kept_bytes);
            loaded
        }
    });
    let environments = join_all(loading).await;
    let outcome = assemble(config, user_instructions, turns.zip(environments));
    for diagnostic in &outcome.diagnostics {
        diagnostic.emit_event();
    }
    outcome
}

/// What loading one environment came to: its rows, and what is not in them.
pub(crate) struct LoadedEnvironment {
    pub(crate) report: EnvironmentReport,
    root: Option<ProjectRootSearch>,
    error: Option<InstructionsError>,
    /// What is wrong with the configuration, as far as it matters here.
    configuration: Vec<InstructionDiagnostic>,
}

/// Loads the documents of one environment: the root, then the documents.
async fn load_environment(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    config: &Config,
    turn: &TurnEnvironment,
    policy: DocumentErrorPolicy,
) -> LoadedEnvironment {
    let settings = Settings::new(config, turn);
    let mut loaded = LoadedEnvironment {
        report: EnvironmentReport::new(turn, &settings),
        root: None,
        error: None,
        configuration: Vec::new(),
    };
    if turn.project_documents == ProjectDocuments::Withheld {
        loaded.report.status = EnvironmentStatus::Withheld;
        return loaded;
    }
    if settings.max_bytes == 0 {
        loaded.report.status = EnvironmentStatus::Disabled;
        return loaded;
    }
    let id = &turn.environment_id;
    let markers = settings.markers.diagnostics().into_iter();
    loaded
        .configuration
        .extend(markers.map(|found| of_configuration(id, found)));
    let root = match find_root(fs, turn, &settings, policy, &mut loaded.report.calls).await {
        Ok(root) => root,
        Err(error) => {
            loaded.report.status = EnvironmentStatus::Failed;
            loaded.error = Some(error);
            return loaded;
        }
    };
    loaded.configuration.extend(of_root(id, &root));
    let refused = settings.refused_names.iter().map(|(name, problem)| {
        let found = ConfigDiagnostic::InvalidFallbackName {
            origin: settings.fallback_names_origin.clone(),
            name: name.clone(),
            problem: *problem,
        };
        of_configuration(id, found)
    });
    loaded.configuration.extend(refused);

    let reader = DocumentReader {
        fs,
        turn,
        names: &settings.names,
        max_bytes: settings.max_bytes,
        policy,
    };
    let directories = root.directories(&turn.cwd);
    let (rows, error) = read_documents(&reader, &directories, &mut loaded.report.calls).await;
    loaded.report.root = root.root.clone();
    loaded.report.root_reason = Some(root.reason.clone());
    loaded.report.set_rows(rows);
    if error.is_some() {
        loaded.report.status = EnvironmentStatus::Failed;
    }
    loaded.root = Some(root);
    loaded.error = error;
    loaded
}

/// The root of an environment, unless the host has found it already: then no call is made.
async fn find_root(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    turn: &TurnEnvironment,
    settings: &Settings,
    policy: DocumentErrorPolicy,
    calls: &mut InstructionCalls,
) -> Result<ProjectRootSearch, InstructionsError> {
    let (id, cwd) = (&turn.environment_id, &turn.cwd);
    match &turn.project_root {
        ProjectRootInput::Known(search) => {
            calls.marker_probes = probes_of(search, cwd);
            Ok(search.clone())
        }
        ProjectRootInput::Failed(error) => Err(InstructionsError::of_host_search(id, cwd, error)),
        ProjectRootInput::Search => {
            let policy = match policy {
                DocumentErrorPolicy::FailEnvironment => FindUpErrorPolicy::Propagate,
                DocumentErrorPolicy::KeepReadable => FindUpErrorPolicy::Ignore,
            };
            let span = debug_span!("root_search", environment_id = %id, calls = Empty);
            let before = fs.plan().len();
            let search = find_project_root_with(fs, cwd, settings.markers.clone(), policy);
            let found = search.instrument(span.clone()).await;
            calls.marker_probes = (fs.plan().len() - before) as u64;
            span.record("calls", calls.marker_probes);
            found.map_err(|error| InstructionsError::of_root_search(id, cwd, error))
        }
    }
}

/// How many markers a finished search has looked at.
fn probes_of(search: &ProjectRootSearch, cwd: &PathUri) -> u64 {
    match &search.reason {
        RootReason::Marker { probe, .. } => *probe as u64,
        RootReason::NoMarkerFound => {
            (cwd.ancestors().count() * search.markers.markers.len()) as u64
        }
        RootReason::TraversalDisabled => 0,
    }
}

/// Reads the documents of `directories`, and counts the calls it takes.
pub(crate) async fn read_documents<F: ExecutorFileSystem + ?Sized>(
    reader: &DocumentReader<'_, '_, F>,
    directories: &[PathUri],
    calls: &mut InstructionCalls,
) -> (Vec<DirectoryRow>, Option<InstructionsError>) {
    let (rows, error) = reader.read(directories).await;
    // Whatever else the lookahead is asked for is no document.
    let mut candidates = HashSet::new();
    for directory in directories {
        let names = reader.names.iter();
        candidates.extend(names.filter_map(|name| directory.join_descendant(name).ok()));
    }
    let made = reader.fs.plan().into_iter();
    for made in made.filter(|made| candidates.contains(&made.call.path)) {
        match made.call.question {
            Question::Metadata => calls.candidate_probes += 1,
            _ => calls.reads += 1,
        }
    }
    (rows, error)
}

impl EnvironmentReport {
    pub(crate) fn new(turn: &TurnEnvironment, settings: &Settings) -> Self {
        Self {
            environment_id: turn.environment_id.clone(),
            cwd: turn.cwd.clone(),
            status: EnvironmentStatus::NoDocuments,
            root: None,
            root_reason: None,
            markers: settings.markers.markers.clone(),
            markers_source: settings.markers.source.clone(),
            max_bytes: settings.max_bytes,
            max_bytes_origin: settings.max_bytes_origin.clone(),
            names: settings.names.clone(),
            fallback_names_origin: settings.fallback_names_origin.clone(),
            directories: Vec::new(),
            raw_bytes: 0,
            kept_bytes: 0,
            lost_bytes: 0,
            budget_left: settings.max_bytes,
            calls: InstructionCalls::default(),
        }
    }
}

/// A marker or name that cannot be used in an environment.
fn of_configuration(id: &EnvironmentId, found: ConfigDiagnostic) -> InstructionDiagnostic {
    InstructionDiagnostic {
        environment_id: Some(id.clone()),
        path: None,
        kind: Kind::Configuration(found),
    }
}

/// The markers that were taken for absent although something is there, or may be.
fn of_root(id: &EnvironmentId, root: &ProjectRootSearch) -> Vec<InstructionDiagnostic> {
    let probes = root.failed_probes.iter();
    let kind = |is_broken, kind| match is_broken {
        true => Kind::BrokenLink,
        false => Kind::MarkerProbeFailed { kind },
    };
    probes
        .map(|probe| {
            let kind = kind(probe.is_broken_link(), probe.kind);
            InstructionDiagnostic::at(id, &probe.path, kind)
        })
        .collect()
}

/// Puts the environments together, in their order.
fn assemble<'a>(
    config: &Config,
    user_instructions: Option<UserInstructions>,
    environments: impl Iterator<Item = (&'a TurnEnvironment, LoadedEnvironment)>,
) -> InstructionsOutcome {
    let user = user_instructions.filter(|user| !is_blank(&user.text));
    let mut outcome = InstructionsOutcome {
        loaded: None,
        environments: Vec::new(),
        diagnostics: Vec::new(),
        report: InstructionsReport {
            schema_version: REPORT_SCHEMA_VERSION,
            user: user.as_ref().map(|user| UserRow {
                source: user.source.clone(),
                bytes: user.text.trim().len() as u64,
            }),
            environments: Vec::new(),
        },
    };
    let mut earlier = Earlier::default();
    if let Some(user) = &user {
        earlier.add(&user.text, &user.source, None);
    }
    let mut entries = Vec::new();
    for (turn, loaded) in environments {
        let first = outcome.report.environments.first();
        let budget = first.and_then(|first| foreign_budget(config, &first.environment_id, &loaded));
        outcome
            .diagnostics
            .extend(diagnostics(turn, &loaded, &mut earlier));
        outcome.diagnostics.extend(budget);
        let LoadedEnvironment {
            report,
            root,
            error,
            ..
        } = loaded;
        if error.is_none() {
            let rows = report.directories.iter();
            entries.extend(rows.filter_map(|row| {
                let (text, path) = (row.text()?, row.document.clone()?);
                let (id, cwd) = (turn.environment_id.clone(), turn.cwd.clone());
                Some(InstructionEntry::project(text, path, id, cwd))
            }));
        }
        let partial = match &error {
            Some(_) => report.discarded().cloned().collect(),
            None => Vec::new(),
        };
        outcome.report.environments.push(report);
        outcome.environments.push(EnvironmentOutcome {
            environment_id: turn.environment_id.clone(),
            cwd: turn.cwd.clone(),
            root,
            error,
            partial,
        });
    }
    let loaded = LoadedAgentsMd::from_parts(user, entries);
    outcome.loaded = Some(loaded).filter(|loaded| !loaded.is_empty());
    outcome
}

/// Everything found in one environment, in its order.
fn diagnostics(
    turn: &TurnEnvironment,
    loaded: &LoadedEnvironment,
    earlier: &mut Earlier,
) -> Vec<InstructionDiagnostic> {
    let id = &turn.environment_id;
    let at_cwd = |kind| InstructionDiagnostic::at(id, &turn.cwd, kind);
    let mut found = loaded.configuration.clone();
    match loaded.report.status {
        EnvironmentStatus::Withheld => found.push(at_cwd(Kind::ProjectDocumentsWithheld)),
        EnvironmentStatus::Disabled => found.push(at_cwd(Kind::ProjectDocumentsDisabled)),
        _ => {}
    }
    found.extend(row_diagnostics(id, &loaded.report.directories, earlier));
    let is_loaded = loaded.report.status == EnvironmentStatus::Loaded;
    if is_loaded && holds_wrapper_tag(&turn.cwd) {
        found.push(at_cwd(Kind::WrapperTagInDirectory));
    }
    if let Some(error) = &loaded.error {
        let (operation, kind) = (error.operation, error.kind());
        let kind = Kind::EnvironmentFailed { operation, kind };
        found.push(InstructionDiagnostic::at(id, &error.path, kind));
    }
    found
}

/// What the rows of one environment tell: the candidates first, then the documents.
pub(crate) fn row_diagnostics(
    id: &EnvironmentId,
    rows: &[DirectoryRow],
    earlier: &mut Earlier,
) -> Vec<InstructionDiagnostic> {
    let mut found = Vec::new();
    for passed in rows.iter().flat_map(|row| &row.passed_over) {
        let kind = match passed.reason {
            PassedOverReason::NotAFile(found) => Kind::CandidateNotAFile { found },
            PassedOverReason::BrokenLink => Kind::BrokenLink,
            PassedOverReason::Failure(kind) => Kind::CandidateProbeFailed { kind },
        };
        found.push(InstructionDiagnostic::at(id, &passed.path, kind));
    }
    for row in rows {
        if let Some(path) = &row.document {
            let kinds = document_diagnostics(row, path, id, earlier).into_iter();
            found.extend(kinds.map(|kind| InstructionDiagnostic::at(id, path, kind)));
        }
    }
    found
}

fn document_diagnostics(
    row: &DirectoryRow,
    path: &PathUri,
    id: &EnvironmentId,
    earlier: &mut Earlier,
) -> Vec<Kind> {
    let document = match &row.outcome {
        DocumentOutcome::Kept(document) => document,
        DocumentOutcome::Blank { is_cut: false } => {
            let raw_bytes = row.raw_bytes;
            return vec![Kind::BlankDocument { raw_bytes }];
        }
        DocumentOutcome::Blank { is_cut: true } => {
            let (raw_bytes, lost_bytes) = (row.raw_bytes, row.raw_bytes);
            return vec![Kind::BlankAfterCut {
                raw_bytes,
                lost_bytes,
            }];
        }
        DocumentOutcome::Unreadable(kind) => return vec![Kind::DocumentUnreadable { kind: *kind }],
        // An empty document loses nothing.
        DocumentOutcome::None | DocumentOutcome::OverBudget { size: Some(0) } => return Vec::new(),
        DocumentOutcome::OverBudget { size } => {
            let (raw_bytes, lost_bytes) = (*size, *size);
            return vec![Kind::DocumentOverBudget {
                raw_bytes,
                lost_bytes,
            }];
        }
    };
    let mut kinds = Vec::new();
    if document.lost_bytes > 0 {
        kinds.push(Kind::DocumentTruncated {
            raw_bytes: document.kept_bytes + document.lost_bytes,
            kept_bytes: document.kept_bytes,
            lost_bytes: document.lost_bytes,
            splits_character: document.splits_character,
            budget_before: document.budget_before,
        });
    }
    kinds.extend(document.oddities());
    if document.lost_bytes == 0 && row.text().is_some() {
        kinds.extend(earlier.add(&document.text, path, Some(id)));
    }
    kinds
}

/// The texts that came first, to tell which ones are repeated. Only whole ones: the parts that two
/// cuts leave may be the same where the documents are not.
#[derive(Debug, Default)]
pub(crate) struct Earlier(HashMap<String, (PathUri, Option<EnvironmentId>)>);

impl Earlier {
    /// Remembers a text, or tells which earlier one it repeats.
    fn add(&mut self, text: &str, path: &PathUri, id: Option<&EnvironmentId>) -> Option<Kind> {
        if let Some((earlier_path, earlier_environment_id)) = self.0.get(text.trim()) {
            return Some(Kind::DuplicateDocument {
                earlier_path: earlier_path.clone(),
                earlier_environment_id: earlier_environment_id.clone(),
            });
        }
        let place = (path.clone(), id.cloned());
        self.0.insert(text.trim().to_owned(), place);
        None
    }
}

/// Whether the budget that loses documents here is a setting of the first environment's project.
fn foreign_budget(
    config: &Config,
    first: &EnvironmentId,
    loaded: &LoadedEnvironment,
) -> Option<InstructionDiagnostic> {
    let origin = config.config_layer_stack.origin(&["project_doc_max_bytes"]);
    let is_of_project = matches!(
        &origin,
        ValueOrigin::Layer {
            source: ConfigLayerSource::Project { .. },
            ..
        }
    );
    let report = &loaded.report;
    let is_lossy = report.lost_bytes > 0 || report.status == EnvironmentStatus::Disabled;
    (is_of_project && is_lossy && report.environment_id != *first).then(|| {
        let configured_by = first.clone();
        let kind = Kind::ForeignBudget {
            origin,
            configured_by,
        };
        InstructionDiagnostic::at(&report.environment_id, &report.cwd, kind)
    })
}
