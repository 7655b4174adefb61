//! A filesystem that nobody may call.

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FileSystemFuture,
    FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions,
};
use codex_path_uri::PathUri;

pub(crate) struct Poisoned;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

fn refuse(path: &PathUri) -> ! {
    panic!("the poisoned filesystem was asked about {path}")
}

impl ExecutorFileSystem for Poisoned {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        refuse(path)
    }

    fn read_file<'a>(&'a self, path: &'a PathUri, _: Sandbox<'a>) -> FileSystemFuture<'a, Vec<u8>> {
        refuse(path)
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        refuse(path)
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        refuse(path)
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        _: Vec<u8>,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        refuse(path)
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        _: CreateDirectoryOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        refuse(path)
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        _: RemoveOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        refuse(path)
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        _: &'a PathUri,
        _: CopyOptions,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        refuse(source)
    }
}
