//! One environment, phase by phase: root, candidates, reads. Each phase asks and stops at the
//! first failure in order; what the answers mean for result and report is judged in `conclude.rs`.
//!
//! Nothing is asked for documents that the host withholds or the limit switches off.

use codex_config::{Config, ProjectDocuments, ProjectRootSearch};
use codex_file_system::ExecutorFileSystem;
use codex_path_uri::PathUri;
use tracing::field::Empty;
use tracing::{Instrument, debug_span};

use crate::answers::{EnvironmentAnswers, Progress, SearchedDirectories};
use crate::calls::EnvironmentCalls;
use crate::candidates::{CandidateAnswers, ChosenDocument, find_candidates};
use crate::error::InstructionsError;
use crate::options::InstructionsOptions;
use crate::read::{DocumentAnswers, read_documents};
use crate::report::InstructionCalls;
use crate::root::find_root;
use crate::settings::Settings;
use crate::snapshot::TurnEnvironment;

/// Loads the documents of one environment.
pub(crate) async fn load_environment<'a>(
    config: &Config,
    turn: &'a TurnEnvironment,
    options: &InstructionsOptions,
) -> EnvironmentAnswers<'a> {
    let settings = Settings::new(config, turn);
    let mut calls = InstructionCalls::default();
    let progress = match turn.project_documents {
        ProjectDocuments::Withheld => Progress::Withheld,
        ProjectDocuments::Allowed if settings.max_bytes == 0 => Progress::Disabled,
        ProjectDocuments::Allowed => search(turn, &settings, options, &mut calls).await,
    };
    EnvironmentAnswers {
        turn,
        settings,
        progress,
        calls,
    }
}

async fn search(
    turn: &TurnEnvironment,
    settings: &Settings,
    options: &InstructionsOptions,
    counts: &mut InstructionCalls,
) -> Progress {
    let root = match search_root(turn, settings, options, counts).await {
        Ok(root) => root,
        Err(error) => return Progress::RootFailed(error),
    };
    let filesystem: &dyn ExecutorFileSystem = turn.environment.filesystem();
    let calls = EnvironmentCalls::new(filesystem, &turn.environment_id);
    let directories = root.directories(&turn.cwd);
    let candidates = search_candidates(&calls, &directories, settings, options).await;
    let documents = match &candidates.failure {
        Some(_) => DocumentAnswers::default(),
        None => search_documents(&calls, &candidates, settings, options).await,
    };
    counts.candidate_probes = calls.candidate_probes();
    counts.reads = calls.reads();
    Progress::Searched(Box::new(SearchedDirectories {
        root,
        directories,
        candidates,
        documents,
    }))
}

async fn search_root(
    turn: &TurnEnvironment,
    settings: &Settings,
    options: &InstructionsOptions,
    counts: &mut InstructionCalls,
) -> Result<ProjectRootSearch, InstructionsError> {
    let span = debug_span!("root_search", environment_id = %turn.environment_id, calls = Empty);
    let root = find_root(turn, &settings.markers, options.document_errors);
    let root = root.instrument(span.clone()).await;
    span.record("calls", root.marker_probes);
    counts.marker_probes = root.marker_probes;
    root.search
}

async fn search_candidates(
    calls: &EnvironmentCalls<'_>,
    directories: &[PathUri],
    settings: &Settings,
    options: &InstructionsOptions,
) -> CandidateAnswers {
    let id = calls.environment_id();
    let span = debug_span!("candidates", environment_id = %id, calls = Empty);
    let (policy, window) = (options.document_errors, options.candidate_window);
    let candidates = find_candidates(calls, directories, &settings.names.names, policy, window);
    let candidates = candidates.instrument(span.clone()).await;
    span.record("calls", calls.candidate_probes());
    candidates
}

async fn search_documents(
    calls: &EnvironmentCalls<'_>,
    candidates: &CandidateAnswers,
    settings: &Settings,
    options: &InstructionsOptions,
) -> DocumentAnswers {
    let id = calls.environment_id();
    let span = debug_span!("reads", environment_id = %id, calls = Empty, bytes = Empty);
    let chosen: Vec<&ChosenDocument> = candidates.chosen().collect();
    let (policy, window) = (options.document_errors, options.read_window);
    let documents = read_documents(calls, &chosen, settings.max_bytes, policy, window);
    let documents = documents.instrument(span.clone()).await;
    span.record("calls", calls.reads());
    span.record("bytes", calls.bytes_read());
    documents
}
