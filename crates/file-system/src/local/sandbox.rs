//! Enforcing the sandbox of a call before the call begins.
//!
//! What a call needs is judged by where its path really leads; a path that leads nowhere is
//! judged by where it would, so that what is denied does not tell whether it exists.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use codex_path_uri::PathUri;

use super::Sandbox;
use crate::sandbox::case_policy;
use crate::{SandboxAccess, SandboxEntry, granted_access};

/// Most links that are followed on the way to something that does not exist; as many as Linux
/// follows to something that does.
const MAX_LINKS: usize = 40;

/// What a call needs at one path.
#[derive(Clone, Copy)]
pub(super) struct Need<'a> {
    path: &'a Path,
    access: SandboxAccess,
    target: Target,
    /// Whether the call reaches everything below the target.
    is_deep: bool,
}

#[derive(Clone, Copy)]
enum Target {
    /// Where the path leads, links followed.
    Followed,
    /// The last name of the path in its real directory.
    Name,
}

impl<'a> Need<'a> {
    /// To read the target.
    pub(super) fn read(path: &'a Path) -> Self {
        Self {
            path,
            access: SandboxAccess::Read,
            target: Target::Followed,
            is_deep: false,
        }
    }

    /// To change the content of the target.
    pub(super) fn write(path: &'a Path) -> Self {
        Self {
            access: SandboxAccess::Write,
            ..Self::read(path)
        }
    }

    /// To create or remove the name itself.
    pub(super) fn change_name(path: &'a Path) -> Self {
        Self {
            target: Target::Name,
            ..Self::write(path)
        }
    }

    /// The same for everything below.
    pub(super) fn and_below(mut self) -> Self {
        self.is_deep = true;
        self
    }

    fn location(&self) -> io::Result<PathUri> {
        PathUri::from_host_native_path(match self.target {
            Target::Followed => followed(self.path, MAX_LINKS),
            Target::Name => location_of_name(self.path),
        })
    }
}

/// Checks every need of one call.
///
/// # Errors
/// `PermissionDenied` if one is not granted.
pub(super) fn authorize(sandbox: Sandbox<'_>, needs: &[Need<'_>]) -> io::Result<()> {
    let Some(entries) = sandbox.and_then(|sandbox| sandbox.restrictions()) else {
        return Ok(());
    };
    let entries: Vec<_> = entries.iter().map(canonical).collect();
    for need in needs {
        let location = need.location()?;
        let mut granted = granted_access(&location, entries.iter().cloned());
        if need.is_deep {
            let case = case_policy(&location);
            let below = entries
                .iter()
                .filter(|entry| entry.path.starts_with_under(&location, case));
            granted = below
                .map(|entry| entry.access)
                .fold(granted, SandboxAccess::min);
        }
        if granted < need.access {
            let message = "the sandbox of the call does not allow it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
    }
    Ok(())
}

/// The entry with its real path. One that does not exist is compared as it is spelled.
fn canonical(entry: &SandboxEntry) -> SandboxEntry {
    let real = entry.path.to_path_buf().and_then(fs::canonicalize);
    let path = real.and_then(PathUri::from_host_native_path);
    SandboxEntry {
        path: path.unwrap_or_else(|_| entry.path.clone()),
        access: entry.access,
    }
}

/// Where the last name of a path really is, whatever it stands for.
pub(super) fn location_of_name(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(directory), Some(name)) => followed(directory, MAX_LINKS).join(name),
        _ => path.to_owned(),
    }
}

/// Where a path leads, or would lead if what is missing were there.
fn followed(path: &Path, links: usize) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return path.to_owned();
    };
    let directory = followed(directory, links);
    let location = directory.join(name);
    match fs::read_link(&location) {
        Ok(target) if links > 0 => followed(&directory.join(target), links - 1),
        _ => location,
    }
}
