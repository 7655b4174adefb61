//! Listing a directory.
//!
//! Linux tells names and kinds together, without a question about the directory itself; elsewhere the
//! standard library asks.

use std::fs;
use std::io;

use codex_path_uri::PathUri;

use super::sandbox::{Need, authorize};
use super::{Sandbox, host_path};
use crate::ReadDirectoryEntry;

#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "portable.rs")]
mod host;

/// The entries, in the order of names.
pub(super) fn directory(
    path: &PathUri,
    sandbox: Sandbox<'_>,
) -> io::Result<Vec<ReadDirectoryEntry>> {
    let path = host_path(path)?;
    authorize(sandbox, &[Need::read(&path)])?;
    let mut listing = host::entries(&path).map_err(|error| match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_dir() && error.kind() != io::ErrorKind::NotADirectory => {
            io::ErrorKind::NotADirectory.into()
        }
        _ => error,
    })?;
    listing.sort_unstable_by(|one, other| one.file_name.cmp(&other.file_name));
    Ok(listing)
}
