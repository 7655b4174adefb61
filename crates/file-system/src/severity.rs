//! The one severity type of every crate's diagnostics.
//!
//! It orders and filters findings. It never decides what a loader does.

use serde::{Deserialize, Serialize};

/// How much a finding matters, least first.
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
