//! Saboteurs that tell or treat links wrongly.

use std::io::ErrorKind;

use codex_file_system::{
    ExecutorFileSystem, FileKind, FileMetadata, FileSystemFuture, ReadDirectoryEntry,
};
use codex_path_uri::PathUri;

use crate::memory::MemoryFileSystem;
use crate::saboteurs::sabotage::{Sabotage, Sandbox};

/// Changes what is told of an entry, in metadata and in listings alike.
pub(super) struct Remarked(pub(super) fn(Remark) -> Remark);

/// What metadata and listings have in common, and the size.
#[derive(Clone, Copy)]
pub(super) struct Remark {
    kind: FileKind,
    is_symlink: Option<bool>,
    size: Option<u64>,
}

impl Sabotage for Remarked {
    fn get_metadata<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        Box::pin(async move {
            let FileMetadata {
                kind,
                is_symlink,
                size,
                ..
            } = honest.get_metadata(path, sandbox).await?;
            let told = (self.0)(Remark {
                kind,
                is_symlink,
                size,
            });
            let metadata = FileMetadata::new(told.kind).with_is_symlink(told.is_symlink);
            Ok(metadata.with_size(told.size))
        })
    }

    fn read_directory<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            let mut entries = honest.read_directory(path, sandbox).await?;
            for entry in &mut entries {
                let ReadDirectoryEntry {
                    kind, is_symlink, ..
                } = *entry;
                let told = (self.0)(Remark {
                    kind,
                    is_symlink,
                    size: None,
                });
                (entry.kind, entry.is_symlink) = (told.kind, told.is_symlink);
            }
            Ok(entries)
        })
    }
}

/// A link is neither file nor directory.
pub(super) fn kind_of_link(remark: Remark) -> Remark {
    match remark.is_symlink {
        Some(true) => Remark {
            kind: FileKind::Other,
            ..remark
        },
        _ => remark,
    }
}

/// A link is as long as a target's text might be.
pub(super) fn size_of_link(remark: Remark) -> Remark {
    match remark.is_symlink {
        Some(true) => Remark {
            size: Some(1),
            ..remark
        },
        _ => remark,
    }
}

/// Nothing is a link.
pub(super) fn never_link(remark: Remark) -> Remark {
    Remark {
        is_symlink: Some(false),
        ..remark
    }
}

/// Everything is a link.
pub(super) fn always_link(remark: Remark) -> Remark {
    Remark {
        is_symlink: Some(true),
        ..remark
    }
}

/// The canonical path of what exists is the path asked for.
pub(super) struct CanonicalizeIsIdentity;

impl Sabotage for CanonicalizeIsIdentity {
    fn canonicalize<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        Box::pin(async move {
            honest.canonicalize(path, sandbox).await?;
            Ok(path.clone())
        })
    }
}

/// The canonical path of what does not exist is the path asked for.
pub(super) struct CanonicalizeMissingSucceeds;

impl Sabotage for CanonicalizeMissingSucceeds {
    fn canonicalize<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        Box::pin(async move {
            match honest.canonicalize(path, sandbox).await {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.clone()),
                answer => answer,
            }
        })
    }
}

/// A tree whose relative links start at the root instead of their own directory.
pub(super) fn links_from_root(tree: &str) -> String {
    tree.replace(" -> /", " -> ").replace(" -> ", " -> /")
}
