//! The sandbox of a call, enforced before the operation touches anything.
//!
//! What a call needs is judged by where its path really leads; a path that leads nowhere is
//! judged by where it would. The entries of the sandbox are resolved the same way, except that an
//! entry which does not exist is compared as it is spelled.

use std::cmp::Reverse;
use std::io;

use codex_file_system::{FileSystemSandboxContext, SandboxAccess, SandboxEntry, SandboxPolicy};
use codex_path_uri::{CasePolicy, PathUri};

use crate::memory::location::Location;
use crate::memory::resolve::LastLink;
use crate::memory::tree::Tree;

/// The restriction of one call, as every operation takes it.
pub(super) type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

impl Tree {
    /// Checks that the sandbox lets `location`, links followed, be read or written.
    pub(super) fn check_target(
        &self,
        sandbox: Sandbox<'_>,
        location: &Location,
        need: SandboxAccess,
    ) -> io::Result<()> {
        self.check(sandbox, need, || {
            match self.resolve(location, LastLink::Follow) {
                Ok(resolved) => resolved.location(),
                Err(unresolved) => unresolved.location(),
            }
        })
    }

    /// Checks that the sandbox lets the name at `location` be written, whatever it stands for.
    pub(super) fn check_name(&self, sandbox: Sandbox<'_>, location: &Location) -> io::Result<()> {
        self.check(sandbox, SandboxAccess::Write, || {
            match self.resolve(location, LastLink::Keep) {
                Ok(resolved) => resolved.location(),
                Err(unresolved) => unresolved.location(),
            }
        })
    }

    fn check(
        &self,
        sandbox: Sandbox<'_>,
        need: SandboxAccess,
        target: impl FnOnce() -> Location,
    ) -> io::Result<()> {
        let Some(FileSystemSandboxContext {
            policy: SandboxPolicy::Restricted(entries),
            ..
        }) = sandbox
        else {
            return Ok(());
        };
        let target = target().to_uri(self.flavor)?;
        let canonical = entries.iter().map(|entry| {
            let path = self
                .canonical(&entry.path)
                .unwrap_or_else(|_| entry.path.clone());
            SandboxEntry {
                path,
                access: entry.access,
            }
        });
        if granted(&target, canonical, self.flavor.case_policy()) >= need {
            Ok(())
        } else {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }

    /// The URI of the real entry that `path` leads to.
    fn canonical(&self, path: &PathUri) -> io::Result<PathUri> {
        let location = Location::from_uri(self.flavor, path)?;
        let resolved = self
            .resolve(&location, LastLink::Follow)
            .map_err(|gone| gone.error())?;
        resolved.location().to_uri(self.flavor)
    }
}

/// What the longest entry at or above `target` allows; of equal paths the smaller access.
fn granted(
    target: &PathUri,
    entries: impl Iterator<Item = SandboxEntry>,
    case: CasePolicy,
) -> SandboxAccess {
    entries
        .filter(|entry| target.starts_with_under(&entry.path, case))
        .max_by_key(|entry| (entry.path.as_str().len(), Reverse(entry.access)))
        .map_or(SandboxAccess::None, |entry| entry.access)
}
