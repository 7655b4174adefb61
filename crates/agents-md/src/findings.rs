//! From the answers of one environment to its diagnostics, in their order: markers, names,
//! candidates root first, documents root first, the failure last. Pure.

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;

use crate::answers::{EnvironmentAnswers, Progress, SearchedDirectories};
use crate::candidates::{ChosenDocument, Obstacle, PassedOverName};
use crate::diagnostics::{InstructionDetails, InstructionDiagnostic, InstructionDiagnosticCode};
use crate::document::{Judgement, KeptDocument, holds_wrapper_tag};
use crate::duplicates::{Duplicates, Earlier};
use crate::read::DocumentAnswer;
use crate::settings::Settings;

use InstructionDetails as Details;
use InstructionDiagnosticCode as Code;

/// Everything found in one environment.
pub(crate) fn environment_diagnostics(
    answers: &EnvironmentAnswers<'_>,
    duplicates: &Duplicates,
) -> Vec<InstructionDiagnostic> {
    let EnvironmentAnswers {
        turn,
        settings,
        progress,
        ..
    } = answers;
    let mut found = Findings {
        environment_id: &turn.environment_id,
        diagnostics: Vec::new(),
    };
    match progress {
        Progress::Withheld => {
            found.push(Code::ProjectDocumentsWithheld, &turn.cwd, Details::None);
        }
        Progress::Disabled => {
            found.push(Code::ProjectDocumentsDisabled, &turn.cwd, Details::None);
        }
        Progress::RootFailed(_) => found.push_markers(settings),
        Progress::Searched(searched) => {
            found.push_markers(settings);
            for probe in &searched.root.failed_probes {
                let details = Details::failure(probe.kind);
                found.push(Code::MarkerProbeFailed, &probe.path, details);
            }
            let refused = settings.name_diagnostics(&turn.environment_id);
            found.diagnostics.extend(refused);
            found.push_searched(searched, duplicates);
        }
    }
    if let Some(error) = progress.error() {
        let details = Details::EnvironmentFailure {
            operation: error.operation,
            kind: error.kind(),
        };
        found.push(Code::EnvironmentFailed, &error.path, details);
    }
    found.diagnostics
}

struct Findings<'a> {
    environment_id: &'a EnvironmentId,
    diagnostics: Vec<InstructionDiagnostic>,
}

impl Findings<'_> {
    fn push(&mut self, code: Code, path: &PathUri, details: Details) {
        self.diagnostics.push(InstructionDiagnostic::at(
            code,
            self.environment_id,
            path,
            details,
        ));
    }

    fn push_markers(&mut self, settings: &Settings) {
        let rejected = settings.marker_diagnostics(self.environment_id);
        self.diagnostics.extend(rejected);
    }

    fn push_searched(&mut self, searched: &SearchedDirectories, duplicates: &Duplicates) {
        for passed in searched
            .candidates
            .directories
            .iter()
            .flat_map(|asked| &asked.passed_over)
        {
            self.push_passed_over(passed);
        }
        let answered = searched
            .candidates
            .chosen()
            .zip(&searched.documents.documents);
        for (position, (document, answer)) in answered.enumerate() {
            self.push_document(document, answer, duplicates.get(&position));
        }
    }

    fn push_passed_over(&mut self, passed: &PassedOverName) {
        match passed.obstacle {
            Obstacle::NotAFile(found) => {
                self.push(
                    Code::CandidateNotAFile,
                    &passed.path,
                    Details::NotAFile { found },
                );
            }
            Obstacle::Failure(kind) => {
                self.push(
                    Code::CandidateProbeFailed,
                    &passed.path,
                    Details::failure(kind),
                );
            }
        }
    }

    fn push_document(
        &mut self,
        document: &ChosenDocument,
        answer: &DocumentAnswer,
        duplicate_of: Option<&Earlier>,
    ) {
        let path = &document.path;
        match answer {
            DocumentAnswer::Judged(Judgement::Kept(kept)) => {
                self.push_kept(path, kept, duplicate_of);
            }
            DocumentAnswer::Judged(Judgement::Blank { raw_bytes, is_cut }) => {
                let raw_bytes = *raw_bytes;
                let (code, details) = if *is_cut {
                    (Code::BlankAfterCut, Details::lost(Some(raw_bytes)))
                } else {
                    (Code::BlankDocument, Details::Blank { raw_bytes })
                };
                self.push(code, path, details);
            }
            DocumentAnswer::Vanished => self.push(Code::DocumentVanished, path, Details::None),
            DocumentAnswer::Unreadable(kind) => {
                self.push(Code::DocumentUnreadable, path, Details::failure(*kind));
            }
            // An empty document loses nothing.
            DocumentAnswer::OverBudget if document.size == Some(0) => {}
            DocumentAnswer::OverBudget => {
                self.push(Code::DocumentOverBudget, path, Details::lost(document.size));
            }
        }
    }

    fn push_kept(&mut self, path: &PathUri, kept: &KeptDocument, duplicate_of: Option<&Earlier>) {
        if kept.is_cut() {
            let details = Details::Cut {
                raw_bytes: kept.raw_bytes,
                kept_bytes: kept.kept_bytes,
                lost_bytes: kept.lost_bytes(),
                splits_character: kept.splits_character,
                budget_before: kept.budget_before,
            };
            self.push(Code::DocumentTruncated, path, details);
        }
        if kept.replacement_characters > 0 {
            let replacement_characters = kept.replacement_characters;
            self.push(
                Code::InvalidUtf8,
                path,
                Details::Replaced {
                    replacement_characters,
                },
            );
        }
        if holds_wrapper_tag(&kept.text) {
            self.push(Code::WrapperTagInDocument, path, Details::None);
        }
        if let Some(earlier) = duplicate_of {
            let details = Details::Duplicate {
                earlier_path: earlier.path.clone(),
                earlier_environment_id: earlier.environment_id.clone(),
            };
            self.push(Code::DuplicateDocument, path, details);
        }
    }
}
