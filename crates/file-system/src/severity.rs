//! What every crate's diagnostics share: the severity and the place in a file.
//!
//! They order, filter and locate diagnostics. They never decide what a loader does.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much a diagnostic matters, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; nothing was lost.
    Info,
    /// Something was skipped, cut or replaced.
    Warning,
    /// Something that was asked for is missing from the result.
    Error,
}

/// A place in a text file, both numbers counted from 1. Displayed as `LINE:COLUMN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextPosition {
    /// The line; lines end with LF.
    pub line: u32,
    /// The column, in Unicode scalar values.
    pub column: u32,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
