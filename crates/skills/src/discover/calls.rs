//! The calls of a discovery, each counted for the root that made it first.

use std::io;

use codex_file_system::wrap::Calls;
use codex_file_system::{
    ExecutorFileSystem, FileMetadata, FilePrefix, ReadCall, ReadDirectoryEntry,
};
use codex_path_uri::PathUri;

use super::Discovery;

impl<F: ExecutorFileSystem + ?Sized> Discovery<'_, '_, F> {
    pub(crate) async fn list(
        &mut self,
        root: usize,
        path: &PathUri,
    ) -> io::Result<Vec<ReadDirectoryEntry>> {
        self.count_first(root, ReadCall::listing(path), |calls| {
            calls.read_directory += 1
        });
        self.fs
            .read_directory(path, self.options.sandbox.as_ref())
            .await
    }

    pub(crate) async fn canonicalize(
        &mut self,
        root: usize,
        path: &PathUri,
    ) -> io::Result<PathUri> {
        self.count_first(root, ReadCall::canonical(path), |calls| {
            calls.canonicalize += 1
        });
        self.fs
            .canonicalize(path, self.options.sandbox.as_ref())
            .await
    }

    pub(crate) async fn metadata(
        &mut self,
        root: usize,
        path: &PathUri,
    ) -> io::Result<FileMetadata> {
        self.count_first(root, ReadCall::metadata(path), |calls| {
            calls.get_metadata += 1
        });
        self.fs
            .get_metadata(path, self.options.sandbox.as_ref())
            .await
    }

    pub(crate) async fn read_prefix(
        &mut self,
        root: usize,
        path: &PathUri,
        max_bytes: u64,
    ) -> Result<FilePrefix, io::ErrorKind> {
        self.count(root, |calls| calls.read_file_prefix += 1);
        let sandbox = self.options.sandbox.as_ref();
        let read = self
            .fs
            .read_file_prefix(path, max_bytes, None, sandbox)
            .await;
        read.map_err(|error| error.kind())
    }

    pub(crate) fn count(&mut self, root: usize, add: impl FnOnce(&mut Calls)) {
        if let Some(root) = self.roots.get_mut(root) {
            add(&mut root.calls);
        }
    }

    /// Counts a call whose answer is kept: asked again, it is no call.
    fn count_first(&mut self, root: usize, call: ReadCall, add: impl FnOnce(&mut Calls)) {
        if self.asked.insert(call) {
            self.count(root, add);
        }
    }
}
