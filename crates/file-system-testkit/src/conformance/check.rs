//! How a case says what it expects: comparisons that fail with both values and the line.

use std::error::Error;
use std::fmt;
use std::io;
use std::panic::Location;

use codex_file_system::{FileMetadata, ReadDirectoryEntry};
use pretty_assertions::Comparison;

/// Why a case failed, for people.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(String);

impl Failure {
    /// A failure at the line of the caller.
    #[track_caller]
    pub fn new(text: impl fmt::Display) -> Self {
        Self(format!("{}: {text}", Location::caller()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<E: Error> From<E> for Failure {
    #[track_caller]
    fn from(error: E) -> Self {
        Self::new(error)
    }
}

/// Expects `actual` to be `expected`.
#[track_caller]
pub(super) fn check<T: fmt::Debug + PartialEq>(actual: T, expected: T) -> Result<(), Failure> {
    if actual == expected {
        return Ok(());
    }
    Err(Failure::new(format!(
        "expected (left) is not what came (right)\n{}",
        Comparison::new(&expected, &actual)
    )))
}

/// Expects a call to fail with this kind.
#[track_caller]
pub(super) fn check_error<T: fmt::Debug>(
    actual: Result<T, io::ErrorKind>,
    expected: io::ErrorKind,
) -> Result<(), Failure> {
    match actual {
        Err(kind) => check(kind, expected),
        Ok(value) => Err(Failure::new(format!(
            "expected {expected:?}, came {value:?}"
        ))),
    }
}

/// The answer of a call that cannot be done without.
#[track_caller]
pub(super) fn must<T>(actual: Result<T, io::ErrorKind>) -> Result<T, Failure> {
    actual.map_err(|kind| Failure::new(format!("expected success, came {kind:?}")))
}

/// Expects metadata of this kind, and this size and link flag where the filesystem tells them.
///
/// Times are not compared, and neither is a size that is not expected: that of a directory means
/// nothing.
#[track_caller]
pub(super) fn check_metadata(
    actual: Result<FileMetadata, io::ErrorKind>,
    expected: FileMetadata,
) -> Result<(), Failure> {
    let comparable = actual.map(|metadata| {
        let size = expected
            .size
            .map(|expected| metadata.size.unwrap_or(expected));
        let is_symlink = metadata.is_symlink.or(expected.is_symlink);
        FileMetadata::new(metadata.kind)
            .with_size(size)
            .with_is_symlink(is_symlink)
    });
    check(comparable, Ok(expected))
}

/// Expects exactly these entries, and these link flags where the filesystem tells them.
#[track_caller]
pub(super) fn check_listing(
    actual: Result<Vec<ReadDirectoryEntry>, io::ErrorKind>,
    expected: Vec<ReadDirectoryEntry>,
) -> Result<(), Failure> {
    let comparable = actual.map(|mut entries| {
        for (entry, expected) in entries.iter_mut().zip(&expected) {
            entry.is_symlink = entry.is_symlink.or(expected.is_symlink);
        }
        entries
    });
    check(comparable, Ok(expected))
}
