//! The words for what became of an environment and of a directory.

use serde::Serialize;

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
    /// The budget was spent before; the document was never opened.
    OverBudget,
    /// The document was gone when it was to be read.
    Vanished,
    /// Asking for the document or reading it failed.
    Error,
    /// The document was chosen or read, and is lost because the environment failed.
    Discarded,
    /// The directory lies behind the failure.
    NotReached,
}
