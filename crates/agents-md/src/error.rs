//! Why one environment contributes no document.
//!
//! The error names operation, path and environment once, and keeps the [`io::ErrorKind`] of its
//! cause. Whether an error ends an environment at all is the policy's choice (`options.rs`).

use std::sync::Arc;
use std::{fmt, io};

use codex_file_system::{EnvironmentId, FileSystemError};
use codex_path_uri::PathUri;
use serde::Serialize;

/// What ended the loading of one environment's documents.
#[derive(Debug, thiserror::Error)]
#[error("cannot {} `{path}` in environment `{environment_id}`", .operation.verb())]
#[non_exhaustive]
pub struct InstructionsError {
    /// What was being done.
    pub operation: InstructionsOperation,
    /// The environment it was done in.
    pub environment_id: EnvironmentId,
    /// The path it was done to: the probed marker or candidate, the document, or the directory in
    /// which no candidate path can be formed. The working directory if the host's own search
    /// failed.
    pub path: PathUri,
    /// The cause; its kind is the one the filesystem gave.
    pub source: io::Error,
}

/// What loading was doing when it failed. (`Operation` is the filesystem's word for its calls.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InstructionsOperation {
    /// Asking whether a marker of the project root exists.
    MarkerProbe,
    /// Forming the path of a candidate.
    JoinCandidate,
    /// Asking what a candidate is.
    CandidateProbe,
    /// Reading a chosen document.
    ReadDocument,
}

impl InstructionsOperation {
    fn verb(self) -> &'static str {
        match self {
            Self::MarkerProbe => "probe the project root marker",
            Self::JoinCandidate => "name a project document in",
            Self::CandidateProbe => "read metadata of the project document",
            Self::ReadDocument => "read the project document",
        }
    }
}

impl fmt::Display for InstructionsOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MarkerProbe => "marker_probe",
            Self::JoinCandidate => "join_candidate",
            Self::CandidateProbe => "candidate_probe",
            Self::ReadDocument => "read_document",
        })
    }
}

impl InstructionsError {
    /// The kind of the cause.
    pub fn kind(&self) -> io::ErrorKind {
        self.source.kind()
    }

    pub(crate) fn new(
        operation: InstructionsOperation,
        environment_id: &EnvironmentId,
        path: PathUri,
        source: io::Error,
    ) -> Self {
        let source = without_context(source);
        Self {
            operation,
            environment_id: environment_id.clone(),
            path,
            source,
        }
    }

    /// The failure of a root search made here: its context says which marker failed.
    pub(crate) fn of_root_search(
        environment_id: &EnvironmentId,
        cwd: &PathUri,
        source: io::Error,
    ) -> Self {
        let path = FileSystemError::find(&source)
            .map_or(cwd, |context| &context.path)
            .clone();
        Self::new(
            InstructionsOperation::MarkerProbe,
            environment_id,
            path,
            source,
        )
    }

    /// The failure of a search that the host made and shares with others.
    pub(crate) fn of_host_search(
        environment_id: &EnvironmentId,
        cwd: &PathUri,
        source: &Arc<io::Error>,
    ) -> Self {
        let source = io::Error::new(source.kind(), Arc::clone(source));
        Self::new(
            InstructionsOperation::MarkerProbe,
            environment_id,
            cwd.clone(),
            source,
        )
    }
}

/// Takes the filesystem's context off an error: this crate's own names the same path and
/// environment, and a chain says nothing twice.
fn without_context(error: io::Error) -> io::Error {
    if FileSystemError::find(&error).is_some() {
        io::Error::new(error.kind(), Cause(error))
    } else {
        error
    }
}

/// What the filesystem answered, without the context around it.
#[derive(Debug)]
struct Cause(io::Error);

impl Cause {
    fn answer(&self) -> &io::Error {
        FileSystemError::find(&self.0).map_or(&self.0, |context| &context.source)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.answer().fmt(f)
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.answer().source()
    }
}
