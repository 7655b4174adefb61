//! The writing calls but copying.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};

use cap_std::fs::{Dir, Metadata, OpenOptions};
use codex_file_system::{CreateDirectoryOptions, RemoveOptions};
use codex_path_uri::PathUri;

use super::place::Roots;
use super::read::regular_file;
use super::resolve::{Directory, LastLink};
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
    for depth in 1..=names.len() {
        created(root, names.get(..depth).unwrap_or_default(), true)?;
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
            directory.remove_dir_all(name)
        }
        answer => answer,
    }
}

/// Removes a file or a link. Windows removes a link to a directory as the directory it looks
/// like.
pub(super) fn remove_name(directory: &Dir, name: &OsStr, found: &Metadata) -> io::Result<()> {
    if cfg!(windows) && found.is_symlink() && directory.remove_dir(name).is_ok() {
        return Ok(());
    }
    directory.remove_file(name)
}
