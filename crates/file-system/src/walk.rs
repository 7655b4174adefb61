//! A walk downward: what it is asked, what it answers, and how it is made of listings where a
//! filesystem has no cheaper way.
//!
//! The walk is a serial program, level by level; the listings of a level are expected ahead. Each
//! directory is entered once, whatever links lead to it: its identity is its canonical path, which is
//! asked for links only and otherwise known from the directory above.

use std::collections::HashSet;
use std::io;

use codex_path_uri::PathUri;

use crate::{
    ExecutorFileSystem, FileKind, FileSystemSandboxContext, Lookahead, ReadCall,
    ReadDirectoryEntry, Window,
};

/// Deepest [`max_depth`](WalkOptions::max_depth) a walk accepts.
pub const MAX_WALK_DEPTH: usize = 64;
/// Largest [`max_directories`](WalkOptions::max_directories) a walk accepts.
pub const MAX_WALK_DIRECTORIES: usize = 10_000;
/// Largest [`max_entries`](WalkOptions::max_entries) a walk accepts.
pub const MAX_WALK_ENTRIES: usize = 50_000;

/// What a [`walk`](crate::ExecutorFileSystem::walk) enters, lists and stops at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Most calls of one level in flight.
const WALK_WINDOW: usize = 32;

/// Walks by listings: the default body of [`walk`](ExecutorFileSystem::walk).
///
/// For an implementation that has a cheaper way on some machines and must do without on others.
///
/// # Round trips
/// Those of the default body.
///
/// # Errors
/// Those of [`walk`](ExecutorFileSystem::walk).
///
/// # Cancellation
/// Dropping the future starts no further call.
///
/// # Examples
/// ```
/// use codex_file_system::{WalkOptions, walk_by_listing};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/a/b.txt = b")?;
/// let (root, options) = (PathUri::parse("file:///srv")?, WalkOptions::new(8, 100, 100));
/// let walk = futures::executor::block_on(walk_by_listing(&fs, &root, &options, None))?;
/// assert_eq!(walk.entries.len(), 2);
/// # Ok(())
/// # }
/// ```
pub async fn walk_by_listing<F: ExecutorFileSystem + ?Sized>(
    fs: &F,
    root: &PathUri,
    options: &WalkOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<Walk> {
    options.validate()?;
    let window = Window::new(WALK_WINDOW).unwrap_or_default();
    let lookahead = Lookahead::new(fs, window).with_sandbox(sandbox);
    let walker = Walker {
        fs: &lookahead,
        sandbox,
        options: *options,
        walk: Walk::default(),
        entered: HashSet::new(),
    };
    lookahead.drive(walker.walk(root)).await
}

/// A directory that is entered.
struct Directory {
    path: PathUri,
    canonical: PathUri,
}

/// A directory of a listing.
struct Child {
    path: PathUri,
    /// Its canonical path, unless it is a link.
    plain: PathUri,
    is_link: Option<bool>,
}

/// Whether the result may grow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    Left,
    Full,
}

struct Walker<'l, 'f, F: ExecutorFileSystem + ?Sized> {
    fs: &'l Lookahead<'f, F>,
    sandbox: Option<&'f FileSystemSandboxContext>,
    options: WalkOptions,
    walk: Walk,
    /// Canonical paths of the directories that were entered.
    entered: HashSet<PathUri>,
}

impl<F: ExecutorFileSystem + ?Sized> Walker<'_, '_, F> {
    /// The serial walk. A depth is where the caller wants to stop, so stopping there cuts nothing.
    async fn walk(mut self, root: &PathUri) -> io::Result<Walk> {
        self.fs
            .expect_all([ReadCall::canonical(root), ReadCall::listing(root)]);
        let canonical = self.fs.canonicalize(root, self.sandbox).await?;
        self.entered.insert(canonical.clone());
        let mut level = vec![Directory {
            path: root.clone(),
            canonical,
        }];
        for depth in 0..=self.options.max_depth {
            self.expect_listings(&level);
            let mut found = Vec::new();
            for directory in &level {
                match self.fs.read_directory(&directory.path, self.sandbox).await {
                    Err(error) if depth == 0 && error.kind() == io::ErrorKind::NotADirectory => {
                        return Ok(self.walk);
                    }
                    Err(error) => self.report(&directory.path, error),
                    Ok(entries) => {
                        let room = self.take(directory, entries, &mut found).await;
                        if room? == Room::Full {
                            return Ok(self.walk);
                        }
                    }
                }
            }
            if found.is_empty() || depth == self.options.max_depth {
                break;
            }
            level = self.enter(found).await;
        }
        Ok(self.walk)
    }

    fn expect_listings(&self, level: &[Directory]) {
        let options = self.options;
        let listings = level.iter().map(|directory| {
            let path = directory.path.clone();
            ReadCall::listing(&directory.path).then(move |answer| {
                let entries = answer.listing().unwrap_or_default();
                let doubtful = entries.iter().filter(|entry| is_doubtful(entry, options));
                let paths = doubtful.filter_map(|entry| path.join_name(&entry.file_name).ok());
                paths
                    .map(|path| ReadCall::canonical(&path).into())
                    .collect()
            })
        });
        self.fs.expect_all(listings);
    }

    /// Adds the entries of a listing that belong to the walk, and collects the directories.
    async fn take(
        &mut self,
        directory: &Directory,
        entries: Vec<ReadDirectoryEntry>,
        found: &mut Vec<Child>,
    ) -> io::Result<Room> {
        for entry in entries {
            if !belongs(&entry, self.options) {
                continue;
            }
            let path = directory.path.join_name(&entry.file_name)?;
            let mut child = None;
            if entry.kind == FileKind::Directory {
                let plain = directory.canonical.join_name(&entry.file_name)?;
                let mut is_link = entry.is_symlink;
                // One that cannot be resolved stays, and is reported when it is about to be entered.
                if is_doubtful(&entry, self.options)
                    && let Ok(canonical) = self.fs.canonicalize(&path, self.sandbox).await
                {
                    if canonical != plain {
                        continue;
                    }
                    is_link = Some(false);
                }
                child = Some(Child {
                    path: path.clone(),
                    plain,
                    is_link,
                });
            }
            if self.walk.entries.len() == self.options.max_entries {
                self.walk.truncated = true;
                return Ok(Room::Full);
            }
            let kind = entry.kind;
            self.walk.entries.push(WalkEntry { path, kind });
            found.extend(child);
        }
        Ok(Room::Left)
    }

    /// The directories to list: not one that was entered before, cannot be resolved or is one too
    /// many.
    async fn enter(&mut self, found: Vec<Child>) -> Vec<Directory> {
        let links = found.iter().filter(|child| child.is_link != Some(false));
        let identities = links.map(|child| ReadCall::canonical(&child.path));
        self.fs.expect_all(identities.collect::<Vec<_>>());
        let mut level = Vec::new();
        for child in found {
            let canonical = match child.is_link {
                Some(false) => Ok(child.plain),
                _ => self.fs.canonicalize(&child.path, self.sandbox).await,
            };
            let canonical = match canonical {
                Ok(canonical) => canonical,
                Err(error) => {
                    self.report(&child.path, error);
                    continue;
                }
            };
            if self.entered.contains(&canonical) {
                continue;
            }
            if self.entered.len() == self.options.max_directories {
                self.walk.truncated = true;
                break;
            }
            self.entered.insert(canonical.clone());
            let path = child.path;
            level.push(Directory { path, canonical });
        }
        level
    }

    fn report(&mut self, path: &PathUri, error: io::Error) {
        self.walk.errors.push(WalkError {
            path: path.clone(),
            error,
        });
    }
}

fn belongs(entry: &ReadDirectoryEntry, options: WalkOptions) -> bool {
    match entry.kind {
        FileKind::File => true,
        FileKind::Directory => {
            let is_hidden = || entry.file_name.to_string_lossy().starts_with('.');
            let is_left_out_link =
                !options.follow_directory_symlinks && entry.is_symlink == Some(true);
            !(is_left_out_link || options.prune_hidden_directories && is_hidden())
        }
        FileKind::Other | FileKind::BrokenLink => false,
    }
}

/// Whether only its canonical path tells that a directory is no link, and links are left out.
fn is_doubtful(entry: &ReadDirectoryEntry, options: WalkOptions) -> bool {
    entry.kind == FileKind::Directory
        && entry.is_symlink.is_none()
        && !options.follow_directory_symlinks
        && belongs(entry, options)
}
