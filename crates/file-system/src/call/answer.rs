//! [`Answer`]: what a call may answer, as far as a wrapper looks into it.

use codex_path_uri::PathUri;

use super::CallKind;
use crate::{
    EnvironmentId, FileMetadata, FilePrefix, FileSystemError, ReadDirectoryEntry, Walk, WalkError,
};

/// What a call may answer.
pub trait Answer: InContext + Send + 'static {
    /// How many bytes of file content the answer carries.
    fn bytes_read(&self) -> u64 {
        0
    }
}

/// What only this crate asks of an answer, so that there are no others.
pub trait InContext: Sized {
    /// Adds the context of the errors that are part of a successful answer.
    fn add_context(self, _environment_id: Option<&EnvironmentId>) -> Self {
        self
    }
}

impl Answer for () {}
impl Answer for FileMetadata {}
impl Answer for PathUri {}
impl Answer for Vec<ReadDirectoryEntry> {}
impl Answer for Walk {}

impl Answer for Vec<u8> {
    fn bytes_read(&self) -> u64 {
        self.len() as u64
    }
}

impl Answer for String {
    fn bytes_read(&self) -> u64 {
        self.len() as u64
    }
}

impl Answer for FilePrefix {
    fn bytes_read(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl InContext for () {}
impl InContext for FileMetadata {}
impl InContext for PathUri {}
impl InContext for Vec<ReadDirectoryEntry> {}
impl InContext for Vec<u8> {}
impl InContext for String {}
impl InContext for FilePrefix {}

impl InContext for Walk {
    fn add_context(mut self, environment_id: Option<&EnvironmentId>) -> Self {
        let operation = CallKind::Walk.operation();
        let with_context = |mut failed: WalkError| {
            failed.error =
                FileSystemError::attach(failed.error, operation, &failed.path, environment_id);
            failed
        };
        self.errors = self.errors.into_iter().map(with_context).collect();
        self
    }
}
