//! What one environment answered, phase by phase, as far as its loading came.
//!
//! Plain data between the code that asks and the code that judges: result, report and diagnostics
//! are all made from it, and none of them asks anything more.

use codex_config::ProjectRootSearch;
use codex_path_uri::PathUri;

use crate::candidates::CandidateAnswers;
use crate::error::InstructionsError;
use crate::read::DocumentAnswers;
use crate::report::InstructionCalls;
use crate::settings::Settings;
use crate::snapshot::TurnEnvironment;

/// Everything one environment answered.
#[derive(Debug)]
pub(crate) struct EnvironmentAnswers<'a> {
    pub(crate) turn: &'a TurnEnvironment,
    pub(crate) settings: Settings,
    pub(crate) progress: Progress,
    pub(crate) calls: InstructionCalls,
}

/// How far the loading of an environment came.
#[derive(Debug)]
pub(crate) enum Progress {
    Withheld,
    Disabled,
    /// There is no root to begin at.
    RootFailed(InstructionsError),
    /// The directories are known; candidates and reads may have failed.
    Searched(Box<SearchedDirectories>),
}

/// The answers below a known root.
#[derive(Debug)]
pub(crate) struct SearchedDirectories {
    pub(crate) root: ProjectRootSearch,
    /// Root first.
    pub(crate) directories: Vec<PathUri>,
    pub(crate) candidates: CandidateAnswers,
    /// Empty if the candidates failed.
    pub(crate) documents: DocumentAnswers,
}

impl Progress {
    /// Why the environment contributes no document.
    pub(crate) fn error(&self) -> Option<&InstructionsError> {
        match self {
            Self::Withheld | Self::Disabled => None,
            Self::RootFailed(error) => Some(error),
            Self::Searched(searched) => searched.error(),
        }
    }
}

impl SearchedDirectories {
    /// The first failure behind the root search.
    pub(crate) fn error(&self) -> Option<&InstructionsError> {
        self.candidates
            .failure
            .as_ref()
            .or(self.documents.failure.as_ref())
    }

    /// The failure of the candidates, if it is that of the directory at `index`.
    pub(crate) fn candidate_failure_at(&self, index: usize) -> Option<&InstructionsError> {
        let is_last = index + 1 == self.candidates.directories.len();
        self.candidates.failure.as_ref().filter(|_| is_last)
    }
}
