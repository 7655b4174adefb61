//! From the answers of all environments to the outcome of a load. Pure.

use codex_path_uri::PathUri;

use crate::answers::{EnvironmentAnswers, Progress, SearchedDirectories};
use crate::assembly::LoadedAgentsMd;
use crate::document::{Judgement, is_blank};
use crate::duplicates::{Duplicates, find_duplicates};
use crate::error::InstructionsError;
use crate::findings::environment_diagnostics;
use crate::outcome::{EnvironmentOutcome, InstructionsOutcome};
use crate::provenance::InstructionEntry;
use crate::read::DocumentAnswer;
use crate::report::{EnvironmentReport, InstructionsReport, REPORT_SCHEMA_VERSION, UserRow};
use crate::snapshot::TurnEnvironment;
use crate::user::UserInstructions;

/// Puts the answers together, in the given order of environments.
pub(crate) fn conclude(
    user_instructions: Option<UserInstructions>,
    environments: Vec<EnvironmentAnswers<'_>>,
) -> InstructionsOutcome {
    let user_instructions = user_instructions.filter(|user| !is_blank(&user.text));
    let duplicates = find_duplicates(user_instructions.as_ref(), &environments);
    let mut conclusion = Conclusion::new(user_instructions.as_ref());
    for (answers, duplicates) in environments.into_iter().zip(duplicates) {
        conclusion.add(answers, &duplicates);
    }
    let loaded = LoadedAgentsMd::from_parts(user_instructions, conclusion.entries);
    InstructionsOutcome {
        loaded: Some(loaded).filter(|loaded| !loaded.is_empty()),
        environments: conclusion.outcomes,
        diagnostics: conclusion.diagnostics,
        report: conclusion.report,
    }
}

struct Conclusion {
    entries: Vec<InstructionEntry>,
    outcomes: Vec<EnvironmentOutcome>,
    diagnostics: Vec<crate::InstructionDiagnostic>,
    report: InstructionsReport,
}

impl Conclusion {
    fn new(user_instructions: Option<&UserInstructions>) -> Self {
        let user = user_instructions.map(|user| UserRow {
            source: PathUri::from_abs_path(&user.source),
            bytes: user.text.trim().len() as u64,
        });
        let (schema_version, environments) = (REPORT_SCHEMA_VERSION, Vec::new());
        Self {
            entries: Vec::new(),
            outcomes: Vec::new(),
            diagnostics: Vec::new(),
            report: InstructionsReport {
                schema_version,
                user,
                environments,
            },
        }
    }

    fn add(&mut self, answers: EnvironmentAnswers<'_>, duplicates: &Duplicates) {
        self.diagnostics
            .extend(environment_diagnostics(&answers, duplicates));
        let report = EnvironmentReport::new(&answers);
        let partial = report.discarded().cloned().collect();
        self.report.environments.push(report);
        let EnvironmentAnswers { turn, progress, .. } = answers;
        let (root, error) = match progress {
            Progress::Withheld | Progress::Disabled => (None, None),
            Progress::RootFailed(error) => (None, Some(error)),
            Progress::Searched(searched) => {
                let root = searched.root.clone();
                (Some(root), self.take_entries(turn, *searched))
            }
        };
        let (environment_id, cwd) = (turn.environment_id.clone(), turn.cwd.clone());
        self.outcomes.push(EnvironmentOutcome {
            environment_id,
            cwd,
            root,
            error,
            partial,
        });
    }

    /// Adds the kept documents, or gives back the failure that loses them all.
    fn take_entries(
        &mut self,
        turn: &TurnEnvironment,
        searched: SearchedDirectories,
    ) -> Option<InstructionsError> {
        let SearchedDirectories {
            candidates,
            documents,
            ..
        } = searched;
        let failure = candidates.failure.or(documents.failure);
        if failure.is_some() {
            return failure;
        }
        let chosen = candidates
            .directories
            .into_iter()
            .filter_map(|asked| asked.chosen);
        for (document, answer) in chosen.zip(documents.documents) {
            if let DocumentAnswer::Judged(Judgement::Kept(kept)) = answer {
                let (id, cwd) = (turn.environment_id.clone(), turn.cwd.clone());
                self.entries
                    .push(InstructionEntry::project(kept.text, document.path, id, cwd));
            }
        }
        None
    }
}
