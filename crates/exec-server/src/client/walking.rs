//! A walk: one request where the server has the method, listings where it has not.

use std::io;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FileSystemFuture,
    FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, Walk, WalkOptions,
};
use codex_path_uri::PathUri;

use super::call::Caller;
use super::pending::Safety;
use super::{RemoteFileSystem, listing};
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

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// The remote filesystem without a walk of its own, so that the trait's body does it.
pub(super) struct ByListing<'r>(pub(super) &'r RemoteFileSystem);

impl ExecutorFileSystem for ByListing<'_> {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        self.0.get_metadata(path, sandbox)
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        self.0.read_file(path, sandbox)
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        self.0.read_directory(path, sandbox)
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        self.0.canonicalize(path, sandbox)
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.0.write_file(path, contents, sandbox)
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.0.create_directory(path, options, sandbox)
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.0.remove(path, options, sandbox)
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.0.copy(source, destination, options, sandbox)
    }
}
