//! This host as a server asks it: every call is a job of the [workers](super::workers).

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, LocalFileSystem, ReadDirectoryEntry, RemoveOptions,
    Walk, WalkOptions,
};
use codex_path_uri::PathUri;
use futures::FutureExt as _;

use super::workers::Workers;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// The filesystem of this host.
#[derive(Clone)]
pub(super) struct Host {
    workers: Workers,
}

impl Host {
    pub(super) fn new(workers: Workers) -> Self {
        Self { workers }
    }

    fn run<'a, T: Send + 'static>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
        call: impl for<'b> FnOnce(
            &'b LocalFileSystem,
            &'b PathUri,
            Sandbox<'b>,
        ) -> FileSystemFuture<'b, T>
        + Send
        + 'static,
    ) -> FileSystemFuture<'a, T> {
        Box::pin(async move {
            let (path, sandbox) = (path.clone(), sandbox.cloned());
            let job = move || {
                let inline = LocalFileSystem::inline();
                let answer = call(&inline, &path, sandbox.as_ref()).now_or_never();
                answer.unwrap_or_else(|| Err(std::io::Error::other("a call did not end")))
            };
            self.workers.run(job).await
        })
    }
}

impl ExecutorFileSystem for Host {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        self.run(path, sandbox, |fs, path, sandbox| {
            fs.get_metadata(path, sandbox)
        })
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        self.run(path, sandbox, |fs, path, sandbox| {
            fs.read_file(path, sandbox)
        })
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        self.run(path, sandbox, |fs, path, sandbox| {
            fs.read_directory(path, sandbox)
        })
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        self.run(path, sandbox, |fs, path, sandbox| {
            fs.canonicalize(path, sandbox)
        })
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |fs, path, sandbox| {
            fs.write_file(path, contents, sandbox)
        })
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |fs, path, sandbox| {
            fs.create_directory(path, options, sandbox)
        })
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |fs, path, sandbox| {
            fs.remove(path, options, sandbox)
        })
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        let destination = destination.clone();
        self.run(source, sandbox, move |fs, source, sandbox| {
            let fs = *fs;
            Box::pin(async move { fs.copy(source, &destination, options, sandbox).await })
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        self.run(path, sandbox, move |fs, path, sandbox| {
            fs.read_file_prefix(path, max_bytes, size_hint, sandbox)
        })
    }

    fn walk<'a>(
        &'a self,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        let options = options.clone();
        self.run(root, sandbox, move |fs, root, sandbox| {
            let fs = *fs;
            Box::pin(async move { fs.walk(root, &options, sandbox).await })
        })
    }
}
