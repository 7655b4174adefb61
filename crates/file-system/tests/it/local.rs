//! What is special to the local filesystem. Its contract is in the conformance suite.

mod copy;
mod places;
mod reads;
mod sandbox;
mod special_files;

use std::path::Path;

use codex_file_system_testkit::ScratchDirectory;
use codex_path_uri::PathUri;

/// A scratch directory that holds a tree.
struct Scratch(ScratchDirectory);

impl Scratch {
    fn new(tree: &str) -> Self {
        Self(ScratchDirectory::build(tree).unwrap())
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
