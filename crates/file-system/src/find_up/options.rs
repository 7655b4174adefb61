//! What a search is told, and what it answers.

use std::io;

use codex_path_uri::PathUri;

use crate::{FileKind, Window};

/// The most probes of one search in flight.
pub const MAX_CONCURRENT_PROBES: usize = 8;

/// What a failed probe means. `NotFound` is no failure: the marker is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindUpErrorPolicy {
    /// The failure ends the search, unless a nearer probe succeeded.
    Propagate,
    /// The marker counts as absent and the search goes on.
    Ignore,
}

/// What a marker must be to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerKind {
    /// Anything that exists.
    Any,
    /// A regular file, or a link to one.
    File,
    /// A directory, or a link to one.
    Directory,
}

impl MarkerKind {
    pub(super) fn accepts(self, kind: FileKind) -> bool {
        match self {
            MarkerKind::Any => true,
            MarkerKind::File => kind == FileKind::File,
            MarkerKind::Directory => kind == FileKind::Directory,
        }
    }
}

/// How [`find_up`](crate::find_up) searches.
///
/// # Examples
/// ```
/// use codex_file_system::{FindUpErrorPolicy, FindUpOptions, MarkerKind, Window};
///
/// let options = FindUpOptions::new(FindUpErrorPolicy::Ignore)
///     .with_window(Window::SERIAL)
///     .with_kind(MarkerKind::Directory);
/// assert_eq!(options.ceiling, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FindUpOptions {
    /// The most probes in flight; of more than [`MAX_CONCURRENT_PROBES`] only so many are used.
    pub window: Window,
    /// What a failed probe means.
    pub error_policy: FindUpErrorPolicy,
    /// The last ancestor that is searched. One that is not at or above the start has no effect.
    pub ceiling: Option<PathUri>,
    /// What a marker must be to count.
    pub kind: MarkerKind,
}

impl FindUpOptions {
    /// Options with a window of [`MAX_CONCURRENT_PROBES`], no ceiling and markers of any kind.
    pub fn new(error_policy: FindUpErrorPolicy) -> Self {
        Self {
            window: DEFAULT_WINDOW,
            error_policy,
            ceiling: None,
            kind: MarkerKind::Any,
        }
    }

    /// Sets the most probes in flight.
    #[must_use]
    pub fn with_window(mut self, window: Window) -> Self {
        self.window = window;
        self
    }

    /// Sets the last ancestor that is searched.
    #[must_use]
    pub fn with_ceiling(mut self, ceiling: PathUri) -> Self {
        self.ceiling = Some(ceiling);
        self
    }

    /// Sets what a marker must be to count.
    #[must_use]
    pub fn with_kind(mut self, kind: MarkerKind) -> Self {
        self.kind = kind;
        self
    }

    pub(super) fn width(&self) -> usize {
        self.window.get().min(MAX_CONCURRENT_PROBES)
    }
}

const DEFAULT_WINDOW: Window = match Window::new(MAX_CONCURRENT_PROBES) {
    Some(window) => window,
    None => Window::SERIAL,
};

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
