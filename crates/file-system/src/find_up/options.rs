//! What a search is told.

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
