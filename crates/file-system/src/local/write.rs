//! The writing calls.
//!
//! Links are copied as links and never followed, at the top and below. A directory is merged into one
//! that exists.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use codex_path_uri::PathUri;

use super::read::regular_file;
use super::sandbox::{Need, authorize, location_of_name};
use super::{Sandbox, host_path};
use crate::{CopyOptions, CreateDirectoryOptions, RemoveOptions};

/// Most levels of a tree that is copied or removed by one call.
const MAX_TREE_DEPTH: usize = 128;

pub(super) fn file(path: &PathUri, contents: &[u8], sandbox: Sandbox<'_>) -> io::Result<()> {
    let path = host_path(path)?;
    authorize(sandbox, &[Need::write(&path)])?;
    let mut options = OpenOptions::new();
    let (mut file, _) = regular_file(&path, options.write(true).create(true).truncate(true))?;
    file.write_all(contents)
}

pub(super) fn directory(
    path: &PathUri,
    options: CreateDirectoryOptions,
    sandbox: Sandbox<'_>,
) -> io::Result<()> {
    let path = host_path(path)?;
    authorize(sandbox, &[Need::change_name(&path)])?;
    if options.recursive {
        fs::create_dir_all(&path)
    } else {
        fs::create_dir(&path)
    }
}

pub(super) fn removal(
    path: &PathUri,
    options: RemoveOptions,
    sandbox: Sandbox<'_>,
) -> io::Result<()> {
    let path = host_path(path)?;
    let mut need = Need::change_name(&path);
    if options.recursive {
        need = need.and_below();
    }
    authorize(sandbox, &[need])?;
    let found = match fs::symlink_metadata(&path) {
        Ok(found) => found,
        Err(error) if options.force && error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !found.is_dir() {
        remove_name(&path, &found)
    } else {
        match fs::remove_dir(&path) {
            // An empty directory goes without being read, so that is tried first.
            Err(error) if options.recursive && error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                // The standard library goes down by recursion, without a bound.
                check_depth(&path, 1)?;
                fs::remove_dir_all(&path)
            }
            answer => answer,
        }
    }
}

/// Refuses a tree that is too deep to be removed. Links are not followed, and one directory is open at a time.
fn check_depth(directory: &Path, depth: usize) -> io::Result<()> {
    if depth > MAX_TREE_DEPTH {
        return Err(too_deep("removed"));
    }
    let mut below = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            below.push(entry.path());
        }
    }
    below
        .iter()
        .try_for_each(|path| check_depth(path, depth + 1))
}

fn too_deep(done: &str) -> io::Error {
    let message = format!("a tree of more than {MAX_TREE_DEPTH} levels is not {done}");
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

/// Removes a file or a link. Windows removes a link to a directory as the directory it looks
/// like.
fn remove_name(path: &Path, found: &Metadata) -> io::Result<()> {
    #[cfg(windows)]
    if std::os::windows::fs::FileTypeExt::is_symlink_dir(&found.file_type()) {
        return fs::remove_dir(path);
    }
    #[cfg(not(windows))]
    let _ = found;
    fs::remove_file(path)
}

pub(super) fn copy(
    source: &PathUri,
    destination: &PathUri,
    options: CopyOptions,
    sandbox: Sandbox<'_>,
) -> io::Result<()> {
    let source = host_path(source)?;
    let destination = host_path(destination)?;
    let mut needs = [Need::read(&source), Need::change_name(&destination)];
    if options.recursive {
        needs = needs.map(Need::and_below);
    }
    authorize(sandbox, &needs)?;
    let found = fs::symlink_metadata(&source)?;
    if found.is_dir() {
        if !options.recursive {
            let message = "a directory is copied recursively only";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        if location_of_name(&destination).starts_with(location_of_name(&source)) {
            let message = "a directory cannot be copied into itself";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
    }
    copied(&source, &found, &destination, 1)
}

fn copied(source: &Path, found: &Metadata, destination: &Path, depth: usize) -> io::Result<()> {
    if found.is_dir() {
        return copied_directory(source, found, destination, depth);
    }
    if !found.is_file() && !found.is_symlink() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    match fs::symlink_metadata(destination) {
        Ok(present) if present.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(present) if is_same_file(source, found, destination, &present) => return Ok(()),
        // Copying through a link, or onto a file that is to become one, would change another file.
        Ok(present) if present.is_symlink() || (found.is_symlink() && present.is_file()) => {
            // What is in the way goes only for something that can take its place.
            if found.is_file() {
                fs::File::open(source)?;
            }
            remove_name(destination, &present)?;
        }
        Ok(present) if !present.is_file() => {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        _ => {}
    }
    if found.is_symlink() {
        copied_link(source, destination)
    } else {
        copied_file(source, destination)
    }
}

/// Copies a regular file. What took its place meanwhile, such as a FIFO, is refused and never waited for.
fn copied_file(source: &Path, destination: &Path) -> io::Result<()> {
    let (mut from, found) = regular_file(source, OpenOptions::new().read(true))?;
    let mut options = OpenOptions::new();
    let (mut to, _) = regular_file(destination, options.write(true).create(true).truncate(true))?;
    io::copy(&mut from, &mut to)?;
    to.set_permissions(found.permissions())
}

fn copied_directory(
    source: &Path,
    found: &Metadata,
    destination: &Path,
    depth: usize,
) -> io::Result<()> {
    if depth > MAX_TREE_DEPTH {
        return Err(too_deep("copied"));
    }
    let is_merged = match fs::create_dir(destination) {
        Ok(()) => false,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if !fs::symlink_metadata(destination)?.is_dir() {
                return Err(error);
            }
            true
        }
        Err(error) => return Err(error),
    };
    // The names first, so that one directory is open at a time.
    let entries: Vec<_> = fs::read_dir(source)?.collect::<io::Result<_>>()?;
    for entry in entries {
        let target = destination.join(entry.file_name());
        copied(&entry.path(), &entry.metadata()?, &target, depth + 1)?;
    }
    // Last, as the copy may forbid what was needed to fill it.
    if is_merged {
        Ok(())
    } else {
        fs::set_permissions(destination, found.permissions())
    }
}

#[cfg(unix)]
fn copied_link(source: &Path, destination: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(fs::read_link(source)?, destination)
}

#[cfg(windows)]
fn copied_link(source: &Path, destination: &Path) -> io::Result<()> {
    use std::os::windows::fs::{FileTypeExt, symlink_dir, symlink_file};

    let target = fs::read_link(source)?;
    if fs::symlink_metadata(source)?.file_type().is_symlink_dir() {
        symlink_dir(target, destination)
    } else {
        symlink_file(target, destination)
    }
}

/// Whether two names are one file, which copying would empty.
#[cfg(unix)]
fn is_same_file(_: &Path, source: &Metadata, _: &Path, destination: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (source.dev(), source.ino()) == (destination.dev(), destination.ino())
}

#[cfg(not(unix))]
fn is_same_file(source: &Path, _: &Metadata, destination: &Path, _: &Metadata) -> bool {
    location_of_name(source) == location_of_name(destination)
}
