//! Where the rules of the two flavors are chosen between.

use codex_path_uri::{CasePolicy, FileName};

use crate::flavor::Flavor;
use crate::memory::node::NameKey;
use crate::memory::target::LinkTarget;
use crate::memory::{posix, windows};

impl Flavor {
    /// Native text of the root that exists in an empty filesystem.
    pub(crate) const fn root(self) -> &'static str {
        match self {
            Self::Posix => posix::ROOT,
            Self::Windows => windows::ROOT,
        }
    }

    /// Whether two spellings that differ in case are the same file.
    pub(super) const fn case_policy(self) -> CasePolicy {
        match self {
            Self::Posix => CasePolicy::Exact,
            Self::Windows => CasePolicy::AsciiFold,
        }
    }

    /// Whether a file may have this name.
    pub(crate) fn allows(self, name: &FileName) -> bool {
        match self {
            Self::Posix => posix::allows(name),
            Self::Windows => windows::allows(name),
        }
    }

    /// A name as a tree literal spells it after percent-decoding, `None` where it is not allowed.
    pub(crate) fn name_from_literal(self, bytes: &[u8]) -> Option<FileName> {
        match self {
            Self::Posix => posix::name_from_literal(bytes),
            Self::Windows => windows::name_from_literal(bytes),
        }
    }

    /// Whether a literal's path says that it is a directory.
    pub(crate) fn ends_with_separator(self, path: &str) -> bool {
        match self {
            Self::Posix => path.ends_with('/'),
            Self::Windows => path.ends_with(['/', '\\']),
        }
    }

    /// The root, `None` for a relative path, and the non-empty segments of a literal's path;
    /// `None` where it names nothing.
    pub(crate) fn split_literal_path(
        self,
        path: &str,
    ) -> Option<(Option<String>, impl Iterator<Item = &str>)> {
        let (root, below) = match self {
            Self::Posix => posix::split_literal_path(path),
            Self::Windows => windows::split_literal_path(path)?,
        };
        if root.is_none() && below.is_empty() {
            return None;
        }
        let segments = self.convention().path_segments(below);
        Some((root, segments.filter(|segment| !segment.is_empty())))
    }

    /// What `name` has in common with every other spelling of the same file.
    pub(super) fn key(self, name: &FileName) -> NameKey {
        match self {
            Self::Posix => posix::key(name),
            Self::Windows => windows::key(name),
        }
    }

    /// What a root has in common with every other spelling of it.
    pub(super) fn root_key(self, root: &str) -> NameKey {
        match self {
            Self::Posix => NameKey(root.as_bytes().to_vec()),
            Self::Windows => windows::root_key(root),
        }
    }

    /// Takes a link target apart, `None` where it names nothing.
    pub(super) fn parse_target(self, bytes: &[u8]) -> Option<LinkTarget> {
        match self {
            Self::Posix => posix::parse_target(bytes),
            Self::Windows => windows::parse_target(bytes),
        }
    }
}
