//! The writing calls but copying.

use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use codex_path_uri::PathUri;

use super::open::regular_file;
use super::sandbox::{Need, authorize};
use super::{Sandbox, host_path};
use crate::{CreateDirectoryOptions, RemoveOptions};

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
                fs::remove_dir_all(&path)
            }
            answer => answer,
        }
    }
}

/// Removes a file or a link. Windows removes a link to a directory as the directory it looks
/// like.
pub(super) fn remove_name(path: &Path, found: &Metadata) -> io::Result<()> {
    #[cfg(windows)]
    if std::os::windows::fs::FileTypeExt::is_symlink_dir(&found.file_type()) {
        return fs::remove_dir(path);
    }
    #[cfg(not(windows))]
    let _ = found;
    fs::remove_file(path)
}
