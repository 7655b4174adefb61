//! [`CallKind`]: the name of a call.

use crate::Operation;

/// The methods of [`ExecutorFileSystem`](crate::ExecutorFileSystem).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// [`get_metadata`](crate::ExecutorFileSystem::get_metadata).
    GetMetadata,
    /// [`read_file`](crate::ExecutorFileSystem::read_file).
    ReadFile,
    /// [`read_directory`](crate::ExecutorFileSystem::read_directory).
    ReadDirectory,
    /// [`canonicalize`](crate::ExecutorFileSystem::canonicalize).
    Canonicalize,
    /// [`write_file`](crate::ExecutorFileSystem::write_file).
    WriteFile,
    /// [`create_directory`](crate::ExecutorFileSystem::create_directory).
    CreateDirectory,
    /// [`remove`](crate::ExecutorFileSystem::remove).
    Remove,
    /// [`copy`](crate::ExecutorFileSystem::copy).
    Copy,
    /// [`read_file_text`](crate::ExecutorFileSystem::read_file_text).
    ReadFileText,
    /// [`read_file_prefix`](crate::ExecutorFileSystem::read_file_prefix).
    ReadFilePrefix,
    /// [`walk`](crate::ExecutorFileSystem::walk).
    Walk,
}

impl CallKind {
    /// What an error of such a call says it was doing.
    pub const fn operation(self) -> Operation {
        match self {
            CallKind::GetMetadata => Operation::GetMetadata,
            CallKind::ReadFile | CallKind::ReadFileText | CallKind::ReadFilePrefix => {
                Operation::ReadFile
            }
            CallKind::ReadDirectory | CallKind::Walk => Operation::ReadDirectory,
            CallKind::Canonicalize => Operation::Canonicalize,
            CallKind::WriteFile => Operation::WriteFile,
            CallKind::CreateDirectory => Operation::CreateDirectory,
            CallKind::Remove => Operation::Remove,
            CallKind::Copy => Operation::Copy,
        }
    }

    /// Whether such a call changes the filesystem.
    pub const fn is_write(self) -> bool {
        matches!(
            self,
            CallKind::WriteFile | CallKind::CreateDirectory | CallKind::Remove | CallKind::Copy
        )
    }
}
