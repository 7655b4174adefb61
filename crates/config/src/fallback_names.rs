//! Further names of project documents.
//!
//! Invariant: a name that [`fallback_name_is_plain`] accepts is a direct child of any directory
//! it is joined to, so no candidate lies above the project root. Names are compared as bytes:
//! no case folding, no Unicode normalisation.

use std::collections::HashSet;

use codex_path_uri::PathConvention;
use serde::Serialize;

/// Names that are candidates anyway; as fallback names they say nothing.
const ALWAYS_CANDIDATES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// Why a name is no plain file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NameProblem {
    /// Nothing but white space.
    Blank,
    /// `.` or `..`.
    Dot,
    /// Holds a separator of the convention.
    Separator,
    /// Holds a `:`, which names a drive or a stream on Windows.
    Drive,
    /// Holds NUL.
    Nul,
}

impl NameProblem {
    /// The code, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Dot => "dot",
            Self::Separator => "separator",
            Self::Drive => "drive",
            Self::Nul => "nul",
        }
    }
}

/// Whether `name` is a direct child of any directory of this convention that it is joined to.
///
/// # Errors
/// The first problem, in the order of [`NameProblem`].
///
/// # Examples
///
/// ```
/// use codex_config::{NameProblem, fallback_name_is_plain};
/// use codex_path_uri::PathConvention::{Posix, Windows};
///
/// assert_eq!(fallback_name_is_plain(r"a\b", Posix), Ok(()));
/// assert_eq!(fallback_name_is_plain(r"a\b", Windows), Err(NameProblem::Separator));
/// assert_eq!(fallback_name_is_plain("../X", Posix), Err(NameProblem::Separator));
/// ```
pub fn fallback_name_is_plain(name: &str, convention: PathConvention) -> Result<(), NameProblem> {
    if name.trim().is_empty() {
        Err(NameProblem::Blank)
    } else if matches!(name, "." | "..") {
        Err(NameProblem::Dot)
    } else if convention.path_segments(name).nth(1).is_some() {
        Err(NameProblem::Separator)
    } else if convention == PathConvention::Windows && name.contains(':') {
        Err(NameProblem::Drive)
    } else if name.contains('\0') {
        Err(NameProblem::Nul)
    } else {
        Ok(())
    }
}

/// A configured name that is plain in no environment.
pub(crate) struct DroppedName<'a> {
    /// Its place in the list.
    pub(crate) index: usize,
    pub(crate) name: &'a str,
    pub(crate) problem: NameProblem,
}

/// The names that are plain in some environment, trimmed, distinct, in order; and the others.
pub(crate) fn plain_names(configured: &[String]) -> (Vec<String>, Vec<DroppedName<'_>>) {
    let mut seen: HashSet<&str> = HashSet::from(ALWAYS_CANDIDATES);
    let mut names = Vec::new();
    let mut dropped = Vec::new();
    for (index, written) in configured.iter().enumerate() {
        let name = written.trim();
        // POSIX refuses least; what only Windows refuses is judged per environment.
        match fallback_name_is_plain(name, PathConvention::Posix) {
            Err(problem) => dropped.push(DroppedName {
                index,
                name: written,
                problem,
            }),
            Ok(()) if seen.insert(name) => names.push(name.to_owned()),
            Ok(()) => {}
        }
    }
    (names, dropped)
}
