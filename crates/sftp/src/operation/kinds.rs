//! What a refusal means where the status alone does not tell.
//!
//! Servers have one code for "something else is wrong". One stat of the path decides which of
//! the kinds of the contract it is; if the stat fails too, the refusal stands as it is.

use std::io;

use codex_file_system::FileKind;

use crate::connection::Lane;
use crate::failure::Failure;
use crate::wire::{Attributes, code};

/// What attributes say of the kind of a target.
pub(super) fn kind_of(attributes: &Attributes) -> Result<FileKind, Failure> {
    match attributes.file_type().map(|own| own.kind()) {
        // A server that follows links tells of none.
        Some(kind) => Ok(kind.unwrap_or(FileKind::Other)),
        None => Err(Failure::protocol("stat", "the type of the file is missing")),
    }
}

/// Whether a stat may tell why a request was refused.
pub(super) fn is_undecided(failure: &Failure) -> bool {
    failure.has_code(code::FAILURE) || failure.has_code(code::PERMISSION_DENIED)
}

/// Why a file cannot be read or written, if its kind is the reason.
pub(super) fn not_a_file(kind: FileKind) -> Option<Failure> {
    match kind {
        FileKind::File => None,
        FileKind::Directory => Some(io::ErrorKind::IsADirectory.into()),
        FileKind::Other | FileKind::BrokenLink => {
            Some(Failure::invalid_input("not a regular file"))
        }
    }
}

/// Decides why a file was refused.
pub(super) async fn refused_file(lane: &Lane<'_>, path: &[u8], refusal: Failure) -> Failure {
    if !is_undecided(&refusal) {
        return refusal;
    }
    match lane.stat(path).await {
        Ok(attributes) => kind_of(&attributes)
            .ok()
            .and_then(not_a_file)
            .unwrap_or(refusal),
        Err(lost @ Failure::Lost { .. }) => lost,
        Err(_) => refusal,
    }
}

/// Decides why a directory was refused. Servers report what is no directory as missing.
pub(super) async fn refused_directory(lane: &Lane<'_>, path: &[u8], refusal: Failure) -> Failure {
    if !is_undecided(&refusal) && !refusal.has_code(code::NO_SUCH_FILE) {
        return refusal;
    }
    match lane.stat(path).await.as_ref().map(kind_of) {
        Ok(Ok(FileKind::File | FileKind::Other)) => io::ErrorKind::NotADirectory.into(),
        Err(Failure::Lost { sent }) => Failure::Lost { sent: *sent },
        _ => refusal,
    }
}
