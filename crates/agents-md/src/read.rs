//! Reading the chosen documents, root first, within the budget.
//!
//! Reads form an ordered window. One is issued only while its document can still fit beside those
//! in flight (`budget.rs`), and a document that cannot fit whole is read only as far as it fits,
//! so a huge one never crosses the wire. No metadata call is made here, and nothing is read twice.

use std::io;

use codex_file_system::{FilePrefix, Window};
use futures::stream::{FuturesOrdered, StreamExt};

use crate::budget::{Budget, Reservation};
use crate::calls::EnvironmentCalls;
use crate::candidates::ChosenDocument;
use crate::document::{Judgement, judge};
use crate::error::{InstructionsError, InstructionsOperation};
use crate::options::DocumentErrorPolicy;

/// What became of one chosen document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DocumentAnswer {
    Judged(Judgement),
    /// Gone since its metadata was asked for.
    Vanished,
    Unreadable(io::ErrorKind),
    /// The budget was spent before; never opened.
    OverBudget,
}

/// The answers of the documents, root first, up to the first failure.
#[derive(Debug, Default)]
pub(crate) struct DocumentAnswers {
    pub(crate) documents: Vec<DocumentAnswer>,
    /// With this, the document behind the last of `documents` is the one that failed.
    pub(crate) failure: Option<InstructionsError>,
}

/// What one read gave.
struct ReadBytes {
    /// The beginning of the document, as far as it could be needed.
    bytes: Vec<u8>,
    /// Whether that is all of it.
    is_complete: bool,
    /// Its length, where the read tells.
    size: Option<u64>,
}

/// Reads `documents` as the serial algorithm would, with up to `window` reads in flight.
pub(crate) async fn read_documents(
    calls: &EnvironmentCalls<'_>,
    documents: &[&ChosenDocument],
    max_bytes: u64,
    policy: DocumentErrorPolicy,
    window: Window,
) -> DocumentAnswers {
    let mut budget = Budget::new(max_bytes);
    let mut answers = DocumentAnswers::default();
    let mut to_issue = documents.iter();
    let mut outstanding = FuturesOrdered::new();
    while budget.remaining() > 0 {
        while outstanding.len() < window.get() && budget.admits_another() {
            let Some(document) = to_issue.next() else {
                break;
            };
            let reservation = budget.reserve(document.size);
            outstanding.push_back(read_reserved(
                calls,
                document,
                budget.remaining(),
                reservation,
            ));
        }
        // Ordered, not unordered: what a document may use depends on those before it.
        let Some((document, reservation, read)) = outstanding.next().await else {
            break;
        };
        budget.release(reservation);
        match judge_read(document, read, &mut budget, policy) {
            Ok(answer) => answers.documents.push(answer),
            Err(error) => {
                let operation = InstructionsOperation::ReadDocument;
                let (id, path) = (calls.environment_id(), document.path.clone());
                answers.failure = Some(InstructionsError::new(operation, id, path, error));
                return answers;
            }
        }
    }
    // Answers still outstanding are dropped unread, errors included: a spent budget admits none.
    answers
        .documents
        .resize(documents.len(), DocumentAnswer::OverBudget);
    answers
}

async fn read_reserved<'a>(
    calls: &EnvironmentCalls<'_>,
    document: &'a ChosenDocument,
    remaining: u64,
    reservation: Reservation,
) -> (&'a ChosenDocument, Reservation, io::Result<ReadBytes>) {
    (
        document,
        reservation,
        read_document(calls, document, remaining).await,
    )
}

async fn read_document(
    calls: &EnvironmentCalls<'_>,
    document: &ChosenDocument,
    remaining: u64,
) -> io::Result<ReadBytes> {
    let ChosenDocument { path, size } = document;
    if size.is_some_and(|size| size <= remaining) {
        let bytes = calls.read(path).await?;
        return Ok(ReadBytes {
            bytes,
            is_complete: true,
            size: None,
        });
    }
    let FilePrefix {
        bytes,
        is_complete,
        size,
        ..
    } = calls.read_prefix(path, remaining, *size).await?;
    Ok(ReadBytes {
        bytes,
        is_complete,
        size,
    })
}

impl ReadBytes {
    /// The length of the whole document, given the size in its metadata and what remains of the
    /// budget when it is judged.
    ///
    /// Of a document that does not fit the metadata decides, whether or not the read has seen
    /// more: a read may have been issued when more remained, and the result must not tell.
    fn raw_bytes(&self, metadata_size: Option<u64>, remaining: u64) -> u64 {
        let read_bytes = self.bytes.len() as u64;
        match metadata_size {
            _ if self.is_complete && read_bytes <= remaining => read_bytes,
            Some(size) if size > remaining => size,
            _ if self.is_complete => read_bytes,
            // Where nothing tells the length, all that is known is that there is more.
            _ => self.size.unwrap_or(0).max(read_bytes.saturating_add(1)),
        }
    }
}

/// Judges one answer and takes its cost off the budget; an error fails the environment.
fn judge_read(
    document: &ChosenDocument,
    read: io::Result<ReadBytes>,
    budget: &mut Budget,
    policy: DocumentErrorPolicy,
) -> io::Result<DocumentAnswer> {
    match (read, policy) {
        (Ok(read), _) => {
            let remaining = budget.remaining();
            let raw_bytes = read.raw_bytes(document.size, remaining);
            let judgement = judge(read.bytes, raw_bytes, remaining);
            if let Judgement::Kept(document) = &judgement {
                budget.spend(document.kept_bytes);
            }
            Ok(DocumentAnswer::Judged(judgement))
        }
        (Err(error), _) if error.kind() == io::ErrorKind::NotFound => Ok(DocumentAnswer::Vanished),
        (Err(error), DocumentErrorPolicy::KeepReadable) => {
            Ok(DocumentAnswer::Unreadable(error.kind()))
        }
        (Err(error), DocumentErrorPolicy::FailEnvironment) => Err(error),
    }
}
