//! What a search answers.

use std::io;

use codex_path_uri::PathUri;

/// The result of [`find_up`](crate::find_up) and what it took to get it.
///
/// `P` is [`PathUri`], or [`AbsolutePathBuf`](codex_path_uri::AbsolutePathBuf) for a native
/// search.
#[derive(Debug)]
#[non_exhaustive]
pub struct FindUpOutcome<P = PathUri> {
    /// The nearest ancestor with a marker: the lexical one the marker was joined to, never a
    /// canonical path.
    pub ancestor: Option<P>,
    /// The probe that succeeded.
    pub marker: Option<PathUri>,
    /// How many probes were sent.
    pub probes_started: usize,
    /// How many of their answers were looked at: those up to the deciding one, in order.
    pub probes_consumed: usize,
    /// The failures that [`FindUpErrorPolicy::Ignore`](crate::FindUpErrorPolicy::Ignore) passed
    /// over, in search order; reported as `marker_probe_failed`.
    pub ignored_errors: Vec<IgnoredProbe>,
    /// Why the search ended.
    pub stopped: FindUpStop,
}

impl<P> FindUpOutcome<P> {
    /// What a search that asks nothing answers, and any other begins with.
    pub(super) fn without_markers() -> Self {
        Self {
            ancestor: None,
            marker: None,
            probes_started: 0,
            probes_consumed: 0,
            ignored_errors: Vec::new(),
            stopped: FindUpStop::NoMarkers,
        }
    }
}

/// A failed probe that counted as absent.
#[derive(Debug)]
pub struct IgnoredProbe {
    /// What was probed.
    pub path: PathUri,
    /// What the filesystem answered.
    pub error: io::Error,
}

/// Why a search ended without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindUpStop {
    /// A marker was found.
    Found,
    /// The filesystem, drive or share root was searched, and nothing was found.
    FilesystemRoot,
    /// The ceiling was searched, and nothing was found.
    Ceiling,
    /// There was nothing to search for.
    NoMarkers,
}
