//! The one filesystem trait.

use std::future::Future;
use std::io;
use std::pin::Pin;

use codex_path_uri::PathUri;

use crate::{
    CopyOptions, CreateDirectoryOptions, FileMetadata, FilePrefix, FileSystemSandboxContext,
    ReadDirectoryEntry, RemoveOptions, Walk, WalkOptions,
};

/// Largest file that [`ExecutorFileSystem::read_file`] returns, in bytes (512 MiB).
pub const MAX_READ_FILE_BYTES: u64 = 512 * 1024 * 1024;

/// The future of one filesystem call.
pub type FileSystemFuture<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// A filesystem of some machine.
pub trait ExecutorFileSystem: Send + Sync {
    /// Metadata of the target.
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata>;
    /// The whole content.
    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>>;
    /// The entries, sorted by name.
    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>>;
    /// The real path.
    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri>;
    /// Writes a file.
    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()>;
    /// Creates a directory.
    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()>;
    /// Removes.
    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()>;
    /// Copies.
    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()>;

    /// `read_file`, then UTF-8 or `InvalidData`.
    fn read_file_text<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, String> {
        Box::pin(async move {
            let bytes = self.read_file(path, sandbox).await?;
            String::from_utf8(bytes)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        })
    }

    /// `read_file`, then cut.
    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        let _ = size_hint;
        Box::pin(async move {
            let mut bytes = self.read_file(path, sandbox).await?;
            let size = bytes.len() as u64;
            let is_complete = size <= max_bytes;
            if !is_complete {
                bytes.truncate(usize::try_from(max_bytes).unwrap_or(usize::MAX));
            }
            Ok(FilePrefix::new(bytes, is_complete).with_size(Some(size)))
        })
    }

    /// Walks breadth first.
    fn walk<'a>(
        &'a self,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        Box::pin(crate::walk::walk_by_listing(self, root, options, sandbox))
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<T: ExecutorFileSystem + ?Sized> ExecutorFileSystem for $pointer {
            fn get_metadata<'a>(&'a self, path: &'a PathUri, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, FileMetadata> {
                (**self).get_metadata(path, sandbox)
            }
            fn read_file<'a>(&'a self, path: &'a PathUri, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, Vec<u8>> {
                (**self).read_file(path, sandbox)
            }
            fn read_directory<'a>(&'a self, path: &'a PathUri, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
                (**self).read_directory(path, sandbox)
            }
            fn canonicalize<'a>(&'a self, path: &'a PathUri, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, PathUri> {
                (**self).canonicalize(path, sandbox)
            }
            fn write_file<'a>(&'a self, path: &'a PathUri, contents: Vec<u8>, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, ()> {
                (**self).write_file(path, contents, sandbox)
            }
            fn create_directory<'a>(&'a self, path: &'a PathUri, options: CreateDirectoryOptions, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, ()> {
                (**self).create_directory(path, options, sandbox)
            }
            fn remove<'a>(&'a self, path: &'a PathUri, options: RemoveOptions, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, ()> {
                (**self).remove(path, options, sandbox)
            }
            fn copy<'a>(&'a self, source: &'a PathUri, destination: &'a PathUri, options: CopyOptions, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, ()> {
                (**self).copy(source, destination, options, sandbox)
            }
            fn read_file_text<'a>(&'a self, path: &'a PathUri, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, String> {
                (**self).read_file_text(path, sandbox)
            }
            fn read_file_prefix<'a>(&'a self, path: &'a PathUri, max_bytes: u64, size_hint: Option<u64>, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, FilePrefix> {
                (**self).read_file_prefix(path, max_bytes, size_hint, sandbox)
            }
            fn walk<'a>(&'a self, root: &'a PathUri, options: &'a WalkOptions, sandbox: Sandbox<'a>) -> FileSystemFuture<'a, Walk> {
                (**self).walk(root, options, sandbox)
            }
        }
    )*};
}

forward!(&T, Box<T>, std::sync::Arc<T>);
