//! What is special to the local filesystem. Its contract is in the conformance suite.

mod copy;
mod places;
mod reads;
mod sandbox;
mod special_files;

use std::path::Path;

use codex_file_system_testkit::build_on_disk;
use codex_path_uri::PathUri;
use tempfile::TempDir;

/// A scratch directory that holds a tree.
struct Scratch(TempDir);

impl Scratch {
    fn new(tree: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        build_on_disk(directory.path(), tree).unwrap();
        Self(directory)
    }

    fn path(&self, below: &str) -> std::path::PathBuf {
        self.0.path().join(below)
    }

    fn uri(&self, below: &str) -> PathUri {
        host_uri(&self.path(below))
    }
}

fn host_uri(path: &Path) -> PathUri {
    PathUri::from_host_native_path(path).unwrap()
}
