//! The writing calls.
//!
//! Links are copied as links and never followed, at the top and below. A directory is merged into
//! one that exists. Trees are walked by loops: a tree as deep as a client likes takes neither the
//! stack nor the descriptors of the server.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};

use cap_std::fs::{Dir, Metadata, OpenOptions};
use codex_file_system::{CopyOptions, CreateDirectoryOptions, RemoveOptions};
use codex_path_uri::PathUri;

use super::read::{check_regular, open_regular, regular_file};
use super::resolve::{Directory, Found, LastLink};
use super::roots::{Place, Roots};
use crate::local::Root;

pub(super) fn file(roots: &Roots, path: &PathUri, contents: &[u8]) -> io::Result<()> {
    let (root, names) = roots.place_to_write(path)?;
    let found = Directory::root(root).find(names.into_iter(), LastLink::Follow)?;
    let mut options = OpenOptions::new();
    let (mut file, _) = regular_file(found, options.write(true).create(true).truncate(true))?;
    file.write_all(contents)
}

pub(super) fn directory(
    roots: &Roots,
    path: &PathUri,
    options: CreateDirectoryOptions,
) -> io::Result<()> {
    let (root, names) = roots.place_to_write(path)?;
    match created(root, &names, options.recursive) {
        Err(error) if options.recursive && error.kind() == io::ErrorKind::NotFound => {}
        answer => return answer,
    }
    let mut here = Directory::root(root);
    for name in names {
        let found = here
            .clone()
            .find([name.clone()].into_iter(), LastLink::Follow);
        match found.map(|found| (found.is_link, found)) {
            Ok((_, found)) if matches!(&found.metadata, Ok(own) if own.is_dir()) => {
                here = found.into_directory()?;
                continue;
            }
            // Something else is in the way, a link without a target too.
            Ok((is_link, found)) if is_link || found.metadata.is_ok() => {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Err(error) => return Err(error),
            Ok(_) => {}
        }
        match here.handle().create_dir(&name) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            // Somebody else may have been faster.
            _ => here.enter(name)?,
        }
    }
    Ok(())
}

/// Creates one directory whose parent is there.
fn created(root: &Root, names: &[OsString], may_exist: bool) -> io::Result<()> {
    let find = |last_link| Directory::root(root).find(names.iter().cloned(), last_link);
    let found = find(LastLink::Keep)?;
    let exists = match (&found.metadata, &found.name) {
        (Ok(own), _) if own.is_symlink() => {
            let target = find(LastLink::Follow).and_then(|found| found.metadata);
            may_exist && target.is_ok_and(|target| target.is_dir())
        }
        (Ok(own), _) => may_exist && own.is_dir(),
        (Err(_), Some(name)) => match found.parent.handle().create_dir(name) {
            // Somebody else may have been faster.
            Err(error) if may_exist && error.kind() == io::ErrorKind::AlreadyExists => {
                return found.parent.handle().open_dir(name).map(drop);
            }
            answer => return answer,
        },
        (Err(_), None) => false,
    };
    if exists {
        Ok(())
    } else {
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

pub(super) fn removal(roots: &Roots, path: &PathUri, options: RemoveOptions) -> io::Result<()> {
    let (root, names) = roots.place_to_write(path)?;
    let found = Directory::root(root).find(names.into_iter(), LastLink::Keep);
    let found = found.and_then(|mut found| {
        let own = std::mem::replace(&mut found.metadata, Err(io::ErrorKind::NotFound.into()))?;
        Ok((found, own))
    });
    let (found, own) = match found {
        Ok(found) => found,
        Err(error) if options.force && error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let Some(name) = &found.name else {
        let message = "a root cannot be removed";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    };
    let directory = found.parent.handle();
    if !own.is_dir() {
        return remove_name(directory, name, &own);
    }
    match directory.remove_dir(name) {
        // An empty directory goes without being read, so that is tried first.
        Err(error) if options.recursive && error.kind() == io::ErrorKind::DirectoryNotEmpty => {
            remove_tree(directory, name)
        }
        answer => answer,
    }
}

/// How many directories of a tree are held open at once.
const MAX_OPEN_LEVELS: usize = 64;

/// A directory that is being emptied.
struct Level {
    name: OsString,
    directory: Dir,
    left: Vec<(OsString, bool)>,
}

impl Level {
    fn open(parent: &Dir, name: OsString) -> io::Result<Self> {
        let directory = parent.open_dir(&name)?;
        let mut left = Vec::new();
        for entry in directory.entries()? {
            let entry = entry?;
            left.push((entry.file_name(), entry.file_type()?.is_dir()));
        }
        Ok(Self {
            name,
            directory,
            left,
        })
    }
}

/// Removes a directory with everything in it. What lies deeper than may be held open at once is
/// moved up into the directory, and its turn comes there.
fn remove_tree(parent: &Dir, name: &OsStr) -> io::Result<()> {
    let mut top = Level::open(parent, name.to_owned())?;
    let mut below: Vec<Level> = Vec::new();
    let mut moved = 0_u64;
    loop {
        let depth = below.len();
        let level = below.last_mut().unwrap_or(&mut top);
        match level.left.pop() {
            Some((name, false)) => level.directory.remove_file(name)?,
            Some((name, true)) if depth < MAX_OPEN_LEVELS => {
                if level.directory.remove_dir(&name).is_err() {
                    let next = Level::open(&level.directory, name)?;
                    below.push(next);
                }
            }
            Some((name, true)) => {
                let place = free_name(&top.directory, &mut moved);
                let level = below.last().unwrap_or(&top);
                level.directory.rename(name, &top.directory, &place)?;
                top.left.push((place, true));
            }
            None => match below.pop() {
                Some(emptied) => {
                    let above = below.last().unwrap_or(&top);
                    above.directory.remove_dir(emptied.name)?;
                }
                None => return parent.remove_dir(name),
            },
        }
    }
}

/// A name that nothing in the directory has.
fn free_name(directory: &Dir, number: &mut u64) -> OsString {
    loop {
        *number += 1;
        let name = format!(".removed-{number}");
        if directory.symlink_metadata(&name).is_err() {
            return name.into();
        }
    }
}

/// Removes a file or a link. Windows removes a link to a directory as the directory it looks
/// like.
fn remove_name(directory: &Dir, name: &OsStr, found: &Metadata) -> io::Result<()> {
    if cfg!(windows) && found.is_symlink() && directory.remove_dir(name).is_ok() {
        return Ok(());
    }
    directory.remove_file(name)
}

pub(super) fn copy(
    roots: &Roots,
    source: &PathUri,
    destination: &PathUri,
    options: CopyOptions,
) -> io::Result<()> {
    let (root, names) = match roots.place(source)? {
        Place::Inside(root, names) => (root, names),
        Place::Above => return Err(invalid("the directories above a root cannot be copied")),
        Place::Outside => return Err(io::ErrorKind::NotFound.into()),
    };
    let source = Directory::root(root).find(names.into_iter(), LastLink::Keep)?;
    let (root, names) = roots.place_to_write(destination)?;
    let destination = Directory::root(root).find(names.into_iter(), LastLink::Keep);
    let is_directory = match &source.metadata {
        Ok(own) => own.is_dir(),
        Err(_) => return source.metadata.map(drop),
    };
    if is_directory && !options.recursive {
        return Err(invalid("a directory is copied recursively only"));
    }
    copied(source, destination?)
}

fn copied(source: Found<'_>, destination: Found<'_>) -> io::Result<()> {
    if matches!(&source.metadata, Ok(own) if own.is_dir()) {
        if destination.canonical()?.starts_with(&source.canonical()?) {
            return Err(invalid("a directory cannot be copied into itself"));
        }
        let from = source.into_directory()?.handle().try_clone()?;
        let parent = destination.parent.handle();
        let top = match &destination.name {
            Some(name) => Copied::below(from, parent, name)?,
            None => Copied::new(from, parent.try_clone()?)?,
        };
        return copy_tree(top, parent);
    }
    let own = source.metadata?;
    match (&source.name, &destination.name) {
        (Some(from), Some(to)) => {
            let (from, to) = (
                (source.parent.handle(), &**from),
                (destination.parent.handle(), &**to),
            );
            copy_name(from, &own, to)
        }
        _ => Err(io::ErrorKind::IsADirectory.into()),
    }
}

/// A name in an opened directory.
type Name<'a> = (&'a Dir, &'a OsStr);

/// The deepest tree that is copied: two directories are held open for each level.
const MAX_COPIED_LEVELS: usize = 128;

/// A directory that is being copied.
struct Copied {
    from: Dir,
    to: Dir,
    left: Vec<OsString>,
    /// The name of the copy in the level above, and what its permissions become at the end.
    created: Option<(OsString, cap_std::fs::Permissions)>,
}

impl Copied {
    fn new(from: Dir, to: Dir) -> io::Result<Self> {
        let entries = from.entries()?;
        let names = entries.map(|entry| Ok(entry?.file_name()));
        let left = names.collect::<io::Result<_>>()?;
        Ok(Self {
            from,
            to,
            left,
            created: None,
        })
    }

    /// The directory of this name in `parent`, created unless it is there.
    fn below(from: Dir, parent: &Dir, name: &OsStr) -> io::Result<Self> {
        let permissions = from.dir_metadata()?.permissions();
        let is_merged = match parent.create_dir(name) {
            Ok(()) => false,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !parent.symlink_metadata(name)?.is_dir() {
                    return Err(error);
                }
                true
            }
            Err(error) => return Err(error),
        };
        let mut level = Self::new(from, parent.open_dir(name)?)?;
        level.created = (!is_merged).then(|| (name.to_owned(), permissions));
        Ok(level)
    }
}

/// Copies what is in the directory `top`, whose own copy is in `parent`.
fn copy_tree(top: Copied, parent: &Dir) -> io::Result<()> {
    let mut levels = vec![top];
    while let Some(level) = levels.last_mut() {
        let Some(name) = level.left.pop() else {
            let done = levels.pop().and_then(|level| level.created);
            if let Some((name, permissions)) = done {
                // Last, as the copy may forbid what was needed to fill it.
                let above = levels.last().map_or(parent, |above| &above.to);
                above.set_permissions(name, permissions)?;
            }
            continue;
        };
        let own = level.from.symlink_metadata(&name)?;
        if !own.is_dir() {
            copy_name((&level.from, &name), &own, (&level.to, &name))?;
            continue;
        }
        let next = Copied::below(level.from.open_dir(&name)?, &level.to, &name)?;
        if levels.len() == MAX_COPIED_LEVELS {
            let message = format!("a tree of more than {MAX_COPIED_LEVELS} levels is not copied");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        levels.push(next);
    }
    Ok(())
}

fn copy_name(from: Name<'_>, own: &Metadata, to: Name<'_>) -> io::Result<()> {
    if !own.is_symlink() {
        check_regular(own.file_type())?;
    }
    match to.0.symlink_metadata(to.1) {
        Ok(present) if present.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(present) if is_same_file(own, &present) => return Ok(()),
        // Copying through a link, or onto a file that is to become one, would change another file.
        Ok(present) if present.is_symlink() || (own.is_symlink() && present.is_file()) => {
            // What is in the way goes only for something that can take its place.
            if !own.is_symlink() {
                open_regular(from.0, from.1, OpenOptions::new().read(true))?;
            }
            remove_name(to.0, to.1, &present)?;
        }
        Ok(present) => check_regular(present.file_type())?,
        Err(_) => {}
    }
    if own.is_symlink() {
        return link(from, to);
    }
    let (mut source, metadata) = open_regular(from.0, from.1, OpenOptions::new().read(true))?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let (mut destination, _) = open_regular(to.0, to.1, &mut options)?;
    io::copy(&mut source, &mut destination)?;
    destination.set_permissions(metadata.permissions())
}

fn link(from: Name<'_>, to: Name<'_>) -> io::Result<()> {
    let target = from.0.read_link_contents(from.1)?;
    #[cfg(not(windows))]
    return to.0.symlink_contents(target, to.1);
    #[cfg(windows)]
    return if from.0.metadata(from.1).is_ok_and(|target| target.is_dir()) {
        to.0.symlink_dir(target, to.1)
    } else {
        to.0.symlink_file(target, to.1)
    };
}

/// Whether two names are one file, which copying would empty.
fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    use cap_std::fs::MetadataExt as _;
    #[cfg(unix)]
    return (one.dev(), one.ino()) == (other.dev(), other.ino());
    #[cfg(not(unix))]
    return one.creation_time() == other.creation_time()
        && one.last_write_time() == other.last_write_time()
        && one.file_size() == other.file_size()
        && one.file_attributes() == other.file_attributes();
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
