//! Saboteurs that walk wrongly.

use std::collections::VecDeque;

use codex_file_system::{
    ExecutorFileSystem, FileKind, FileSystemFuture, Walk, WalkEntry, WalkOptions,
};
use codex_path_uri::PathUri;

use crate::memory::MemoryFileSystem;
use crate::saboteurs::sabotage::{Sabotage, Sandbox};

/// The entries come in an order of no law.
pub(super) struct WalkUnsorted;

impl Sabotage for WalkUnsorted {
    fn walk<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        Box::pin(async move {
            let mut walk = honest.walk(root, options, sandbox).await?;
            walk.entries.reverse();
            Ok(walk)
        })
    }
}

/// A directory is entered as often as links lead to it. Where no link leads back up, the walk is
/// the honest one.
pub(super) struct WalkFollowsForever;

impl Sabotage for WalkFollowsForever {
    fn walk<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        Box::pin(async move {
            let mut walk = honest.walk(root, options, sandbox).await?;
            let is_plain = options.follow_directory_symlinks && !options.prune_hidden_directories;
            if !is_plain || walk.truncated || !walk.errors.is_empty() {
                return Ok(walk);
            }
            walk.entries
                .retain(|entry| entry.path.parent().as_ref() == Some(root));
            let mut waiting: VecDeque<WalkEntry> = walk.entries.iter().cloned().collect();
            while let Some(entry) = waiting.pop_front() {
                let depth = entry.path.names_below(root).map_or(0, Iterator::count);
                if entry.kind != FileKind::Directory || depth > options.max_depth {
                    continue;
                }
                for child in honest.read_directory(&entry.path, sandbox).await? {
                    if walk.entries.len() == options.max_entries {
                        walk.truncated = true;
                        return Ok(walk);
                    }
                    let path = entry.path.join_name(&child.file_name)?;
                    let child = WalkEntry {
                        path,
                        kind: child.kind,
                    };
                    walk.entries.push(child.clone());
                    waiting.push_back(child);
                }
            }
            Ok(walk)
        })
    }
}
