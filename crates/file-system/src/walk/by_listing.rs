//! The default body of a walk: breadth first and bounded, made of listings.
//!
//! A level of the tree is listed in an ordered window and its listings are consumed in order,
//! so what is found, what is cut and what is reported are those of the serial walk. Each
//! directory is entered once, whatever links lead to it: its identity is its canonical path,
//! which is asked for links only and otherwise known from the directory above.
//!
//! [`Asker`] makes the calls, [`Progress`] judges the answers.

use std::collections::HashSet;
use std::io;

use codex_path_uri::PathUri;
use futures::future::join;

use super::{Walk, WalkEntry, WalkError, WalkOptions};
use crate::ordered_window::OrderedWindow;
use crate::{ExecutorFileSystem, FileKind, FileSystemSandboxContext, ReadDirectoryEntry};

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
    let asker = Asker {
        fs,
        options,
        sandbox,
    };
    let listing = fs.read_directory(root, sandbox);
    let (canonical, listing) = join(fs.canonicalize(root, sandbox), listing).await;
    let root = Directory {
        path: root.clone(),
        canonical: canonical?,
    };
    let mut progress = Progress::new(options, &root);
    match listing {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(progress.walk),
        Err(error) => progress.consume(&root, Err(error)),
        Ok(entries) => progress.consume(&root, asker.children(&root, entries).await),
    }
    for depth in 1.. {
        let Some(found) = progress.next_level(depth) else {
            break;
        };
        let level = asker.identify(&found, &mut progress).await;
        asker.list(level, &mut progress).await;
    }
    Ok(progress.walk)
}

/// A directory that is entered.
struct Directory {
    path: PathUri,
    canonical: PathUri,
}

/// An entry of a listing that belongs to the walk.
struct Child {
    path: PathUri,
    kind: FileKind,
    /// The canonical path of a directory unless it is a link.
    plain: Option<PathUri>,
    is_link: Option<bool>,
}

impl Child {
    fn new(directory: &Directory, entry: &ReadDirectoryEntry) -> io::Result<Self> {
        let plain = match entry.kind {
            FileKind::Directory => Some(directory.canonical.join_name(&entry.file_name)?),
            FileKind::File | FileKind::Other | FileKind::BrokenLink => None,
        };
        let path = directory.path.join_name(&entry.file_name)?;
        Ok(Self {
            path,
            kind: entry.kind,
            plain,
            is_link: entry.is_symlink,
        })
    }

    /// The canonical path, where it is known without asking.
    fn canonical(&self) -> Option<&PathUri> {
        self.plain.as_ref().filter(|_| self.is_link == Some(false))
    }
}

/// Makes the calls of a walk.
struct Asker<'a, F: ?Sized> {
    fs: &'a F,
    options: &'a WalkOptions,
    sandbox: Option<&'a FileSystemSandboxContext>,
}

impl<F: ExecutorFileSystem + ?Sized> Asker<'_, F> {
    /// Lists the directories of one level until the result is full.
    async fn list(&self, level: Vec<Directory>, progress: &mut Progress<'_>) {
        let listings = level.into_iter().map(|directory| self.listing(directory));
        let mut listings = OrderedWindow::new(listings, WALK_WINDOW);
        while !progress.is_full {
            let Some((directory, children)) = listings.next().await else {
                break;
            };
            progress.consume(&directory, children);
        }
    }

    async fn listing(&self, directory: Directory) -> (Directory, io::Result<Vec<Child>>) {
        let children = match self.fs.read_directory(&directory.path, self.sandbox).await {
            Ok(entries) => self.children(&directory, entries).await,
            Err(error) => Err(error),
        };
        (directory, children)
    }

    /// Decides in order which of the directories found are entered, asking for the identity of
    /// those that are links or may be.
    async fn identify(&self, found: &[Child], progress: &mut Progress<'_>) -> Vec<Directory> {
        let links = found.iter().filter(|child| child.canonical().is_none());
        let identities = links.map(|child| self.fs.canonicalize(&child.path, self.sandbox));
        let identities = identities.collect::<Vec<_>>().into_iter();
        let mut identities = OrderedWindow::new(identities, WALK_WINDOW);
        let mut level = Vec::new();
        for child in found {
            let canonical = match child.canonical() {
                Some(canonical) => Ok(canonical.clone()),
                None => match identities.next().await {
                    Some(answer) => answer,
                    None => break,
                },
            };
            level.extend(progress.enter(child, canonical));
            if progress.is_out_of_directories {
                break;
            }
        }
        level
    }

    /// The entries of a listing that belong to the walk.
    async fn children(
        &self,
        directory: &Directory,
        mut entries: Vec<ReadDirectoryEntry>,
    ) -> io::Result<Vec<Child>> {
        entries.retain(|entry| belongs(entry, self.options));
        let children = entries.iter().map(|entry| Child::new(directory, entry));
        let children = children.collect::<io::Result<Vec<Child>>>()?;
        if self.options.follow_directory_symlinks {
            return Ok(children);
        }
        let children = children.into_iter().map(|child| self.unless_link(child));
        let mut children = OrderedWindow::new(children, WALK_WINDOW);
        let mut kept = Vec::new();
        while let Some(child) = children.next().await {
            kept.extend(child);
        }
        Ok(kept)
    }

    /// Leaves out a directory of which the listing could not say that it is a link. One that
    /// cannot be resolved stays, and is reported when it is about to be entered.
    async fn unless_link(&self, mut child: Child) -> Option<Child> {
        if child.kind == FileKind::Directory
            && child.is_link.is_none()
            && let Ok(canonical) = self.fs.canonicalize(&child.path, self.sandbox).await
        {
            if child.plain != Some(canonical) {
                return None;
            }
            child.is_link = Some(false);
        }
        Some(child)
    }
}

fn belongs(entry: &ReadDirectoryEntry, options: &WalkOptions) -> bool {
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

/// Judges the answers of a walk, in the order of the serial walk.
struct Progress<'a> {
    options: &'a WalkOptions,
    walk: Walk,
    /// Canonical paths of the directories that were entered.
    visited: HashSet<PathUri>,
    /// The directories found on the level at hand.
    found: Vec<Child>,
    is_full: bool,
    is_out_of_directories: bool,
}

impl<'a> Progress<'a> {
    fn new(options: &'a WalkOptions, root: &Directory) -> Self {
        let visited = HashSet::from([root.canonical.clone()]);
        Self {
            options,
            walk: Walk::default(),
            visited,
            found: Vec::new(),
            is_full: false,
            is_out_of_directories: false,
        }
    }

    fn consume(&mut self, directory: &Directory, children: io::Result<Vec<Child>>) {
        let children = match children {
            Ok(children) => children,
            Err(error) => return self.report(&directory.path, error),
        };
        for child in children {
            if self.walk.entries.len() == self.options.max_entries {
                self.walk.truncated = true;
                self.is_full = true;
                return;
            }
            self.walk.entries.push(WalkEntry {
                path: child.path.clone(),
                kind: child.kind,
            });
            if child.kind == FileKind::Directory {
                self.found.push(child);
            }
        }
    }

    /// The directories that may be entered at this depth; `None` when the walk is over. A depth
    /// is where the caller wants to stop, so stopping there cuts nothing.
    fn next_level(&mut self, depth: usize) -> Option<Vec<Child>> {
        let found = std::mem::take(&mut self.found);
        let goes_on = !self.is_full && !found.is_empty() && depth <= self.options.max_depth;
        goes_on.then_some(found)
    }

    /// The directory to list, unless it was entered before, cannot be resolved or is one too
    /// many.
    fn enter(&mut self, child: &Child, canonical: io::Result<PathUri>) -> Option<Directory> {
        let canonical = match canonical {
            Ok(canonical) => canonical,
            Err(error) => {
                self.report(&child.path, error);
                return None;
            }
        };
        if self.visited.contains(&canonical) {
            return None;
        }
        if self.visited.len() == self.options.max_directories {
            self.walk.truncated = true;
            self.is_out_of_directories = true;
            return None;
        }
        self.visited.insert(canonical.clone());
        Some(Directory {
            path: child.path.clone(),
            canonical,
        })
    }

    fn report(&mut self, path: &PathUri, error: io::Error) {
        self.walk.errors.push(WalkError {
            path: path.clone(),
            error,
        });
    }
}
