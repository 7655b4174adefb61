//! The lazy iterator of what a search asks: every marker in every ancestor, nearest first.
//!
//! Pure and lexical. A probe is built when it is asked for, so a hit in the start directory
//! builds no probe above it except those the window sends ahead. No URI is asked twice.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use codex_path_uri::{AbsolutePathBuf, PathUri};

use crate::sandbox::case_policy;

/// A directory a search can start from.
pub(super) trait Ancestor: Clone + Send + Sync + 'static {
    /// The lexical parent; `None` at the root.
    fn above(&self) -> Option<Self>;

    /// The URI of a marker joined to this directory.
    fn probe(&self, marker: &str) -> io::Result<PathUri>;

    /// Whether this directory is the ceiling.
    fn is(&self, ceiling: &PathUri) -> bool;
}

impl Ancestor for PathUri {
    fn above(&self) -> Option<Self> {
        self.parent()
    }

    fn probe(&self, marker: &str) -> io::Result<PathUri> {
        Ok(self.join(marker)?)
    }

    fn is(&self, ceiling: &PathUri) -> bool {
        self.eq_under(ceiling, case_policy(self))
    }
}

/// Ancestor and marker are joined as native paths and converted together, so that a path whose
/// URI is opaque can be searched like any other.
impl Ancestor for AbsolutePathBuf {
    fn above(&self) -> Option<Self> {
        self.parent()
    }

    fn probe(&self, marker: &str) -> io::Result<PathUri> {
        if marker.contains('\0') {
            // A native path can hold a NUL. The refusal, which names both, is that of the URI.
            PathUri::from_abs_path(self).join(marker)?;
        }
        Ok(PathUri::from_abs_path(&self.join(marker)?))
    }

    fn is(&self, ceiling: &PathUri) -> bool {
        PathUri::from_abs_path(self).is(ceiling)
    }
}

/// One metadata call of a search.
pub(super) struct Probe<P> {
    pub(super) ancestor: P,
    pub(super) uri: PathUri,
}

/// The probes of one search, in search order.
#[derive(Clone)]
pub(super) struct Probes<P> {
    directory: Option<P>,
    markers: Arc<[String]>,
    next_marker: usize,
    ceiling: Option<PathUri>,
    /// What has been asked, where two probes can have one URI.
    asked: Option<HashSet<PathUri>>,
}

impl<P: Ancestor> Probes<P> {
    /// The probes from `start` up to a root or the ceiling.
    ///
    /// # Errors
    /// `InvalidInput` if a marker cannot be joined to a directory. Whether it can does not depend
    /// on the directory, so the start decides for all of them, before any probe.
    pub(super) fn new(
        start: P,
        markers: impl IntoIterator<Item = impl AsRef<str>>,
        ceiling: Option<PathUri>,
    ) -> io::Result<Self> {
        let distinct = distinct(markers);
        // Distinct plain names in distinct directories are distinct probes that always join.
        let mut asked = None;
        if !distinct.iter().all(|marker| is_plain_name(marker)) {
            for marker in &distinct {
                start.probe(marker)?;
            }
            asked = Some(HashSet::new());
        }
        let directory = (!distinct.is_empty()).then_some(start);
        Ok(Self {
            directory,
            markers: distinct.into(),
            next_marker: 0,
            ceiling,
            asked,
        })
    }

    /// Whether there is nothing to search for.
    pub(super) fn has_no_markers(&self) -> bool {
        self.markers.is_empty()
    }

    /// Whether the last directory is the ceiling, and not a root; to be asked before the first probe.
    pub(super) fn end_at_ceiling(&self) -> bool {
        let Some(ceiling) = &self.ceiling else {
            return false;
        };
        let mut directories = std::iter::successors(self.directory.clone(), P::above);
        directories.any(|directory| directory.is(ceiling))
    }

    fn go_up(&mut self) {
        self.next_marker = 0;
        let Some(directory) = self.directory.take() else {
            return;
        };
        let ceiling = self.ceiling.as_ref();
        if !ceiling.is_some_and(|ceiling| directory.is(ceiling)) {
            self.directory = directory.above();
        }
    }
}

/// As many markers are compared with each other; a set is made only for longer lists.
const FEW_MARKERS: usize = 16;

/// The markers in their order, without those that are equal to an earlier one.
fn distinct(markers: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    let mut beyond: HashSet<String> = HashSet::new();
    for marker in markers {
        let marker = marker.as_ref();
        let (few, more) = distinct.split_at(distinct.len().min(FEW_MARKERS));
        let is_repeated = few.iter().any(|earlier| earlier == marker)
            || (!more.is_empty() && beyond.contains(marker));
        if !is_repeated {
            if few.len() == FEW_MARKERS {
                beyond.insert(marker.to_owned());
            }
            distinct.push(marker.to_owned());
        }
    }
    distinct
}

impl<P: Ancestor> Iterator for Probes<P> {
    type Item = io::Result<Probe<P>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let directory = self.directory.as_ref()?;
            let Some(marker) = self.markers.get(self.next_marker) else {
                self.go_up();
                continue;
            };
            self.next_marker += 1;
            let uri = match directory.probe(marker) {
                Ok(uri) => uri,
                Err(error) => return Some(Err(error)),
            };
            if let Some(asked) = &mut self.asked
                && !asked.insert(uri.clone())
            {
                continue;
            }
            return Some(Ok(Probe {
                ancestor: directory.clone(),
                uri,
            }));
        }
    }
}

/// Whether joining this text appends exactly it, in either convention.
fn is_plain_name(marker: &str) -> bool {
    !matches!(marker, "" | "." | "..") && !marker.contains(['/', '\\', ':', '\0'])
}
