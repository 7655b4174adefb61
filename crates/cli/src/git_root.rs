//! The Git root of a directory, without asking again what the project-root search has asked.
//!
//! The search knows the Git root when its only marker is `.git`. With further markers its answer
//! still tells where no `.git` is, so looking goes on from there.

use std::io;

use codex_config::{ProjectRootSearch, RootReason};
use codex_file_system::{
    ExecutorFileSystem, FindUpErrorPolicy, find_nearest_ancestor_with_markers,
};
use codex_path_uri::PathUri;
use tracing::{Instrument as _, debug_span};

const GIT_MARKER: &str = ".git";

/// The nearest ancestor of `cwd`, itself included, that holds `.git`.
///
/// # Round trips
/// None where `search` already tells; else those of a search that starts where it does not.
///
/// # Errors
/// With `Propagate`, the first failure on the way, unless a nearer `.git` was found.
pub(crate) async fn git_root(
    filesystem: &dyn ExecutorFileSystem,
    cwd: &PathUri,
    search: Option<&ProjectRootSearch>,
    policy: FindUpErrorPolicy,
) -> io::Result<Option<PathUri>> {
    match search.map_or_else(|| Known::UpTo(cwd.clone()), |search| known(search, cwd)) {
        Known::Wholly(git_root) => Ok(git_root),
        Known::UpTo(start) => {
            let markers = [GIT_MARKER];
            let search =
                find_nearest_ancestor_with_markers(filesystem, &start, markers, policy, None);
            search.instrument(debug_span!("git_root_search")).await
        }
    }
}

/// What a project-root search tells of the Git root.
#[derive(Debug, PartialEq, Eq)]
enum Known {
    /// Everything.
    Wholly(Option<PathUri>),
    /// That no directory below this one is it.
    UpTo(PathUri),
}

fn known(search: &ProjectRootSearch, cwd: &PathUri) -> Known {
    if let Some(git_root) = search.git_root() {
        return Known::Wholly(git_root);
    }
    let markers = &search.markers.markers;
    let Some(git) = markers.iter().position(|marker| marker == GIT_MARKER) else {
        return Known::UpTo(cwd.clone());
    };
    match (&search.reason, &search.root) {
        (RootReason::Marker { marker, .. }, Some(root)) => {
            let decided = markers.iter().position(|other| other == marker);
            if decided == Some(git) {
                Known::Wholly(Some(root.clone()))
            } else if decided < Some(git) {
                Known::UpTo(root.clone())
            } else {
                root.parent().map_or(Known::Wholly(None), Known::UpTo)
            }
        }
        _ => Known::Wholly(None),
    }
}
