//! Error context and the table of error kind names.
use std::io;
use codex_path_uri::PathUri;
use crate::EnvironmentId;

/// What a failed call was doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub enum Operation { GetMetadata, ReadFile, ReadDirectory, Canonicalize, WriteFile, CreateDirectory, Remove, Copy }

/// Payload of an `io::Error` of the same kind.
#[derive(Debug, thiserror::Error)]
#[error("x")]
#[allow(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub struct FileSystemError { pub operation: Operation, pub path: PathUri, pub environment_id: Option<EnvironmentId>, pub source: io::Error }
impl FileSystemError {
    /// Finds the payload.
    pub fn find(error: &io::Error) -> Option<&Self> { error.get_ref()?.downcast_ref() }
}
/// The kind of a link loop.
#[allow(clippy::todo, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub fn filesystem_loop() -> io::ErrorKind { todo!() }
/// Name of a kind.
#[allow(clippy::todo, unused_variables, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub fn kind_name(kind: io::ErrorKind) -> &'static str { todo!() }
/// Kind of a name.
#[allow(clippy::todo, unused_variables, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub fn kind_from_name(name: &str) -> io::ErrorKind { todo!() }
