//! The sandbox of a call, enforced before the operation touches anything.
//!
//! What a call needs is judged by where its path really leads; a path that leads nowhere is
//! judged by where it would, so that a denial does not tell what exists. The entries of the
//! sandbox are resolved the same way, except that an entry which does not exist is compared as it
//! is spelled. The decision itself is `granted_access` of the filesystem crate.

use std::io;

use codex_file_system::{FileSystemSandboxContext, SandboxAccess, SandboxEntry, granted_access};
use codex_path_uri::PathUri;

use crate::memory::location::Location;
use crate::memory::resolve::LastLink;
use crate::memory::tree::Tree;

/// The restriction of one call, as every operation takes it.
pub(super) type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// What a call needs at one location.
pub(super) struct Need<'l> {
    location: &'l Location,
    access: SandboxAccess,
    last_link: LastLink,
    is_deep: bool,
}

impl<'l> Need<'l> {
    /// To read what the location leads to.
    pub(super) fn read(location: &'l Location) -> Self {
        Self {
            location,
            access: SandboxAccess::Read,
            last_link: LastLink::Follow,
            is_deep: false,
        }
    }

    /// To change what the location leads to.
    pub(super) fn write(location: &'l Location) -> Self {
        Self {
            access: SandboxAccess::Write,
            ..Self::read(location)
        }
    }

    /// To create or take away the name itself.
    pub(super) fn change_name(location: &'l Location) -> Self {
        Self {
            last_link: LastLink::Keep,
            ..Self::write(location)
        }
    }

    /// The same for everything below, if the call is recursive.
    pub(super) fn and_below(self, recursive: bool) -> Self {
        Self {
            is_deep: recursive,
            ..self
        }
    }
}

impl Tree {
    /// Checks what a call needs; a refusal is `PermissionDenied`.
    pub(super) fn authorize(&self, sandbox: Sandbox<'_>, need: &Need<'_>) -> io::Result<()> {
        let Some(entries) = sandbox.and_then(|sandbox| sandbox.restrictions()) else {
            return Ok(());
        };
        let entries: Vec<_> = entries.iter().map(|entry| self.canonical(entry)).collect();
        let target = match self.resolve(need.location, need.last_link) {
            Ok(resolved) => resolved.location(),
            Err(unresolved) => unresolved.location(),
        };
        let target = target.to_uri(self.flavor)?;
        let mut granted = granted_access(&target, entries.iter().cloned());
        if need.is_deep {
            let case = self.flavor.case_policy();
            let below = entries
                .iter()
                .filter(|entry| entry.path.starts_with_under(&target, case));
            granted = below
                .map(|entry| entry.access)
                .fold(granted, SandboxAccess::min);
        }
        if granted >= need.access {
            Ok(())
        } else {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    /// The entry with its real path, or as it is where that leads nowhere.
    fn canonical(&self, entry: &SandboxEntry) -> SandboxEntry {
        let path = self
            .real_path_of(&entry.path)
            .unwrap_or_else(|_| entry.path.clone());
        SandboxEntry {
            path,
            access: entry.access,
        }
    }

    fn real_path_of(&self, path: &PathUri) -> io::Result<PathUri> {
        let location = Location::from_uri(self.flavor, path)?;
        let resolved = self
            .resolve(&location, LastLink::Follow)
            .map_err(|gone| gone.error())?;
        resolved.location().to_uri(self.flavor)
    }
}
