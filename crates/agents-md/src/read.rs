//! The document of each directory: found and read in one step, then measured against the budget.
//!
//! A serial program. In each directory one name is read after the other, as far as the whole budget
//! reaches; the first that can be read is the document. Nothing is asked before a read. Only what
//! fails is asked for its metadata, which tells a document that cannot be read from something that
//! is none. So the outcome is that of asking first and reading then, at half the round trips.

use std::io;

use codex_file_system::error::is_broken_link;
use codex_file_system::{ExecutorFileSystem, FileKind, FilePrefix, Lookahead, ReadCall};
use codex_path_uri::PathUri;

use crate::decode::{decode, is_blank, wrapper_tag};
use crate::error::{InstructionsError, InstructionsOperation};
use crate::input::{DocumentErrorPolicy, TurnEnvironment};
use crate::report::{DirectoryRow, DirectoryState, Document, DocumentOutcome, PassedOverReason};

/// Expects the reads of every name in `directory`. Makes no call.
///
/// `names` are those that are asked for in each directory, and `max_bytes` is the whole budget, as
/// [`EnvironmentReport`](crate::EnvironmentReport) tells both.
pub fn expect_documents(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    directory: &PathUri,
    names: &[String],
    max_bytes: u64,
) {
    let paths = names
        .iter()
        .filter_map(|name| directory.join_descendant(name).ok());
    fs.expect_all(paths.map(|path| read_call(&path, max_bytes)));
}

/// As much of a document as tells whether it fits the whole budget.
fn read_call(path: &PathUri, max_bytes: u64) -> ReadCall {
    ReadCall::beginning(path, max_bytes.saturating_add(1))
}

/// Where the documents of one environment are looked for.
pub(crate) struct DocumentReader<'a, 'f, F: ExecutorFileSystem + ?Sized> {
    pub(crate) fs: &'a Lookahead<'f, F>,
    pub(crate) turn: &'a TurnEnvironment,
    pub(crate) names: &'a [String],
    pub(crate) max_bytes: u64,
    pub(crate) policy: DocumentErrorPolicy,
}

/// What one directory holds, before any document is held against the budget.
struct Candidate {
    row: DirectoryRow,
    /// The chosen document and what reading it gave.
    answer: Option<io::Result<FilePrefix>>,
}

impl<F: ExecutorFileSystem + ?Sized> DocumentReader<'_, '_, F> {
    /// The rows of `directories`, root first, and the failure that ended the search. Rows behind a
    /// failure are `not_reached`.
    pub(crate) async fn read(
        &self,
        directories: &[PathUri],
    ) -> (Vec<DirectoryRow>, Option<InstructionsError>) {
        // No farther ahead than can be in flight, so that a deep tree is no long queue.
        let ahead = self.fs.window();
        for directory in directories.iter().take(ahead) {
            expect_documents(self.fs, directory, self.names, self.max_bytes);
        }
        let mut candidates = Vec::with_capacity(directories.len());
        let mut failure = None;
        for (index, directory) in directories.iter().enumerate() {
            if let Some(next) = directories.get(index + ahead) {
                expect_documents(self.fs, next, self.names, self.max_bytes);
            }
            let mut row = DirectoryRow::new(directory.clone(), self.max_bytes);
            if failure.is_none() {
                match self.choose(&mut row).await {
                    Ok(answer) => {
                        candidates.push(Candidate { row, answer });
                        continue;
                    }
                    Err(error) => {
                        row.set_error(error.kind());
                        failure = Some(error);
                    }
                }
            }
            candidates.push(Candidate { row, answer: None });
        }
        let mut rows = Vec::with_capacity(candidates.len());
        let mut budget_left = self.max_bytes;
        for Candidate { mut row, answer } in candidates {
            if failure.is_none()
                && let Some(answer) = answer
            {
                failure = self
                    .apply_budget(&mut row, answer, &mut budget_left)
                    .await
                    .err();
            } else if let Some(answer) = answer {
                let size = self.size(&row, &answer).await;
                row.not_read(size);
            }
            row.budget_left = budget_left;
            rows.push(row);
        }
        if failure.is_some() {
            rows.iter_mut().for_each(|row| row.discard(self.max_bytes));
        }
        (rows, failure)
    }

    /// The first of the names that is a regular file, and what reading it gave.
    async fn choose(
        &self,
        row: &mut DirectoryRow,
    ) -> Result<Option<io::Result<FilePrefix>>, InstructionsError> {
        for (index, name) in self.names.iter().enumerate() {
            let path = match row.directory.join_descendant(name) {
                Ok(path) => path,
                Err(error) => {
                    let operation = InstructionsOperation::JoinCandidate;
                    self.pass_over(row, name, operation, row.directory.clone(), error.into())?;
                    continue;
                }
            };
            let limit = self.max_bytes.saturating_add(1);
            let answer = match self.fs.read_beginning(&path, limit).await {
                Ok(prefix) => Ok(prefix),
                Err(error) => match self.classify(&path, error).await {
                    Classified::Document(error) => Err(error),
                    Classified::Absent => continue,
                    Classified::PassedOver(reason) => {
                        row.pass_over(name, path, reason);
                        continue;
                    }
                    Classified::Failed(error) => {
                        let operation = InstructionsOperation::CandidateProbe;
                        self.pass_over(row, name, operation, path, error)?;
                        continue;
                    }
                },
            };
            for later in self.names.iter().skip(index + 1) {
                if let Ok(later) = row.directory.join_descendant(later) {
                    self.fs.forget(&read_call(&later, self.max_bytes));
                }
            }
            row.document = Some(path);
            row.state = DirectoryState::Discarded;
            return Ok(Some(answer));
        }
        row.state = DirectoryState::None;
        Ok(None)
    }

    /// Passes a name over that may be a document, or fails the environment for it.
    fn pass_over(
        &self,
        row: &mut DirectoryRow,
        name: &str,
        operation: InstructionsOperation,
        path: PathUri,
        error: io::Error,
    ) -> Result<(), InstructionsError> {
        match self.policy {
            DocumentErrorPolicy::FailEnvironment => {
                let id = &self.turn.environment_id;
                Err(InstructionsError::new(operation, id, path, error))
            }
            DocumentErrorPolicy::KeepReadable => {
                row.pass_over(name, path, PassedOverReason::Failure(error.kind()));
                Ok(())
            }
        }
    }

    /// What a failed read says of the name: whether it is there at all, and whether it is a file.
    async fn classify(&self, path: &PathUri, error: io::Error) -> Classified {
        match error.kind() {
            io::ErrorKind::NotFound if is_broken_link(&error) => {
                return Classified::PassedOver(PassedOverReason::BrokenLink);
            }
            io::ErrorKind::NotFound => return Classified::Absent,
            io::ErrorKind::IsADirectory => {
                return Classified::PassedOver(PassedOverReason::NotAFile(FileKind::Directory));
            }
            _ => {}
        }
        match self.fs.get_metadata(path, None).await {
            Ok(metadata) if metadata.is_file => Classified::Document(error),
            Ok(metadata) => Classified::PassedOver(PassedOverReason::NotAFile(metadata.kind)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Classified::Absent,
            Err(error) => Classified::Failed(error),
        }
    }

    /// Holds a document against what is left of the budget.
    async fn apply_budget(
        &self,
        row: &mut DirectoryRow,
        answer: io::Result<FilePrefix>,
        budget_left: &mut u64,
    ) -> Result<(), InstructionsError> {
        let Some(path) = row.document.clone() else {
            return Ok(());
        };
        let size = self.size(row, &answer).await;
        if *budget_left == 0 {
            row.over_budget(size);
            return Ok(());
        }
        let prefix = match answer {
            Ok(prefix) => prefix,
            Err(error) => {
                row.raw_bytes = size.unwrap_or(0);
                row.set_error(error.kind());
                return match self.policy {
                    DocumentErrorPolicy::FailEnvironment => {
                        let operation = InstructionsOperation::ReadDocument;
                        let id = &self.turn.environment_id;
                        Err(InstructionsError::new(operation, id, path, error))
                    }
                    DocumentErrorPolicy::KeepReadable => {
                        row.outcome = DocumentOutcome::Unreadable(error.kind());
                        Ok(())
                    }
                };
            }
        };
        // Where nothing tells the length, all that is known is that it is no less.
        let raw_bytes = size.unwrap_or(0).max(prefix.bytes.len() as u64);
        measure(row, prefix.bytes, raw_bytes, *budget_left);
        *budget_left -= row.kept_bytes;
        Ok(())
    }

    /// The length of the document of `row`: as its read tells, else its metadata.
    async fn size(&self, row: &DirectoryRow, answer: &io::Result<FilePrefix>) -> Option<u64> {
        match answer {
            Ok(prefix) if prefix.is_complete => Some(prefix.bytes.len() as u64),
            Ok(FilePrefix {
                size: Some(size), ..
            }) => Some(*size),
            _ => {
                self.fs
                    .get_metadata(row.document.as_ref()?, None)
                    .await
                    .ok()?
                    .size
            }
        }
    }
}

/// What a read that failed says of a name.
enum Classified {
    /// It is a document that cannot be read.
    Document(io::Error),
    Absent,
    PassedOver(PassedOverReason),
    /// It may be one.
    Failed(io::Error),
}

/// Cuts a document to what is left, decodes it, and writes down what is kept and lost.
fn measure(row: &mut DirectoryRow, mut bytes: Vec<u8>, raw_bytes: u64, budget_left: u64) {
    bytes.truncate(usize::try_from(budget_left).unwrap_or(usize::MAX));
    let kept_bytes = bytes.len() as u64;
    let is_cut = kept_bytes < raw_bytes;
    let decoded = decode(bytes);
    row.raw_bytes = raw_bytes;
    if is_blank(&decoded.text) {
        row.lost_bytes = if is_cut { raw_bytes } else { 0 };
        row.finish(DirectoryState::Blank, DocumentOutcome::Blank { is_cut });
        return;
    }
    row.kept_bytes = kept_bytes;
    row.lost_bytes = raw_bytes - kept_bytes;
    row.splits_character = is_cut && decoded.ends_inside_character;
    row.replacement_characters = decoded.replacement_characters - u64::from(row.splits_character);
    let state = match is_cut {
        true => DirectoryState::Cut,
        false => DirectoryState::Loaded,
    };
    row.finish(
        state,
        DocumentOutcome::Kept(Document {
            wrapper_tag: wrapper_tag(&decoded.text),
            encoding: decoded.encoding,
            text: decoded.text,
            kept_bytes,
            lost_bytes: row.lost_bytes,
            budget_before: budget_left,
            splits_character: row.splits_character,
            replacement_characters: row.replacement_characters,
        }),
    );
}
