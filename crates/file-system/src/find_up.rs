//! Upward searches: the nearest ancestor that contains a marker.
//!
//! Everything is lexical: ancestors are textual parents, links are followed by the filesystem
//! and never by the walk, and nothing is canonicalized. `probes` says what is asked, `search`
//! asks it and classifies the answers.

use std::io;

use codex_path_uri::{AbsolutePathBuf, PathUri};

use crate::{ExecutorFileSystem, FileSystemSandboxContext, Lookahead};

mod git;
mod options;
mod probes;
mod search;

pub use git::{find_git_root, find_native_git_root};
pub use options::{
    FindUpErrorPolicy, FindUpOptions, FindUpOutcome, FindUpStop, IgnoredProbe,
    MAX_CONCURRENT_PROBES, MarkerKind,
};

use probes::Probes;
use search::{search, search_with};

/// Searches `start` and its lexical ancestors, nearest first, for the first of `markers`.
///
/// Each ancestor is probed for each marker in list order: a nearer directory beats an earlier
/// marker. A marker is text joined to the ancestor as [`PathUri::join`] does it: `x/y` is a path
/// of two names, `.git/` is `.git`, `.` is the ancestor itself, and nothing is a pattern. A probe
/// succeeds when metadata of the [`MarkerKind`] asked for exists, links followed.
/// `NotFound` is absent; any other failure is treated as the [`FindUpErrorPolicy`] says. The
/// first deciding probe *in order* decides, and later answers are never looked at.
///
/// # Round trips
/// At most one call per (ancestor, marker), in an ordered window of W = the smaller of
/// [`window`](FindUpOptions::window) and [`MAX_CONCURRENT_PROBES`]; none if `markers` is empty;
/// no URI is asked twice. If the deciding probe is the k-th of N and all take equally long, that
/// is ⌈k/W⌉ round trips and min(N, W·⌈k/W⌉) probes. A filesystem that answers at once is asked
/// exactly k. A window of 1 is the serial algorithm.
///
/// # Errors
/// With [`Propagate`](FindUpErrorPolicy::Propagate), the first failure in search order, unless a
/// nearer probe succeeded; it carries the probe as a
/// [`FileSystemError`](crate::FileSystemError). `InvalidInput` under both policies, before any
/// call, if a marker holds a NUL or cannot be joined to `start`.
///
/// # Cancellation
/// Dropping the future starts no further probe; probes already sent may still run remotely. The
/// same goes for the probes in flight when the search is decided.
///
/// # Examples
/// ```
/// use codex_file_system::{FindUpErrorPolicy, FindUpOptions, find_up};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fs = MemoryFileSystem::from_tree(Flavor::Windows, "C:/src/repo/.git/\nC:/src/repo/a/b/")?;
/// let start = PathUri::parse("file:///C:/src/repo/a/b")?;
/// let options = FindUpOptions::new(FindUpErrorPolicy::Propagate);
/// let search = find_up(&fs, &start, [".git", ".hg"], &options, None);
/// let outcome = futures::executor::block_on(search)?;
///
/// assert_eq!(outcome.ancestor, Some(PathUri::parse("file:///C:/src/repo")?));
/// assert_eq!(outcome.marker, Some(PathUri::parse("file:///C:/src/repo/.git")?));
/// assert_eq!(outcome.probes_started, 5);
/// # Ok(())
/// # }
/// ```
pub async fn find_up(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &PathUri,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    options: &FindUpOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<FindUpOutcome> {
    let probes = Probes::new(start.clone(), markers, options.ceiling.clone())?;
    search(fs, probes, options, sandbox).await
}

/// [`find_up`] as part of a larger load: its probes share the window and the answers of that.
///
/// `probes_started` of the outcome counts the probes that were looked at; what was asked ahead stands in the
/// [plan](Lookahead::plan) of the load.
///
/// # Round trips
/// As [`find_up`], in the window of the load.
///
/// # Errors
/// As [`find_up`].
pub async fn find_up_with(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    start: &PathUri,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    options: &FindUpOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<FindUpOutcome> {
    let probes = Probes::new(start.clone(), markers, options.ceiling.clone())?;
    search_with(fs, probes, options, sandbox).await
}

/// [`find_up`] for a path of this host.
///
/// Ancestor and marker are joined as native paths and each complete probe is converted, so that
/// paths whose URI is opaque are searched like all others. The ancestor in the outcome is the
/// native lexical one.
///
/// # Round trips
/// As [`find_up`].
///
/// # Errors
/// As [`find_up`].
///
/// # Cancellation
/// As [`find_up`].
pub async fn find_up_native(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &AbsolutePathBuf,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    options: &FindUpOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<FindUpOutcome<AbsolutePathBuf>> {
    let probes = Probes::new(start.clone(), markers, options.ceiling.clone())?;
    search(fs, probes, options, sandbox).await
}

/// Finds the nearest ancestor of `start`, itself included, that contains one of `markers`.
///
/// This is [`find_up`] with its default options, for callers who need the ancestor only.
///
/// # Round trips
/// As [`find_up`], [`MAX_CONCURRENT_PROBES`] in flight.
///
/// # Errors
/// As [`find_up`].
///
/// # Cancellation
/// As [`find_up`].
///
/// # Examples
/// ```
/// use codex_file_system::{FindUpErrorPolicy, find_nearest_ancestor_with_markers};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/repo/.git/\n/srv/repo/src/")?;
/// let start = PathUri::parse("file:///srv/repo/src")?;
/// let policy = FindUpErrorPolicy::Propagate;
/// let search = find_nearest_ancestor_with_markers(&fs, &start, [".git"], policy, None);
/// let root = futures::executor::block_on(search)?;
///
/// assert_eq!(root, Some(PathUri::parse("file:///srv/repo")?));
/// # Ok(())
/// # }
/// ```
pub async fn find_nearest_ancestor_with_markers(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &PathUri,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    error_policy: FindUpErrorPolicy,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<Option<PathUri>> {
    let options = FindUpOptions::new(error_policy);
    Ok(find_up(fs, start, markers, &options, sandbox)
        .await?
        .ancestor)
}

/// [`find_nearest_ancestor_with_markers`] for a path of this host: see [`find_up_native`].
///
/// # Round trips
/// As [`find_up`], [`MAX_CONCURRENT_PROBES`] in flight.
///
/// # Errors
/// As [`find_up`].
///
/// # Cancellation
/// As [`find_up`].
pub async fn find_nearest_native_ancestor_with_markers(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &AbsolutePathBuf,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    error_policy: FindUpErrorPolicy,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<Option<AbsolutePathBuf>> {
    let options = FindUpOptions::new(error_policy);
    Ok(find_up_native(fs, start, markers, &options, sandbox)
        .await?
        .ancestor)
}
