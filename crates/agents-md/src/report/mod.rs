//! The account of a load: for each environment why this root, one row per considered directory,
//! and the totals.
//!
//! Made from the answers of the load alone, without further I/O. Serialized with keys in
//! camelCase, states in snake_case and paths as URIs; `schemaVersion` changes when a reader of
//! version 1 would misread it.

mod build;
mod listing;
mod row;
mod states;

use codex_config::{MarkersSource, RootReason, ValueOrigin};
use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use serde::Serialize;

pub(crate) use listing::NamesBeside;
pub use row::{DirectoryRow, PassedOver, PassedOverReason};
pub use states::{DirectoryState, EnvironmentStatus};

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

/// Calls by purpose, counted as they were issued, speculative and dropped ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InstructionCalls {
    /// Metadata calls that looked for the project root.
    pub marker_probes: u64,
    /// Metadata calls that looked for documents.
    pub candidate_probes: u64,
    /// Reads of documents, whole or bounded.
    pub reads: u64,
    /// Listings of [`add_listings`](crate::add_listings).
    pub listings: u64,
}
