//! Which document each directory has: an ordered window over directories, names asked one after
//! another inside each.
//!
//! Metadata alone decides; nothing is opened here. Answers are judged root first whichever came
//! first, so the first failure *in order* is the one that counts. A directory that follows a
//! failure may have been asked, at most `window - 1` of them; with window 1 none is.

use std::io;

use codex_file_system::{FileKind, Window};
use codex_path_uri::PathUri;
use futures::stream::{FuturesOrdered, StreamExt};

use crate::calls::EnvironmentCalls;
use crate::error::{InstructionsError, InstructionsOperation};
use crate::options::DocumentErrorPolicy;

/// The document of one directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenDocument {
    pub(crate) path: PathUri,
    /// Its length in bytes, where the filesystem says.
    pub(crate) size: Option<u64>,
}

/// A name that is there, or may be, but is not the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PassedOverName {
    pub(crate) name: String,
    /// The candidate; the directory where no candidate path can be formed.
    pub(crate) path: PathUri,
    pub(crate) obstacle: Obstacle,
}

/// Why a name is passed over. That it does not exist is no reason worth a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    NotAFile(FileKind),
    Failure(io::ErrorKind),
}

/// What asking one directory gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DirectoryAnswer {
    pub(crate) passed_over: Vec<PassedOverName>,
    pub(crate) chosen: Option<ChosenDocument>,
}

/// The answers of the directories, root first, up to the first failure.
#[derive(Debug, Default)]
pub(crate) struct CandidateAnswers {
    pub(crate) directories: Vec<DirectoryAnswer>,
    /// With this, the last of `directories` is the one that failed.
    pub(crate) failure: Option<InstructionsError>,
}

impl CandidateAnswers {
    /// The chosen documents, root first.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = &ChosenDocument> {
        self.directories
            .iter()
            .filter_map(|directory| directory.chosen.as_ref())
    }
}

/// Asks `directories`, root first, for the first of `names` that is a regular file.
///
/// Calls and round trips are told at
/// [`load_project_instructions_with`](crate::load_project_instructions_with).
pub(crate) async fn find_candidates(
    calls: &EnvironmentCalls<'_>,
    directories: &[PathUri],
    names: &[String],
    policy: DocumentErrorPolicy,
    window: Window,
) -> CandidateAnswers {
    let mut answers = CandidateAnswers::default();
    let mut to_ask = directories.iter();
    // Ordered, not unordered: an error further down that arrives first must not win.
    let mut asked = FuturesOrdered::new();
    loop {
        while asked.len() < window.get()
            && let Some(directory) = to_ask.next()
        {
            asked.push_back(ask_directory(calls, directory, names, policy));
        }
        let Some((answer, failure)) = asked.next().await else {
            return answers;
        };
        answers.directories.push(answer);
        if failure.is_some() {
            answers.failure = failure;
            return answers;
        }
    }
}

async fn ask_directory(
    calls: &EnvironmentCalls<'_>,
    directory: &PathUri,
    names: &[String],
    policy: DocumentErrorPolicy,
) -> (DirectoryAnswer, Option<InstructionsError>) {
    let mut answer = DirectoryAnswer::default();
    for name in names {
        let error = match ask_candidate(calls, directory, name).await {
            Ok(Candidate::Document(document)) => {
                answer.chosen = Some(document);
                break;
            }
            Ok(Candidate::NotAFile(path, kind)) => {
                let obstacle = Obstacle::NotAFile(kind);
                answer.passed_over.push(PassedOverName {
                    name: name.clone(),
                    path,
                    obstacle,
                });
                continue;
            }
            Ok(Candidate::Absent) => continue,
            Err(error) => error,
        };
        match policy {
            DocumentErrorPolicy::FailEnvironment => return (answer, Some(error)),
            DocumentErrorPolicy::KeepReadable => answer.passed_over.push(PassedOverName {
                name: name.clone(),
                obstacle: Obstacle::Failure(error.kind()),
                path: error.path,
            }),
        }
    }
    (answer, None)
}

/// What metadata says of one candidate.
enum Candidate {
    Document(ChosenDocument),
    NotAFile(PathUri, FileKind),
    Absent,
}

async fn ask_candidate(
    calls: &EnvironmentCalls<'_>,
    directory: &PathUri,
    name: &str,
) -> Result<Candidate, InstructionsError> {
    let id = calls.environment_id();
    let path = directory.join_descendant(name).map_err(|error| {
        let operation = InstructionsOperation::JoinCandidate;
        InstructionsError::new(operation, id, directory.clone(), error.into())
    })?;
    match calls.probe_candidate(&path).await {
        Ok(metadata) if metadata.is_file => Ok(Candidate::Document(ChosenDocument {
            path,
            size: metadata.size,
        })),
        Ok(metadata) => Ok(Candidate::NotAFile(path, metadata.kind)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Candidate::Absent),
        Err(error) => Err(InstructionsError::new(
            InstructionsOperation::CandidateProbe,
            id,
            path,
            error,
        )),
    }
}
