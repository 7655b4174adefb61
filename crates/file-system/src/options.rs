//! Options of the write operations.
//!
//! Plain data without setters: there is nothing to choose but the fields. Where leaving one out
//! could destroy something, there is no default.

/// How [`create_directory`](crate::ExecutorFileSystem::create_directory) treats parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateDirectoryOptions {
    /// Create missing parents, and accept a directory that exists.
    pub recursive: bool,
}

impl Default for CreateDirectoryOptions {
    fn default() -> Self {
        Self { recursive: true }
    }
}

/// What [`remove`](crate::ExecutorFileSystem::remove) may take away. There is no default:
/// the caller says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoveOptions {
    /// Remove a directory with everything in it; links are never followed.
    pub recursive: bool,
    /// Succeed when there is nothing to remove.
    pub force: bool,
}

/// What [`copy`](crate::ExecutorFileSystem::copy) may copy. There is no default: the caller
/// says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyOptions {
    /// Copy a directory with everything in it.
    pub recursive: bool,
}
