//! The restriction a caller puts on a call, and the one decision it comes down to.
//!
//! A filesystem that enforces restrictions resolves the target and the entries itself and asks
//! [`granted_access`] before the operation. One that cannot answers
//! [`Unsupported`](std::io::ErrorKind::Unsupported) without any I/O. The check holds at the time
//! of the call; it is no defence against somebody who swaps links meanwhile.

use std::cmp::Reverse;

use codex_path_uri::{CasePolicy, PathConvention, PathUri};

/// What one call may touch.
///
/// # Examples
/// ```
/// use codex_file_system::{
///     FileSystemSandboxContext, SandboxAccess, SandboxEntry, SandboxPolicy,
/// };
/// use codex_path_uri::PathUri;
///
/// let entry = |path, access| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(SandboxEntry { path: PathUri::parse(path)?, access })
/// };
/// let sandbox = FileSystemSandboxContext::new(SandboxPolicy::Restricted(vec![
///     entry("file:///srv/repo", SandboxAccess::Write)?,
///     entry("file:///srv/repo/.git", SandboxAccess::Read)?,
/// ]));
/// assert!(sandbox.restrictions().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileSystemSandboxContext {
    /// The restriction.
    pub policy: SandboxPolicy,
    /// Information for hosts; decides nothing.
    pub cwd: Option<PathUri>,
}

impl FileSystemSandboxContext {
    /// A context with this policy and no working directory.
    pub fn new(policy: SandboxPolicy) -> Self {
        Self { policy, cwd: None }
    }

    /// Sets the working directory.
    #[must_use]
    pub fn with_cwd(mut self, cwd: PathUri) -> Self {
        self.cwd = Some(cwd);
        self
    }

    /// The entries that restrict a call; `None` if nothing does.
    pub fn restrictions(&self) -> Option<&[SandboxEntry]> {
        match &self.policy {
            SandboxPolicy::Unrestricted => None,
            SandboxPolicy::Restricted(entries) => Some(entries),
        }
    }
}

/// The restriction itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SandboxPolicy {
    /// No restriction.
    Unrestricted,
    /// The longest entry at or above the canonical target decides; no entry: no access.
    Restricted(Vec<SandboxEntry>),
}

/// What may be done at and below one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxEntry {
    /// The path the entry speaks of.
    pub path: PathUri,
    /// What may be done there.
    pub access: SandboxAccess,
}

/// Access, smallest first; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxAccess {
    /// Nothing.
    None,
    /// Metadata, reads, listings, canonical paths, being the source of a copy.
    Read,
    /// Everything, reading included.
    Write,
}

/// What canonical entries allow at a canonical target.
///
/// The longest entry at or above the target decides, of equal paths the smaller access. Without
/// one there is no access. Windows paths are compared without regard to ASCII case.
///
/// # Examples
/// ```
/// use codex_file_system::{SandboxAccess, SandboxEntry, granted_access};
/// use codex_path_uri::PathUri;
///
/// let entries = [
///     SandboxEntry { path: PathUri::parse("file:///srv")?, access: SandboxAccess::Write },
///     SandboxEntry { path: PathUri::parse("file:///srv/repo")?, access: SandboxAccess::Read },
/// ];
/// let granted = |target| Ok::<_, codex_path_uri::PathUriError>(
///     granted_access(&PathUri::parse(target)?, entries.iter().cloned()),
/// );
/// assert_eq!(granted("file:///srv/other")?, SandboxAccess::Write);
/// assert_eq!(granted("file:///srv/repo/a")?, SandboxAccess::Read);
/// assert_eq!(granted("file:///srv-2")?, SandboxAccess::None);
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
pub fn granted_access(
    target: &PathUri,
    entries: impl IntoIterator<Item = SandboxEntry>,
) -> SandboxAccess {
    let case = case_policy(target);
    entries
        .into_iter()
        .filter(|entry| target.starts_with_under(&entry.path, case))
        .max_by_key(|entry| (entry.path.lexical_depth(), Reverse(entry.access)))
        .map_or(SandboxAccess::None, |entry| entry.access)
}

/// How a rule compares the paths of a machine, so that spelling one in another case evades nothing.
pub(crate) fn case_policy(path: &PathUri) -> CasePolicy {
    match path.convention() {
        Some(PathConvention::Windows) => CasePolicy::AsciiFold,
        _ => CasePolicy::Exact,
    }
}
