//! Bounded walks downward.
use std::io;
use codex_path_uri::PathUri;
use crate::{ExecutorFileSystem, FileKind, FileSystemSandboxContext};

/// Deepest `max_depth` a walk accepts.
pub const MAX_WALK_DEPTH: usize = 64;
/// Largest `max_directories` a walk accepts.
pub const MAX_WALK_DIRECTORIES: usize = 10_000;
/// Largest `max_entries` a walk accepts.
pub const MAX_WALK_ENTRIES: usize = 50_000;

/// Options of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub struct WalkOptions { pub max_depth: usize, pub max_directories: usize, pub max_entries: usize, pub follow_directory_symlinks: bool, pub prune_hidden_directories: bool }
impl WalkOptions {
    /// Links followed, hidden directories kept.
    pub fn new(max_depth: usize, max_directories: usize, max_entries: usize) -> Self { Self { max_depth, max_directories, max_entries, follow_directory_symlinks: true, prune_hidden_directories: false } }
    /// Sets whether links to directories are followed.
    pub fn with_follow_directory_symlinks(mut self, follow: bool) -> Self { self.follow_directory_symlinks = follow; self }
    /// Sets whether hidden directories are left out.
    pub fn with_prune_hidden_directories(mut self, prune: bool) -> Self { self.prune_hidden_directories = prune; self }
}
/// Result of a walk.
#[derive(Debug, Default)]
#[allow(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub struct Walk { pub entries: Vec<WalkEntry>, pub errors: Vec<WalkError>, pub truncated: bool }
/// One walked entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub struct WalkEntry { pub path: PathUri, pub kind: FileKind }
/// One directory that could not be read.
#[derive(Debug)]
#[allow(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub struct WalkError { pub path: PathUri, pub error: io::Error }

#[allow(clippy::todo, unused_variables, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub(crate) async fn walk_by_listing<F: ExecutorFileSystem + ?Sized>(fs: &F, root: &PathUri, options: &WalkOptions, sandbox: Option<&FileSystemSandboxContext>) -> io::Result<Walk> { todo!() }
