//! The restriction a caller puts on a call.

use codex_path_uri::PathUri;

/// What one call may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileSystemSandboxContext {
    /// The restriction.
    pub policy: SandboxPolicy,
    /// Information for hosts; decides nothing.
    pub cwd: Option<PathUri>,
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

/// Access, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxAccess {
    /// Nothing.
    None,
    /// Metadata, reads, listings, canonical paths, being the source of a copy.
    Read,
    /// Everything, reading included.
    Write,
}

impl FileSystemSandboxContext {
    /// A context with this policy and no working directory.
    pub fn new(policy: SandboxPolicy) -> Self {
        Self { policy, cwd: None }
    }

    /// Sets the working directory.
    pub fn with_cwd(mut self, cwd: PathUri) -> Self {
        self.cwd = Some(cwd);
        self
    }
}
