//! The account of a load: for each environment why this root, one row per considered directory,
//! and the totals.
//!
//! The rows are the only record. The text a model is given, the diagnostics and the serialized form
//! are views of them. Serialized with keys in camelCase, states in snake_case and paths as URIs;
//! `schemaVersion` changes when a reader of version 1 would misread it.
//!
//! In every row raw = kept + lost, except `blank`, where dropped bytes are not lost, and `error`,
//! where nothing is known to be lost or kept.

use std::io;

use codex_config::{MarkersSource, RootReason, ValueOrigin};
use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, FileKind, TextPosition};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use crate::decode::ForeignEncoding;
use crate::diagnostic::{InstructionDiagnosticKind, oddities};

/// The version of the serialized form.
pub const REPORT_SCHEMA_VERSION: u32 = 1;

/// What was loaded, cut, skipped or lost, and what it cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InstructionsReport {
    /// [`REPORT_SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The user-level text, if there is one.
    pub user: Option<UserRow>,
    /// The environments in input order.
    pub environments: Vec<EnvironmentReport>,
}

/// The user-level text. It is outside every budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserRow {
    /// The file it comes from, on the host.
    pub source: PathUri,
    /// Length of the trimmed text in bytes.
    pub bytes: u64,
}

/// The account of one environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EnvironmentReport {
    /// The environment.
    pub environment_id: EnvironmentId,
    /// Its working directory.
    pub cwd: PathUri,
    /// What became of its documents.
    pub status: EnvironmentStatus,
    /// The project root; `None` when there is none, or none was searched for.
    pub root: Option<PathUri>,
    /// Why this root, or why none; `None` when no search came to an end.
    pub root_reason: Option<RootReason>,
    /// The markers in use.
    pub markers: Vec<String>,
    /// Where they come from.
    pub markers_source: MarkersSource,
    /// The budget in bytes.
    pub max_bytes: u64,
    /// Where it comes from.
    pub max_bytes_origin: ValueOrigin,
    /// The names asked for in each directory, in order.
    pub names: Vec<String>,
    /// Where the names behind the fixed ones come from.
    pub fallback_names_origin: ValueOrigin,
    /// Every considered directory, root first. Empty when the environment was not searched or
    /// has no root to begin at because the search for it failed.
    pub directories: Vec<DirectoryRow>,
    /// Sum of the rows.
    pub raw_bytes: u64,
    /// Sum of the rows.
    pub kept_bytes: u64,
    /// Sum of the rows.
    pub lost_bytes: u64,
    /// What is left of the budget; all of it in an environment that failed.
    pub budget_left: u64,
    /// The calls that were made.
    pub calls: InstructionCalls,
}

impl EnvironmentReport {
    /// Adds the rows and what follows from them.
    pub(crate) fn set_rows(&mut self, rows: Vec<DirectoryRow>) {
        let sum = |bytes: fn(&DirectoryRow) -> u64| rows.iter().map(bytes).sum();
        self.raw_bytes = sum(|row| row.raw_bytes);
        self.kept_bytes = sum(|row| row.kept_bytes);
        self.lost_bytes = sum(|row| row.lost_bytes);
        self.budget_left = rows.last().map_or(self.max_bytes, |row| row.budget_left);
        if rows.iter().any(|row| row.text().is_some()) {
            self.status = EnvironmentStatus::Loaded;
        }
        self.directories = rows;
    }

    /// The documents that a failure of the environment lost, root first.
    pub(crate) fn discarded(&self) -> impl Iterator<Item = &PathUri> {
        let rows = self.directories.iter();
        rows.filter(|row| row.state == DirectoryState::Discarded)
            .filter_map(|row| row.document.as_ref())
    }
}

/// What became of the documents of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EnvironmentStatus {
    /// At least one is part of the instructions.
    Loaded,
    /// It was searched, and nothing is part of the instructions.
    NoDocuments,
    /// The host withholds them.
    Withheld,
    /// The limit of 0 bytes switches them off.
    Disabled,
    /// A failure lost all of them.
    Failed,
}

/// Calls by purpose, counted as they were issued, those asked ahead in vain included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InstructionCalls {
    /// Metadata calls that looked for the project root; of a search that the host made, those
    /// whose answers were looked at.
    pub marker_probes: u64,
    /// Metadata calls about documents that could not be read.
    pub candidate_probes: u64,
    /// Reads of documents.
    pub reads: u64,
    /// Listings of [`add_listings`](crate::add_listings).
    pub listings: u64,
}

/// One considered directory and what became of its document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DirectoryRow {
    /// The directory.
    pub directory: PathUri,
    /// The chosen document.
    pub document: Option<PathUri>,
    /// What became of it.
    pub state: DirectoryState,
    /// Length of the document in bytes; 0 where the filesystem does not say.
    pub raw_bytes: u64,
    /// Bytes that are part of the instructions.
    pub kept_bytes: u64,
    /// Bytes that are lost.
    pub lost_bytes: u64,
    /// What is left of the budget after this row.
    pub budget_left: u64,
    /// U+FFFD that stand for invalid bytes, without one that the cut makes.
    pub replacement_characters: u64,
    /// Whether the cut falls inside a character.
    pub splits_character: bool,
    /// Names that are there, or may be, but were passed over.
    pub passed_over: Vec<PassedOver>,
    /// With the state `error`: the kind of the failure.
    pub error: Option<String>,
    /// Later candidate names that are files beside the document; `None` until
    /// [`add_listings`](crate::add_listings) has listed the directory.
    pub shadowed: Option<Vec<String>>,
    /// Entries that differ from a candidate name in ASCII case only; `None` likewise.
    pub case_variants: Option<Vec<String>>,
    /// Files of other programs' names for instructions, where there is no document; from the
    /// listing too.
    #[serde(skip)]
    pub(crate) foreign: Vec<String>,
    /// What became of the document, whatever became of its environment.
    #[serde(skip)]
    pub(crate) outcome: DocumentOutcome,
}

/// What became of the document of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DirectoryState {
    /// No candidate is a file.
    None,
    /// The document is kept whole.
    Loaded,
    /// The document is kept in part.
    Cut,
    /// The document, or the part of it that fits, is blank and dropped.
    Blank,
    /// The budget was spent before; nothing of the document is used.
    OverBudget,
    /// Asking for the document or reading it failed.
    Error,
    /// The document was found, and is lost because the environment failed.
    Discarded,
    /// The directory lies behind the failure.
    NotReached,
}

/// A name that was passed over. Names that do not exist are not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PassedOver {
    /// The name.
    pub name: String,
    /// Why.
    pub reason: PassedOverReason,
    /// The candidate; the directory where no candidate path can be formed.
    #[serde(skip)]
    pub(crate) path: PathUri,
}

/// Why a name was passed over. Serialized as `not_a_file`, `broken_link` or the name of the error
/// kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PassedOverReason {
    /// It is a directory, a FIFO, a device, or a link to one.
    NotAFile(FileKind),
    /// It is a link that leads to nothing.
    BrokenLink,
    /// Asking for it failed.
    Failure(io::ErrorKind),
}

impl Serialize for PassedOverReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::NotAFile(_) => "not_a_file",
            Self::BrokenLink => "broken_link",
            Self::Failure(kind) => kind_name(*kind),
        })
    }
}

/// What reading and measuring a document came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DocumentOutcome {
    /// There is none, or it was not looked at.
    #[default]
    None,
    Kept(Document),
    Blank {
        /// Whether only a part was looked at, because only that part fits.
        is_cut: bool,
    },
    Unreadable(io::ErrorKind),
    OverBudget {
        size: Option<u64>,
    },
}

/// A document that is part of the instructions, whole or cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) text: String,
    pub(crate) kept_bytes: u64,
    pub(crate) lost_bytes: u64,
    pub(crate) budget_before: u64,
    pub(crate) splits_character: bool,
    pub(crate) replacement_characters: u64,
    pub(crate) wrapper_tag: Option<TextPosition>,
    pub(crate) encoding: Option<ForeignEncoding>,
}

impl Document {
    /// What is odd about the text.
    pub(crate) fn oddities(&self) -> Vec<InstructionDiagnosticKind> {
        oddities(self.replacement_characters, self.encoding, self.wrapper_tag)
    }
}

impl DirectoryRow {
    /// A row in which nothing is known but the directory.
    pub(crate) fn new(directory: PathUri, budget_left: u64) -> Self {
        Self {
            directory,
            document: None,
            state: DirectoryState::NotReached,
            raw_bytes: 0,
            kept_bytes: 0,
            lost_bytes: 0,
            budget_left,
            replacement_characters: 0,
            splits_character: false,
            passed_over: Vec::new(),
            error: None,
            shadowed: None,
            case_variants: None,
            foreign: Vec::new(),
            outcome: DocumentOutcome::None,
        }
    }

    /// The text that the directory contributes.
    pub fn text(&self) -> Option<&str> {
        match (self.state, &self.outcome) {
            (DirectoryState::Loaded | DirectoryState::Cut, DocumentOutcome::Kept(document)) => {
                Some(&document.text)
            }
            _ => None,
        }
    }

    pub(crate) fn pass_over(&mut self, name: &str, path: PathUri, reason: PassedOverReason) {
        let name = name.to_owned();
        self.passed_over.push(PassedOver { name, reason, path });
    }

    pub(crate) fn finish(&mut self, state: DirectoryState, outcome: DocumentOutcome) {
        self.state = state;
        self.outcome = outcome;
    }

    pub(crate) fn set_error(&mut self, kind: io::ErrorKind) {
        self.state = DirectoryState::Error;
        self.error = Some(kind_name(kind).to_owned());
    }

    pub(crate) fn over_budget(&mut self, size: Option<u64>) {
        self.not_read(size);
        self.finish(
            DirectoryState::OverBudget,
            DocumentOutcome::OverBudget { size },
        );
    }

    /// A document of which nothing is used.
    pub(crate) fn not_read(&mut self, size: Option<u64>) {
        self.raw_bytes = size.unwrap_or(0);
        self.lost_bytes = self.raw_bytes;
    }

    /// What the row says once its environment has failed: nothing is kept, nothing is spent.
    pub(crate) fn discard(&mut self, max_bytes: u64) {
        if matches!(self.state, DirectoryState::Loaded | DirectoryState::Cut) {
            self.state = DirectoryState::Discarded;
            self.kept_bytes = 0;
            self.lost_bytes = self.raw_bytes;
            self.replacement_characters = 0;
            self.splits_character = false;
        }
        self.budget_left = max_bytes;
    }
}
