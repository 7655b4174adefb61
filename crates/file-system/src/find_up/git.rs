//! The Git root: the nearest ancestor with a `.git` of any kind.
//!
//! A directory, a file that points elsewhere, an empty one: each is a root. What is inside is
//! not looked at.

use codex_path_uri::{AbsolutePathBuf, PathUri};

use super::{
    FindUpErrorPolicy, find_nearest_ancestor_with_markers,
    find_nearest_native_ancestor_with_markers,
};
use crate::{ExecutorFileSystem, FileSystemSandboxContext};

const GIT_MARKERS: [&str; 1] = [".git"];

/// Finds the nearest ancestor of `start`, itself included, that contains `.git`.
///
/// A probe that fails counts as absent, so an unreadable ancestor hides nothing above it. The
/// walk is lexical: symlinks in `start` are not resolved.
///
/// # Round trips
/// As [`find_up`](crate::find_up), with one marker: one call per ancestor at most, 8 in flight.
///
/// # Cancellation
/// Dropping the future starts no further probe; probes already sent may still run remotely.
pub async fn find_git_root(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &PathUri,
    sandbox: Option<&FileSystemSandboxContext>,
) -> Option<PathUri> {
    let policy = FindUpErrorPolicy::Ignore;
    let found = find_nearest_ancestor_with_markers(fs, start, GIT_MARKERS, policy, sandbox).await;
    found.ok().flatten()
}

/// [`find_git_root`] for a path of this host: the answer is a native path too.
///
/// # Round trips
/// As [`find_git_root`].
///
/// # Cancellation
/// As [`find_git_root`].
pub async fn find_native_git_root(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &AbsolutePathBuf,
    sandbox: Option<&FileSystemSandboxContext>,
) -> Option<AbsolutePathBuf> {
    let policy = FindUpErrorPolicy::Ignore;
    let found =
        find_nearest_native_ancestor_with_markers(fs, start, GIT_MARKERS, policy, sandbox).await;
    found.ok().flatten()
}
