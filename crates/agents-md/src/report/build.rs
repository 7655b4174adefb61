//! From the answers of one environment to its part of the report. Pure.

use codex_file_system::error::kind_name;
use codex_path_uri::PathUri;

use super::{
    DirectoryRow, DirectoryState, EnvironmentReport, EnvironmentStatus, PassedOver,
    PassedOverReason,
};
use crate::answers::{EnvironmentAnswers, Progress, SearchedDirectories};
use crate::candidates::{ChosenDocument, DirectoryAnswer, Obstacle};
use crate::document::{Judgement, KeptDocument};
use crate::error::InstructionsError;
use crate::read::DocumentAnswer;

impl EnvironmentReport {
    pub(crate) fn new(answers: &EnvironmentAnswers<'_>) -> Self {
        let EnvironmentAnswers {
            turn,
            settings,
            progress,
            calls,
        } = answers;
        let search = match progress {
            Progress::Searched(searched) => Some(&searched.root),
            _ => None,
        };
        let directories = match progress {
            Progress::Searched(searched) => rows(searched, settings.max_bytes),
            _ => Vec::new(),
        };
        let sum = |bytes: fn(&DirectoryRow) -> u64| directories.iter().map(bytes).sum();
        Self {
            environment_id: turn.environment_id.clone(),
            cwd: turn.cwd.clone(),
            status: status(progress, &directories),
            root: search.and_then(|search| search.root.clone()),
            root_reason: search.map(|search| search.reason.clone()),
            markers: settings.markers.markers.clone(),
            markers_source: settings.markers.source.clone(),
            max_bytes: settings.max_bytes,
            max_bytes_origin: settings.max_bytes_origin.clone(),
            names: settings.names.names.clone(),
            fallback_names_origin: settings.fallback_names_origin.clone(),
            raw_bytes: sum(|row| row.raw_bytes),
            kept_bytes: sum(|row| row.kept_bytes),
            lost_bytes: sum(|row| row.lost_bytes),
            budget_left: directories
                .last()
                .map_or(settings.max_bytes, |row| row.budget_left),
            calls: *calls,
            directories,
        }
    }

    /// The documents that a failure of the environment lost, root first.
    pub(crate) fn discarded(&self) -> impl Iterator<Item = &PathUri> {
        let discarded = |row: &&DirectoryRow| row.state == DirectoryState::Discarded;
        self.directories
            .iter()
            .filter(discarded)
            .filter_map(|row| row.document.as_ref())
    }
}

fn status(progress: &Progress, rows: &[DirectoryRow]) -> EnvironmentStatus {
    let is_kept =
        |row: &DirectoryRow| matches!(row.state, DirectoryState::Loaded | DirectoryState::Cut);
    match progress {
        Progress::Withheld => EnvironmentStatus::Withheld,
        Progress::Disabled => EnvironmentStatus::Disabled,
        _ if progress.error().is_some() => EnvironmentStatus::Failed,
        _ if rows.iter().any(is_kept) => EnvironmentStatus::Loaded,
        _ => EnvironmentStatus::NoDocuments,
    }
}

fn rows(searched: &SearchedDirectories, max_bytes: u64) -> Vec<DirectoryRow> {
    let mut fates = Fates::new(searched);
    let mut budget_left = max_bytes;
    let mut rows = Vec::with_capacity(searched.directories.len());
    for (index, directory) in searched.directories.iter().enumerate() {
        let mut row = DirectoryRow::new(directory.clone(), DirectoryState::NotReached, budget_left);
        if let Some(answer) = searched.candidates.directories.get(index) {
            fill(
                &mut row,
                answer,
                &mut fates,
                searched.candidate_failure_at(index),
            );
        }
        budget_left = row.budget_left;
        rows.push(row);
    }
    rows
}

fn fill(
    row: &mut DirectoryRow,
    answer: &DirectoryAnswer,
    fates: &mut Fates<'_>,
    failure: Option<&InstructionsError>,
) {
    row.passed_over = answer
        .passed_over
        .iter()
        .map(|passed| PassedOver {
            name: passed.name.clone(),
            reason: match passed.obstacle {
                Obstacle::NotAFile(_) => PassedOverReason::NotAFile,
                Obstacle::Failure(kind) => PassedOverReason::Failure(kind),
            },
        })
        .collect();
    match (failure, &answer.chosen) {
        (Some(error), _) => set_error(row, error.kind(), None),
        (None, None) => row.state = DirectoryState::None,
        (None, Some(document)) => {
            row.document = Some(document.path.clone());
            fates.settle(row, document);
        }
    }
}

/// What became of the chosen documents, taken one after another.
struct Fates<'a> {
    answers: std::slice::Iter<'a, DocumentAnswer>,
    /// The failure of the first document without an answer.
    read_failure: Option<&'a InstructionsError>,
    environment_failed: bool,
}

impl<'a> Fates<'a> {
    fn new(searched: &'a SearchedDirectories) -> Self {
        Self {
            answers: searched.documents.documents.iter(),
            read_failure: searched.documents.failure.as_ref(),
            environment_failed: searched.error().is_some(),
        }
    }

    fn settle(&mut self, row: &mut DirectoryRow, document: &ChosenDocument) {
        match self.answers.next() {
            Some(DocumentAnswer::Judged(Judgement::Kept(kept))) if self.environment_failed => {
                set_lost(row, DirectoryState::Discarded, Some(kept.raw_bytes));
            }
            Some(DocumentAnswer::Judged(Judgement::Kept(kept))) => set_kept(row, kept),
            Some(DocumentAnswer::Judged(Judgement::Blank { raw_bytes, is_cut })) => {
                row.state = DirectoryState::Blank;
                row.raw_bytes = *raw_bytes;
                row.lost_bytes = if *is_cut { *raw_bytes } else { 0 };
            }
            Some(DocumentAnswer::Vanished) => row.state = DirectoryState::Vanished,
            Some(DocumentAnswer::Unreadable(kind)) => set_error(row, *kind, document.size),
            Some(DocumentAnswer::OverBudget) => {
                set_lost(row, DirectoryState::OverBudget, document.size);
            }
            None => match self.read_failure.take() {
                Some(error) => set_error(row, error.kind(), document.size),
                None => set_lost(row, DirectoryState::Discarded, document.size),
            },
        }
    }
}

fn set_kept(row: &mut DirectoryRow, kept: &KeptDocument) {
    row.state = if kept.is_cut() {
        DirectoryState::Cut
    } else {
        DirectoryState::Loaded
    };
    row.raw_bytes = kept.raw_bytes;
    row.kept_bytes = kept.kept_bytes;
    row.lost_bytes = kept.lost_bytes();
    row.budget_left = row.budget_left.saturating_sub(kept.kept_bytes);
    row.replacement_characters = kept.replacement_characters;
    row.splits_character = kept.splits_character;
}

fn set_lost(row: &mut DirectoryRow, state: DirectoryState, bytes: Option<u64>) {
    row.state = state;
    row.raw_bytes = bytes.unwrap_or(0);
    row.lost_bytes = row.raw_bytes;
}

fn set_error(row: &mut DirectoryRow, kind: std::io::ErrorKind, bytes: Option<u64>) {
    row.state = DirectoryState::Error;
    row.error = Some(kind_name(kind).to_owned());
    row.raw_bytes = bytes.unwrap_or(0);
}
