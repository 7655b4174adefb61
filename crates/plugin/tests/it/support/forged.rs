//! Filesystems that lie, and one that must not be asked.

use std::collections::HashMap;
use std::io;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FileSystemFuture,
    FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions,
};
use codex_path_uri::PathUri;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// A filesystem whose metadata and canonical paths are, here and there, what a test says.
pub(crate) struct Forged<F> {
    pub(crate) inner: F,
    pub(crate) metadata: HashMap<PathUri, FileMetadata>,
    pub(crate) canonical: HashMap<PathUri, PathUri>,
}

impl<F> Forged<F> {
    pub(crate) fn new(inner: F) -> Self {
        Self {
            inner,
            metadata: HashMap::new(),
            canonical: HashMap::new(),
        }
    }

    pub(crate) fn with_metadata(mut self, path: PathUri, metadata: FileMetadata) -> Self {
        self.metadata.insert(path, metadata);
        self
    }

    pub(crate) fn with_canonical(mut self, path: PathUri, canonical: PathUri) -> Self {
        self.canonical.insert(path, canonical);
        self
    }
}

/// A host that no plugin may ever touch.
pub(crate) struct Panicking;

fn no_write<'a, T>() -> FileSystemFuture<'a, T> {
    Box::pin(async { Err(io::ErrorKind::ReadOnlyFilesystem.into()) })
}

macro_rules! no_writes {
    () => {
        fn write_file<'a>(
            &'a self,
            _: &'a PathUri,
            _: Vec<u8>,
            _: Sandbox<'a>,
        ) -> FileSystemFuture<'a, ()> {
            no_write()
        }

        fn create_directory<'a>(
            &'a self,
            _: &'a PathUri,
            _: CreateDirectoryOptions,
            _: Sandbox<'a>,
        ) -> FileSystemFuture<'a, ()> {
            no_write()
        }

        fn remove<'a>(
            &'a self,
            _: &'a PathUri,
            _: RemoveOptions,
            _: Sandbox<'a>,
        ) -> FileSystemFuture<'a, ()> {
            no_write()
        }

        fn copy<'a>(
            &'a self,
            _: &'a PathUri,
            _: &'a PathUri,
            _: CopyOptions,
            _: Sandbox<'a>,
        ) -> FileSystemFuture<'a, ()> {
            no_write()
        }
    };
}

impl<F: ExecutorFileSystem> ExecutorFileSystem for Forged<F> {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        match self.metadata.get(path) {
            Some(metadata) => Box::pin(async { Ok(metadata.clone()) }),
            None => self.inner.get_metadata(path, sandbox),
        }
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        self.inner.read_file(path, sandbox)
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        self.inner.read_directory(path, sandbox)
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        match self.canonical.get(path) {
            Some(canonical) => Box::pin(async { Ok(canonical.clone()) }),
            None => self.inner.canonicalize(path, sandbox),
        }
    }

    no_writes!();
}

impl ExecutorFileSystem for Panicking {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        panic!("the host is asked for {path}")
    }

    fn read_file<'a>(&'a self, path: &'a PathUri, _: Sandbox<'a>) -> FileSystemFuture<'a, Vec<u8>> {
        panic!("the host is asked for {path}")
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        panic!("the host is asked for {path}")
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        panic!("the host is asked for {path}")
    }

    no_writes!();
}
