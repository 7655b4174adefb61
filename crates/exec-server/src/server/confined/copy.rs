//! Copying within the roots, from one of them to another too.
//!
//! Links are copied as links and never followed, at the top and below. A directory is merged into
//! one that exists.

use std::ffi::OsStr;
use std::io;

use cap_std::fs::{Dir, Metadata, OpenOptions};
use codex_file_system::CopyOptions;
use codex_path_uri::PathUri;

use super::place::{Place, Roots};
use super::read::{check_regular, open_regular};
use super::resolve::{Directory, Found, LastLink};
use super::write::remove_name;

pub(super) fn entry(
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
    let is_directory = matches!(&source.metadata, Ok(own) if own.is_dir());
    if is_directory {
        if destination.canonical()?.starts_with(&source.canonical()?) {
            return Err(invalid("a directory cannot be copied into itself"));
        }
        let own = source.metadata.as_ref().ok().map(Metadata::permissions);
        let from = source.into_directory()?;
        return match &destination.name {
            Some(name) => {
                let to = destination.parent.handle();
                directory(from.handle(), own, to, name)
            }
            None => contents(from.handle(), destination.parent.handle()),
        };
    }
    let own = source.metadata?;
    match (&source.name, &destination.name) {
        (Some(from), Some(to)) => {
            let (from, to) = (
                (source.parent.handle(), &**from),
                (destination.parent.handle(), &**to),
            );
            file_or_link(from, &own, to)
        }
        _ => Err(io::ErrorKind::IsADirectory.into()),
    }
}

/// A name in an opened directory.
type Name<'a> = (&'a Dir, &'a OsStr);

fn directory(
    from: &Dir,
    permissions: Option<cap_std::fs::Permissions>,
    parent: &Dir,
    name: &OsStr,
) -> io::Result<()> {
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
    contents(from, &parent.open_dir(name)?)?;
    // Last, as the copy may forbid what was needed to fill it.
    match permissions {
        Some(permissions) if !is_merged => parent.set_permissions(name, permissions),
        _ => Ok(()),
    }
}

fn contents(from: &Dir, to: &Dir) -> io::Result<()> {
    for entry in from.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        let own = from.symlink_metadata(&name)?;
        if own.is_dir() {
            directory(&from.open_dir(&name)?, Some(own.permissions()), to, &name)?;
        } else {
            file_or_link((from, &name), &own, (to, &name))?;
        }
    }
    Ok(())
}

fn file_or_link(from: Name<'_>, own: &Metadata, to: Name<'_>) -> io::Result<()> {
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
