//! The calls of the filesystem: which requests are sent, and what their answers mean.
//!
//! Servers have one code for "something else is wrong". One stat of the path decides which of the
//! kinds of the contract it is; if the stat fails too, the refusal stands as it is.

mod copy;
mod list;
mod metadata;
mod read;
mod remove;
mod write;

use std::io;

use codex_file_system::FileKind;

pub(crate) use copy::Copy;
pub(crate) use list::List;
pub(crate) use metadata::{Canonicalize, Metadata};
pub(crate) use read::{Extent, Read};
pub(crate) use remove::Remove;
pub(crate) use write::{CreateDirectory, Write};

use crate::attempt::Attempt;
use crate::error::Failure;
use crate::wire::{Attributes, code};

/// One call. It is made again, once, if its connection is lost and nothing that it changes may have
/// reached the server.
pub(crate) trait Operation: Send + Sync {
    /// What the call returns.
    type Output: Send;

    /// Makes the call over one connection.
    fn run(
        &self,
        attempt: &Attempt<'_>,
    ) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}

/// What attributes say of the kind of a target.
fn kind_of(attributes: &Attributes) -> Result<FileKind, Failure> {
    let kind = attributes.kind();
    kind.map_err(|malformed| Failure::protocol("stat", malformed))
}

/// Whether a stat may tell why a request was refused.
fn is_undecided(failure: &Failure) -> bool {
    failure.has_code(code::FAILURE) || failure.has_code(code::PERMISSION_DENIED)
}

/// Why a file cannot be read or written, if its kind is the reason.
fn not_a_file(kind: FileKind) -> Option<Failure> {
    match kind {
        FileKind::File => None,
        FileKind::Directory => Some(io::ErrorKind::IsADirectory.into()),
        FileKind::Other | FileKind::BrokenLink => {
            Some(Failure::invalid_input("not a regular file"))
        }
    }
}

/// Decides why a file was refused.
async fn refused_file(attempt: &Attempt<'_>, path: &[u8], refusal: Failure) -> Failure {
    if !is_undecided(&refusal) {
        return refusal;
    }
    match attempt.stat(path).await {
        Ok(attributes) => {
            let kind = attributes.kind().ok();
            kind.and_then(not_a_file).unwrap_or(refusal)
        }
        Err(lost @ Failure::Lost { .. }) => lost,
        Err(_) => refusal,
    }
}

/// Decides why a directory was refused. Servers report what is no directory as missing.
async fn refused_directory(attempt: &Attempt<'_>, path: &[u8], refusal: Failure) -> Failure {
    if !is_undecided(&refusal) && !refusal.has_code(code::NO_SUCH_FILE) {
        return refusal;
    }
    match attempt.stat(path).await {
        Ok(attributes) if !matches!(attributes.kind(), Ok(FileKind::Directory) | Err(_)) => {
            io::ErrorKind::NotADirectory.into()
        }
        Err(lost @ Failure::Lost { .. }) => lost,
        _ => refusal,
    }
}
