//! The calls of a discovery, counted for the root that needed each first.

use std::collections::HashSet;
use std::io;

use codex_file_system::error::is_broken_link;
use codex_file_system::wrap::Calls;
use codex_file_system::{
    ExecutorFileSystem, FileMetadata, FilePrefix, FileSystemSandboxContext, Lookahead,
    MAX_BEGINNING_BYTES, ReadCall, ReadDirectoryEntry,
};
use codex_path_uri::PathUri;

/// Why a call gave nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallFailure {
    pub(crate) kind: io::ErrorKind,
    /// Whether the path itself is a link without a target.
    pub(crate) is_broken_link: bool,
}

impl CallFailure {
    /// Whether nothing is there, not even a link.
    pub(crate) fn is_absence(self) -> bool {
        self.kind == io::ErrorKind::NotFound && !self.is_broken_link
    }
}

impl From<io::Error> for CallFailure {
    fn from(error: io::Error) -> Self {
        Self {
            kind: error.kind(),
            is_broken_link: is_broken_link(&error),
        }
    }
}

/// Asks the filesystem of one environment.
pub(super) struct Asker<'a, 'f, F: ExecutorFileSystem + ?Sized> {
    pub(super) fs: &'a Lookahead<'f, F>,
    pub(super) sandbox: Option<&'a FileSystemSandboxContext>,
    asked: HashSet<ReadCall>,
    calls: Vec<Calls>,
    /// Bytes of skill files and sidecars that were read.
    pub(super) bytes: u64,
}

impl<'a, 'f, F: ExecutorFileSystem + ?Sized> Asker<'a, 'f, F> {
    pub(super) fn new(
        fs: &'a Lookahead<'f, F>,
        sandbox: Option<&'a FileSystemSandboxContext>,
        roots: usize,
    ) -> Self {
        Self {
            fs,
            sandbox,
            asked: HashSet::new(),
            calls: vec![Calls::default(); roots],
            bytes: 0,
        }
    }

    /// What was asked for a root.
    pub(super) fn calls(&self, root: usize) -> Calls {
        self.calls.get(root).copied().unwrap_or_default()
    }

    pub(super) async fn list(
        &mut self,
        root: usize,
        path: &PathUri,
    ) -> Result<Vec<ReadDirectoryEntry>, CallFailure> {
        let call = ReadCall::listing(path);
        self.count_once(root, call, |calls| &mut calls.read_directory);
        Ok(self.fs.read_directory(path, self.sandbox).await?)
    }

    pub(super) async fn metadata(
        &mut self,
        root: usize,
        path: &PathUri,
    ) -> Result<FileMetadata, CallFailure> {
        let call = ReadCall::metadata(path);
        self.count_once(root, call, |calls| &mut calls.get_metadata);
        Ok(self.fs.get_metadata(path, self.sandbox).await?)
    }

    pub(super) async fn canonicalize(
        &mut self,
        root: usize,
        path: &PathUri,
    ) -> Result<PathUri, CallFailure> {
        let call = ReadCall::canonical(path);
        self.count_once(root, call, |calls| &mut calls.canonicalize);
        Ok(self.fs.canonicalize(path, self.sandbox).await?)
    }

    /// The first bytes of a file: 64 KiB, or up to `max_bytes` if those are not `enough`.
    pub(super) async fn read(
        &mut self,
        root: usize,
        path: &PathUri,
        max_bytes: u64,
        enough: impl Fn(&[u8]) -> bool,
    ) -> Result<FilePrefix, CallFailure> {
        let first = max_bytes.min(MAX_BEGINNING_BYTES);
        let mut prefix = self.read_prefix(root, path, first, None).await?;
        if !prefix.is_complete && first < max_bytes && !enough(&prefix.bytes) {
            let size = prefix.size;
            prefix = self.read_prefix(root, path, max_bytes, size).await?;
        }
        self.bytes += u64::try_from(prefix.bytes.len()).unwrap_or(u64::MAX);
        Ok(prefix)
    }

    async fn read_prefix(
        &mut self,
        root: usize,
        path: &PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
    ) -> Result<FilePrefix, CallFailure> {
        self.add(root, |calls| calls.read_file_prefix += 1);
        let read = self
            .fs
            .read_file_prefix(path, max_bytes, size_hint, self.sandbox);
        Ok(read.await?)
    }

    /// Counts calls that something else made for a root.
    pub(super) fn add(&mut self, root: usize, count: impl FnOnce(&mut Calls)) {
        if let Some(calls) = self.calls.get_mut(root) {
            count(calls);
        }
    }

    fn count_once(&mut self, root: usize, call: ReadCall, counter: fn(&mut Calls) -> &mut u64) {
        if self.asked.insert(call) {
            self.add(root, |calls| *counter(calls) += 1);
        }
    }
}
