//! Saboteurs that write, remove or copy something else than they were asked to.

use codex_file_system::{CopyOptions, ExecutorFileSystem, FileSystemFuture, RemoveOptions};
use codex_path_uri::PathUri;

use crate::memory::MemoryFileSystem;
use crate::saboteurs::sabotage::{Sabotage, Sandbox};

/// Whatever exists under the name is removed before the file is written.
pub(super) struct WriteDropsExisting;

impl Sabotage for WriteDropsExisting {
    fn write_file<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let everything = RemoveOptions {
                recursive: true,
                force: true,
            };
            honest.remove(path, everything, sandbox).await?;
            honest.write_file(path, contents, sandbox).await
        })
    }
}

/// Removing a link removes its target.
pub(super) struct RemoveFollowsLink;

impl Sabotage for RemoveFollowsLink {
    fn remove<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let target = honest.canonicalize(path, None).await;
            honest
                .remove(target.as_ref().unwrap_or(path), options, sandbox)
                .await
        })
    }
}

/// Removing nothing is an error even where the caller does not mind.
pub(super) struct RemoveMissingFails;

impl Sabotage for RemoveMissingFails {
    fn remove<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        honest.remove(
            path,
            RemoveOptions {
                force: false,
                ..options
            },
            sandbox,
        )
    }
}

/// Copying a link copies its target.
pub(super) struct CopyFollowsLink;

impl Sabotage for CopyFollowsLink {
    fn copy<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let target = honest.canonicalize(source, None).await;
            let source = target.as_ref().unwrap_or(source);
            honest.copy(source, destination, options, sandbox).await
        })
    }
}
