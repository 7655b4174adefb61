//! A filesystem whose listings do not say what is a link, while its metadata does.

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FileSystemFuture,
    FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions,
};
use codex_path_uri::PathUri;

pub(crate) struct WithoutListingFlags<F>(pub(crate) F);

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

impl<F: ExecutorFileSystem> ExecutorFileSystem for WithoutListingFlags<F> {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        self.0.get_metadata(path, sandbox)
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        self.0.read_file(path, sandbox)
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            let listing = self.0.read_directory(path, sandbox).await?;
            Ok(listing
                .into_iter()
                .map(|entry| entry.with_is_symlink(None))
                .collect())
        })
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        self.0.canonicalize(path, sandbox)
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.0.write_file(path, contents, sandbox)
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.0.create_directory(path, options, sandbox)
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.0.remove(path, options, sandbox)
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.0.copy(source, destination, options, sandbox)
    }
}
