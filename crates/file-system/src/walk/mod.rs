//! What a walk downward is asked and what it answers.
//!
//! How it is done when a filesystem has no cheaper way is in `by_listing`.

use std::io;

use codex_path_uri::PathUri;

use crate::FileKind;

mod by_listing;

pub use by_listing::walk_by_listing;

/// Deepest [`max_depth`](WalkOptions::max_depth) a walk accepts.
pub const MAX_WALK_DEPTH: usize = 64;
/// Largest [`max_directories`](WalkOptions::max_directories) a walk accepts.
pub const MAX_WALK_DIRECTORIES: usize = 10_000;
/// Largest [`max_entries`](WalkOptions::max_entries) a walk accepts.
pub const MAX_WALK_ENTRIES: usize = 50_000;

/// What a [`walk`](crate::ExecutorFileSystem::walk) enters, lists and stops at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct WalkOptions {
    /// How far below the root directories are entered: 0 lists the root's children only.
    pub max_depth: usize,
    /// The most directories that are entered, the root included.
    pub max_directories: usize,
    /// The most entries in the result.
    pub max_entries: usize,
    /// Enter links to directories. Otherwise they are left out of the result as well.
    pub follow_directory_symlinks: bool,
    /// Leave out directories whose name starts with `.`, and what is below them.
    pub prune_hidden_directories: bool,
}

impl WalkOptions {
    /// Options with these limits that follow links and keep hidden directories.
    pub fn new(max_depth: usize, max_directories: usize, max_entries: usize) -> Self {
        Self {
            max_depth,
            max_directories,
            max_entries,
            follow_directory_symlinks: true,
            prune_hidden_directories: false,
        }
    }

    /// Sets whether links to directories are followed.
    #[must_use]
    pub fn with_follow_directory_symlinks(mut self, follow: bool) -> Self {
        self.follow_directory_symlinks = follow;
        self
    }

    /// Sets whether hidden directories are left out.
    #[must_use]
    pub fn with_prune_hidden_directories(mut self, prune: bool) -> Self {
        self.prune_hidden_directories = prune;
        self
    }

    /// Whether the limits are among those a walk accepts.
    ///
    /// # Errors
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) names the first limit that is not.
    pub fn validate(&self) -> io::Result<()> {
        let limits = [
            ("max_depth", self.max_depth, 0..=MAX_WALK_DEPTH),
            (
                "max_directories",
                self.max_directories,
                1..=MAX_WALK_DIRECTORIES,
            ),
            ("max_entries", self.max_entries, 1..=MAX_WALK_ENTRIES),
        ];
        for (name, value, accepted) in limits {
            if !accepted.contains(&value) {
                let (low, high) = accepted.into_inner();
                let message = format!("{name} is {value}, it must be {low} to {high}");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        }
        Ok(())
    }
}

/// The widest walk that is accepted: [`MAX_WALK_DEPTH`], [`MAX_WALK_DIRECTORIES`] and
/// [`MAX_WALK_ENTRIES`], with links followed and hidden directories kept. It is bounded, and
/// [`Walk::truncated`] says whether the bound was felt; whoever pays for each directory with a
/// round trip asks for less.
///
/// # Examples
/// ```
/// use codex_file_system::{MAX_WALK_DEPTH, MAX_WALK_DIRECTORIES, MAX_WALK_ENTRIES, WalkOptions};
///
/// let widest = WalkOptions::new(MAX_WALK_DEPTH, MAX_WALK_DIRECTORIES, MAX_WALK_ENTRIES);
/// assert_eq!(WalkOptions::default(), widest);
/// widest.validate()?;
/// # Ok::<(), std::io::Error>(())
/// ```
impl Default for WalkOptions {
    fn default() -> Self {
        Self::new(MAX_WALK_DEPTH, MAX_WALK_DIRECTORIES, MAX_WALK_ENTRIES)
    }
}

/// What a [`walk`](crate::ExecutorFileSystem::walk) found.
#[derive(Debug, Default)]
pub struct Walk {
    /// Files and directories, breadth first, sorted by name inside each directory.
    pub entries: Vec<WalkEntry>,
    /// Directories that could not be entered, in the order they were met.
    pub errors: Vec<WalkError>,
    /// Whether [`max_directories`](WalkOptions::max_directories) or
    /// [`max_entries`](WalkOptions::max_entries) kept something out.
    pub truncated: bool,
}

/// A file or directory below the root of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkEntry {
    /// The path as walked: below the root as given, links unresolved.
    pub path: PathUri,
    /// The kind of the target, links followed.
    pub kind: FileKind,
}

/// A directory that could not be entered.
#[derive(Debug)]
pub struct WalkError {
    /// The directory as walked.
    pub path: PathUri,
    /// Why.
    pub error: io::Error,
}
