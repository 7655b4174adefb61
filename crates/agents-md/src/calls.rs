//! The calls of one environment's load, counted as they are issued.
//!
//! Every candidate probe, read and listing goes through here, so the numbers in the report are
//! those of the calls that were made, also when their answers are dropped. A call counts from its
//! first poll. Nothing is retried, cached or prefetched. The trace event of each call is the
//! environment's own (`codex_file_system::wrap::Context`).

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use codex_file_system::{
    EnvironmentId, ExecutorFileSystem, FileMetadata, FilePrefix, ReadDirectoryEntry,
};
use codex_path_uri::PathUri;

/// The filesystem of one environment.
pub(crate) struct EnvironmentCalls<'a> {
    filesystem: &'a dyn ExecutorFileSystem,
    environment_id: &'a EnvironmentId,
    candidate_probes: AtomicU64,
    reads: AtomicU64,
    bytes_read: AtomicU64,
    listings: AtomicU64,
}

impl<'a> EnvironmentCalls<'a> {
    pub(crate) fn new(
        filesystem: &'a dyn ExecutorFileSystem,
        environment_id: &'a EnvironmentId,
    ) -> Self {
        Self {
            filesystem,
            environment_id,
            candidate_probes: AtomicU64::new(0),
            reads: AtomicU64::new(0),
            bytes_read: AtomicU64::new(0),
            listings: AtomicU64::new(0),
        }
    }

    pub(crate) fn environment_id(&self) -> &'a EnvironmentId {
        self.environment_id
    }

    pub(crate) fn candidate_probes(&self) -> u64 {
        self.candidate_probes.load(Ordering::Relaxed)
    }

    pub(crate) fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    /// Bytes that arrived.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    pub(crate) fn listings(&self) -> u64 {
        self.listings.load(Ordering::Relaxed)
    }

    /// Asks what a candidate is.
    pub(crate) async fn probe_candidate(&self, path: &PathUri) -> io::Result<FileMetadata> {
        issue(&self.candidate_probes);
        self.filesystem.get_metadata(path, None).await
    }

    /// Reads a whole document.
    pub(crate) async fn read(&self, path: &PathUri) -> io::Result<Vec<u8>> {
        issue(&self.reads);
        let bytes = self.filesystem.read_file(path, None).await?;
        self.bytes_read
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes)
    }

    /// Reads the beginning of a document.
    pub(crate) async fn read_prefix(
        &self,
        path: &PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
    ) -> io::Result<FilePrefix> {
        issue(&self.reads);
        let prefix = self
            .filesystem
            .read_file_prefix(path, max_bytes, size_hint, None)
            .await?;
        self.bytes_read
            .fetch_add(prefix.bytes.len() as u64, Ordering::Relaxed);
        Ok(prefix)
    }

    /// Lists a directory.
    pub(crate) async fn list(&self, path: &PathUri) -> io::Result<Vec<ReadDirectoryEntry>> {
        issue(&self.listings);
        self.filesystem.read_directory(path, None).await
    }
}

fn issue(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
