//! Saboteurs that change what is read.

use std::io::ErrorKind;

use codex_file_system::{ExecutorFileSystem, FilePrefix, FileSystemFuture};
use codex_path_uri::PathUri;

use crate::memory::MemoryFileSystem;
use crate::saboteurs::sabotage::{Sabotage, Sandbox};

/// A directory is an empty file.
pub(super) struct ReadsDirectoryAsEmpty;

impl Sabotage for ReadsDirectoryAsEmpty {
    fn read_file<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        Box::pin(async move {
            match honest.read_file(path, sandbox).await {
                Err(error) if error.kind() == ErrorKind::IsADirectory => Ok(Vec::new()),
                answer => answer,
            }
        })
    }
}

/// A file ends one byte early.
pub(super) struct DropsLastByte;

impl Sabotage for DropsLastByte {
    fn read_file<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        Box::pin(async move {
            let mut bytes = honest.read_file(path, sandbox).await?;
            bytes.pop();
            Ok(bytes)
        })
    }
}

/// Bytes that are no text become text.
pub(super) struct LossyText;

impl Sabotage for LossyText {
    fn read_file_text<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, String> {
        Box::pin(async move {
            let bytes = honest.read_file(path, sandbox).await?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        })
    }
}

/// A prefix is the whole file.
pub(super) struct PrefixIgnoresLimit;

impl Sabotage for PrefixIgnoresLimit {
    fn read_file_prefix<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        path: &'a PathUri,
        _max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        honest.read_file_prefix(path, u64::MAX, size_hint, sandbox)
    }
}
