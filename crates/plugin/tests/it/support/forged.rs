//! A filesystem that lies.

use std::collections::HashMap;

use codex_file_system::{
    ExecutorFileSystem, FileMetadata, FileSystemFuture, FileSystemSandboxContext,
};
use codex_file_system_testkit::Alteration;
use codex_path_uri::PathUri;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// Metadata and canonical paths that are, here and there, what a test says.
#[derive(Default)]
pub(crate) struct Forged {
    pub(crate) metadata: HashMap<PathUri, FileMetadata>,
    pub(crate) canonical: HashMap<PathUri, PathUri>,
}

impl Forged {
    pub(crate) fn with_metadata(mut self, path: PathUri, metadata: FileMetadata) -> Self {
        self.metadata.insert(path, metadata);
        self
    }

    pub(crate) fn with_canonical(mut self, path: PathUri, canonical: PathUri) -> Self {
        self.canonical.insert(path, canonical);
        self
    }
}

impl Alteration for Forged {
    fn get_metadata<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        match self.metadata.get(path) {
            Some(metadata) => Box::pin(async { Ok(metadata.clone()) }),
            None => below.get_metadata(path, sandbox),
        }
    }

    fn canonicalize<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        match self.canonical.get(path) {
            Some(canonical) => Box::pin(async { Ok(canonical.clone()) }),
            None => below.canonicalize(path, sandbox),
        }
    }
}
