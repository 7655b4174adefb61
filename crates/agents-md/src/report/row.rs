//! One considered directory as a row of the report.
//!
//! In every row raw = kept + lost, except `blank`, where dropped bytes are not lost, and `error`,
//! where nothing is known to be lost or kept.

use std::io;

use codex_file_system::error::kind_name;
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use super::DirectoryState;

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
}

/// Why a name was passed over. Serialized as `not_a_file` or the name of the error kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PassedOverReason {
    /// It is a directory, a FIFO, a device, or a link to one.
    NotAFile,
    /// Asking for it failed.
    Failure(io::ErrorKind),
}

impl Serialize for PassedOverReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::NotAFile => "not_a_file",
            Self::Failure(kind) => kind_name(*kind),
        })
    }
}

impl DirectoryRow {
    /// A row in which nothing is known but the directory.
    pub(crate) fn new(directory: PathUri, state: DirectoryState, budget_left: u64) -> Self {
        Self {
            directory,
            document: None,
            state,
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
        }
    }
}
