//! The one project-root search of a load, and what others need of it.
//!
//! The walk itself is that of `codex-file-system`; this adds which marker decided and which
//! probes failed, so that a report can say why a directory is the root. Nothing is searched
//! twice: directories and Git root are derived from the result.

use std::io;

use codex_file_system::error::is_broken_link;
use codex_file_system::{
    ExecutorFileSystem, FindUpErrorPolicy, FindUpOptions, FindUpOutcome, IgnoredProbe, Lookahead,
    ReadCall, Window, find_up_with,
};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};
use tracing::Instrument;

use crate::{ConfigDiagnostic, UsableMarkers, default_project_root_markers};

/// The result of [`find_project_root`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectRootSearch {
    /// The nearest directory, from the working directory upward, that holds a marker.
    pub root: Option<PathUri>,
    /// Why this root, or why none.
    pub reason: RootReason,
    /// The markers searched for.
    pub markers: UsableMarkers,
    /// Probes that failed before the accepted one, with [`FindUpErrorPolicy::Ignore`]; and with
    /// either policy, as `NotFound`, markers that are links to nothing.
    pub failed_probes: Vec<FailedProbe>,
}

impl ProjectRootSearch {
    /// The directories from the root to `cwd`, both included; `cwd` alone without a root.
    pub fn directories(&self, cwd: &PathUri) -> Vec<PathUri> {
        let Some(root) = self.root.as_ref().filter(|root| cwd.starts_with(root)) else {
            return vec![cwd.clone()];
        };
        let mut directories: Vec<_> = cwd
            .ancestors()
            .take_while(|directory| directory.starts_with(root))
            .collect();
        directories.reverse();
        directories
    }

    /// The Git root where this search already knows it: `Some(None)` when there is none, `None`
    /// when the host has to ask [`find_git_root`](codex_file_system::find_git_root).
    pub fn git_root(&self) -> Option<Option<PathUri>> {
        let asked_for_git_alone = self.markers.markers == default_project_root_markers();
        let mut probes = self.failed_probes.iter();
        let is_certain = probes.all(FailedProbe::is_broken_link);
        (asked_for_git_alone && is_certain).then(|| self.root.clone())
    }

    /// What is wrong with the configured markers, and which ones are links to nothing.
    pub fn diagnostics(&self) -> Vec<ConfigDiagnostic> {
        let mut diagnostics = self.markers.diagnostics();
        let probes = self.failed_probes.iter();
        let broken = probes.filter(|probe| probe.is_broken_link());
        diagnostics.extend(broken.map(|probe| ConfigDiagnostic::BrokenMarkerLink {
            path: probe.path.clone(),
        }));
        diagnostics
    }
}

/// Why a search ended as it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum RootReason {
    /// A marker exists.
    Marker {
        /// The marker, as in [`UsableMarkers::markers`].
        marker: String,
        /// The number of the probe that found it, from 1.
        probe: usize,
    },
    /// No ancestor holds a marker.
    NoMarkerFound,
    /// The list of markers is empty.
    TraversalDisabled,
}

/// A probe that was taken for an absent marker although something is there, or may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedProbe {
    /// The path asked for.
    pub path: PathUri,
    /// The kind of the failure.
    #[serde(serialize_with = "serialize_kind")]
    pub kind: io::ErrorKind,
}

impl FailedProbe {
    /// Whether the marker is a link that leads to nothing, as opposed to one that may exist.
    pub fn is_broken_link(&self) -> bool {
        self.kind == io::ErrorKind::NotFound
    }
}

fn serialize_kind<S: Serializer>(kind: &io::ErrorKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(codex_file_system::error::kind_name(*kind))
}

/// Searches for the project root of `cwd`: the nearest ancestor, `cwd` included, in which one of
/// the markers exists, whatever its kind.
///
/// The walk is lexical: symlinks in `cwd` are not resolved, and `cwd` need not exist. Done once
/// per load; the host passes the result on to everything that needs the root.
///
/// # Round trips
/// Those of [`find_up`](codex_file_system::find_up) with 8 in flight: with A ancestors, M markers and the hit at probe k,
/// min(A·M, 8·ceil(k/8)) calls under equal latencies and ceil(k/8) round trips; A·M and
/// ceil(A·M/8) when nothing is found; none without markers.
///
/// # Errors
/// With [`FindUpErrorPolicy::Propagate`], the first failure in search order that is not
/// `NotFound`, unless a nearer root was found. With `Ignore`, only what makes every probe
/// impossible.
///
/// # Cancellation
/// Dropping the future starts no further probe; probes already sent may still run remotely.
///
/// # Examples
///
/// ```
/// use codex_config::{RootReason, ValueOrigin, find_project_root, usable_markers};
/// use codex_file_system::FindUpErrorPolicy;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::{PathConvention, PathUri};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/repo/.git/\n/repo/core/")?;
/// let cwd = PathUri::parse("file:///repo/core")?;
/// let markers = usable_markers(None, ValueOrigin::Default, PathConvention::Posix);
/// let search = find_project_root(&fs, &cwd, markers, FindUpErrorPolicy::Propagate).await?;
/// assert_eq!(search.reason, RootReason::Marker { marker: ".git".to_owned(), probe: 2 });
/// assert_eq!(search.directories(&cwd), [PathUri::parse("file:///repo")?, cwd]);
/// # Ok(())
/// # }
/// ```
pub async fn find_project_root(
    fs: &dyn ExecutorFileSystem,
    cwd: &PathUri,
    markers: UsableMarkers,
    policy: FindUpErrorPolicy,
) -> io::Result<ProjectRootSearch> {
    let span = tracing::debug_span!("project_root_search", %cwd, markers = markers.markers.len());
    let lookahead = Lookahead::new(fs, WINDOW);
    let search = find_project_root_with(&lookahead, cwd, markers, policy);
    lookahead.drive(search).instrument(span).await
}

/// [`find_project_root`] as part of a larger load: its probes share the window and the answers of
/// that.
///
/// # Round trips
/// As [`find_project_root`], in the window of the load.
///
/// # Errors
/// As [`find_project_root`].
pub async fn find_project_root_with(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    cwd: &PathUri,
    markers: UsableMarkers,
    policy: FindUpErrorPolicy,
) -> io::Result<ProjectRootSearch> {
    let options = FindUpOptions::new(policy).with_window(WINDOW);
    let outcome = find_up_with(fs, cwd, &markers.markers, &options, None).await?;
    let reason = reason_of(&outcome, &markers.markers);
    let mut failed_probes = broken_links(fs, cwd, &markers, outcome.marker.as_ref()).await;
    let ignored = outcome.ignored_errors.into_iter();
    failed_probes.extend(ignored.map(|IgnoredProbe { path, error }| FailedProbe {
        path,
        kind: error.kind(),
    }));
    Ok(ProjectRootSearch {
        root: outcome.ancestor,
        reason,
        markers,
        failed_probes,
    })
}

/// Expects the first probes of [`find_project_root_with`]. Makes no call.
pub fn expect_project_root(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    cwd: &PathUri,
    markers: &UsableMarkers,
) {
    let probes = probes(cwd, markers).take(WINDOW.get());
    fs.expect_all(probes.map(|probe| ReadCall::metadata(&probe)));
}

/// How many probes are in flight: as many as [`find_up`](codex_file_system::find_up) keeps.
const WINDOW: Window = match Window::new(8) {
    Some(window) => window,
    None => Window::SERIAL,
};

/// The paths that a search asks for, in its order.
fn probes(cwd: &PathUri, markers: &UsableMarkers) -> impl Iterator<Item = PathUri> {
    cwd.ancestors().flat_map(|ancestor| {
        let markers = markers.markers.iter();
        markers.filter_map(move |marker| ancestor.join(marker).ok())
    })
}

/// The markers before the accepted one that are links to nothing. Asks only what the search has
/// asked already.
async fn broken_links(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    cwd: &PathUri,
    markers: &UsableMarkers,
    accepted: Option<&PathUri>,
) -> Vec<FailedProbe> {
    let mut broken = Vec::new();
    for path in probes(cwd, markers).take_while(|probe| Some(probe) != accepted) {
        if let Err(error) = fs.get_metadata(&path, None).await
            && is_broken_link(&error)
        {
            let kind = io::ErrorKind::NotFound;
            broken.push(FailedProbe { path, kind });
        }
    }
    broken
}

fn reason_of(outcome: &FindUpOutcome, markers: &[String]) -> RootReason {
    match (&outcome.ancestor, &outcome.marker) {
        (Some(ancestor), Some(found)) => RootReason::Marker {
            marker: marker_of(ancestor, found, markers),
            probe: outcome.probes_consumed,
        },
        _ if markers.is_empty() => RootReason::TraversalDisabled,
        _ => RootReason::NoMarkerFound,
    }
}

/// The marker whose probe in `ancestor` is `found`.
fn marker_of(ancestor: &PathUri, found: &PathUri, markers: &[String]) -> String {
    let names_it = |marker: &&String| ancestor.join(marker).is_ok_and(|probe| probe == *found);
    let marker = markers.iter().find(names_it).cloned();
    marker.unwrap_or_else(|| found.inferred_native_path_string())
}
