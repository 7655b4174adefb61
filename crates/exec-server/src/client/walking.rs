//! A walk by one request, where the server has the method.

use std::io;

use codex_file_system::{Walk, WalkOptions};
use codex_path_uri::PathUri;

use super::call::Caller;
use super::listing;
use super::pending::Safety;
use crate::protocol::{Method as _, SandboxParam, WalkDirectory, WalkDirectoryParams, WalkLimits};

/// Walks by one request; `None` if the server does not have the method, which is remembered as
/// long as the connection lives.
pub(super) async fn walk(
    caller: &Caller<'_>,
    root: &PathUri,
    options: &WalkOptions,
) -> io::Result<Option<Walk>> {
    if caller.is_absent(WalkDirectory::NAME) {
        return Ok(None);
    }
    let params = WalkDirectoryParams {
        path: root.as_str().into(),
        options: WalkLimits {
            max_depth: options.max_depth as u64,
            max_directories: options.max_directories as u64,
            max_entries: options.max_entries as u64,
            follow_directory_symlinks: options.follow_directory_symlinks,
            prune_hidden_directories: options.prune_hidden_directories,
        },
        sandbox: SandboxParam::Unrestricted,
    };
    let reply = match caller
        .call::<WalkDirectory>(&params, Safety::Repeatable)
        .await
    {
        Ok(reply) => reply,
        Err(failed) if caller.note_absence(&failed) => return Ok(None),
        Err(failed) => return Err(failed.into()),
    };
    let walk = listing::walk(reply.decode(caller)?, root, options, caller.platform());
    walk.map(Some)
        .map_err(|error| caller.misshapen::<WalkDirectory>(error))
}
