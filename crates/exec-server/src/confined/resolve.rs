//! Finding what a path below a root leads to, one name at a time.
//!
//! The last directories on the way are held open, so `..` in a link goes back to a directory that
//! was entered before and never to wherever that directory has been moved; one farther up is opened
//! again by its names. A name is looked at, then
//! opened; should it become a link in between, opening it still cannot leave the directory it is
//! in. What an absolute link names is looked up from the root again, if it is inside. A relative link
//! that goes above the root must come back by the root's own names; nothing is asked up there.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path};
use std::rc::Rc;

use cap_std::fs::{Dir, Metadata};
use codex_file_system::error::{broken_link, filesystem_loop};
use codex_path_uri::{FileName, PathUri};

use super::read::{self, Recorded};
use crate::local::Root;

/// Most links on the way to a file, as on Linux.
const MAX_LINKS: usize = 40;
/// How many directories on the way are held open: a path as long as a client likes must not take
/// the descriptors of the server.
const MAX_OPEN: usize = 16;

/// What becomes of a link that is the last name of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastLink {
    Follow,
    Keep,
}

/// A directory below a root, and the way to it.
#[derive(Clone)]
pub(super) struct Directory<'r> {
    root: &'r Root,
    /// The names of the directories below the root, outermost first.
    way: Vec<OsString>,
    /// The last of these directories.
    open: VecDeque<Rc<Dir>>,
}

/// What a path leads to.
pub(super) struct Found<'r> {
    /// The directory that holds it; itself, if it has no name.
    pub(super) parent: Directory<'r>,
    /// Its name, which is no link unless links are kept. `None` for a root, and for a link that
    /// ends in `..`.
    pub(super) name: Option<OsString>,
    /// What is there; an error that says `NotFound` where only the parent exists.
    pub(super) metadata: io::Result<Metadata>,
    /// Whether the last name of the path is a link.
    pub(super) is_link: bool,
}

enum Step {
    Name(OsString),
    Parent,
}

impl<'r> Directory<'r> {
    pub(super) fn root(root: &'r Root) -> Self {
        Self {
            root,
            way: Vec::new(),
            open: VecDeque::new(),
        }
    }

    pub(super) fn handle(&self) -> &Dir {
        self.open
            .back()
            .map_or(&self.root.directory, |directory| directory)
    }

    /// Opens a directory in this one.
    pub(super) fn enter(&mut self, name: OsString) -> io::Result<()> {
        let directory = self.handle().open_dir(&name)?;
        self.way.push(name);
        self.open.push_back(Rc::new(directory));
        if self.open.len() > MAX_OPEN {
            self.open.pop_front();
        }
        Ok(())
    }

    /// Goes back to the directory this one was entered from; false in the root.
    fn leave(&mut self) -> io::Result<bool> {
        if self.way.pop().is_none() {
            return Ok(false);
        }
        self.open.pop_back();
        if self.open.is_empty() {
            for name in std::mem::take(&mut self.way) {
                self.enter(name)?;
            }
        }
        Ok(true)
    }

    /// Its path without links.
    pub(super) fn canonical(&self) -> io::Result<PathUri> {
        let mut path = self.root.real.clone();
        for name in &self.way {
            path = path.join_name(&FileName::from_host(name)?)?;
        }
        Ok(path)
    }

    /// Finds what these names lead to from here.
    ///
    /// # Errors
    /// `NotFound` tells where the last name is a link without a target.
    pub(super) fn find(
        self,
        names: impl DoubleEndedIterator<Item = OsString>,
        last_link: LastLink,
    ) -> io::Result<Found<'r>> {
        let mut is_link = false;
        let found = self.search(names, last_link, &mut is_link);
        let marked = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound if is_link => broken_link(error),
            _ => error,
        };
        let mut found = found.map_err(marked)?;
        found.metadata = found.metadata.map_err(marked);
        Ok(found)
    }

    /// The same, and whether the last name is a link, also where that leads nowhere.
    fn search(
        mut self,
        names: impl DoubleEndedIterator<Item = OsString>,
        last_link: LastLink,
        is_link: &mut bool,
    ) -> io::Result<Found<'r>> {
        let mut steps: Vec<Step> = names.rev().map(Step::Name).collect();
        let mut links = 0;
        // The names that lead back from above the root, outermost last.
        let mut back: Vec<OsString> = Vec::new();
        while let Some(step) = steps.pop() {
            let name = match step {
                Step::Parent if self.leave()? => continue,
                Step::Parent => {
                    back.extend(self.name_above(back.len())?);
                    continue;
                }
                Step::Name(name) => name,
            };
            if let Some(only) = back.pop() {
                if name == only {
                    continue;
                }
                return Err(leads_out());
            }
            let metadata = self.handle().symlink_metadata(&name);
            let is_last = steps.is_empty();
            let own = match &metadata {
                Ok(own) => own,
                Err(error) if is_last && error.kind() == io::ErrorKind::NotFound => {
                    return Ok(self.found(Some(name), metadata, *is_link));
                }
                Err(_) => return Err(metadata.err().unwrap_or_else(leads_out)),
            };
            if own.is_symlink() && !(is_last && last_link == LastLink::Keep) {
                links += 1;
                if links > MAX_LINKS {
                    return Err(filesystem_loop().into());
                }
                match self.handle().read_link_contents(&name) {
                    Ok(target) => {
                        *is_link |= is_last;
                        self.follow(&target, &mut steps)?;
                    }
                    // It is no link any more: what it is now is looked at again.
                    Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                        steps.push(Step::Name(name));
                    }
                    Err(error) => return Err(error),
                }
            } else if is_last {
                *is_link |= own.is_symlink();
                return Ok(self.found(Some(name), metadata, *is_link));
            } else if own.is_dir() {
                self.enter(name)?;
            } else {
                return Err(io::ErrorKind::NotADirectory.into());
            }
        }
        if !back.is_empty() {
            return Err(leads_out());
        }
        let metadata = self.handle().dir_metadata().and_then(still_there);
        Ok(self.found(None, metadata, *is_link))
    }

    /// The name of the root, or of the directory this many levels above it. None for the top of
    /// the filesystem, which is its own parent.
    fn name_above(&self, levels: usize) -> io::Result<Option<OsString>> {
        let real = self.root.real.to_path_buf()?;
        let ancestor = real.ancestors().nth(levels);
        Ok(ancestor.and_then(Path::file_name).map(OsStr::to_owned))
    }

    /// Puts the steps of a link before those that are left.
    fn follow(&mut self, target: &Path, steps: &mut Vec<Step>) -> io::Result<()> {
        let relative = if target.is_absolute() {
            self.way.clear();
            self.open.clear();
            self.inside(target)?
        } else {
            target.to_owned()
        };
        for component in relative.components().rev() {
            match component {
                Component::Normal(name) => steps.push(Step::Name(name.to_owned())),
                Component::ParentDir => steps.push(Step::Parent),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(leads_out()),
            }
        }
        Ok(())
    }

    /// The part of an absolute path below the root.
    fn inside(&self, target: &Path) -> io::Result<std::path::PathBuf> {
        for root in [&self.root.real, &self.root.spelled] {
            if let Ok(below) = target.strip_prefix(root.to_path_buf()?) {
                return Ok(below.to_owned());
            }
        }
        Err(leads_out())
    }

    fn found(
        self,
        name: Option<OsString>,
        metadata: io::Result<Metadata>,
        is_link: bool,
    ) -> Found<'r> {
        Found {
            parent: self,
            name,
            metadata,
            is_link,
        }
    }
}

impl<'r> Found<'r> {
    /// Its path without links.
    pub(super) fn canonical(&self) -> io::Result<PathUri> {
        let parent = self.parent.canonical()?;
        match &self.name {
            Some(name) => Ok(parent.join_name(&FileName::from_host(name)?)?),
            None => Ok(parent),
        }
    }

    /// Opens it as a directory, and reads what it records.
    pub(super) fn into_listing(self) -> io::Result<(Directory<'r>, Vec<(OsString, Recorded)>)> {
        if matches!(&self.metadata, Ok(own) if !own.is_dir()) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let entries = read::recorded(self.parent.handle(), self.name.as_deref());
        let directory = self.into_directory()?;
        Ok((directory, entries?))
    }

    /// Opens it as a directory.
    pub(super) fn into_directory(mut self) -> io::Result<Directory<'r>> {
        if !self.metadata?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        if let Some(name) = self.name {
            self.parent.enter(name)?;
        }
        Ok(self.parent)
    }
}

/// An open directory stays open when it is removed; then nothing is there any more.
fn still_there(directory: Metadata) -> io::Result<Metadata> {
    #[cfg(unix)]
    if cap_std::fs::MetadataExt::nlink(&directory) == 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(directory)
}

fn leads_out() -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        "a link leads out of its root",
    )
}
