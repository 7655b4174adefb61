//! The trait on the client: one request per call, but for large files and missing walks.

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, Walk,
    WalkOptions, walk_by_listing,
};
use codex_path_uri::PathUri;

use super::pending::Safety;
use super::{RemoteFileSystem, listing, reading, walking};
use crate::protocol::{
    Canonicalize, CopyPath, CopyPathParams, CreateDirectory, CreateDirectoryParams, GetMetadata,
    ReadDirectory, ReadFile, RemovePath, RemovePathParams, SandboxParam, WalkDirectory, WriteFile,
    WriteFileParams, encode_base64,
};

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

impl ExecutorFileSystem for RemoteFileSystem {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        Box::pin(async move {
            let caller = self.begin::<GetMetadata>(sandbox)?;
            let called = caller.ask::<GetMetadata>(path, Safety::Repeatable);
            Ok(listing::metadata(&called.await?.decode(&caller)?))
        })
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        Box::pin(async move {
            let caller = self.begin::<ReadFile>(sandbox)?;
            reading::read_file(&caller, path).await
        })
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            let caller = self.begin::<ReadDirectory>(sandbox)?;
            let called = caller.ask::<ReadDirectory>(path, Safety::Repeatable);
            let reply = called.await?;
            let entries = listing::entries(reply.decode(&caller)?, path);
            entries.map_err(|error| caller.misshapen::<ReadDirectory>(error))
        })
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        Box::pin(async move {
            let caller = self.begin::<Canonicalize>(sandbox)?;
            let called = caller.ask::<Canonicalize>(path, Safety::Repeatable);
            let reply = called.await?;
            let canonical = listing::parse_path(&reply.decode(&caller)?.path, path);
            canonical.map_err(|error| caller.misshapen::<Canonicalize>(error))
        })
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let caller = self.begin::<WriteFile>(sandbox)?;
            let params = WriteFileParams {
                path: path.as_str().into(),
                data_base64: encode_base64(&contents).into(),
                sandbox: SandboxParam::Unrestricted,
            };
            caller.change::<WriteFile>(&params).await
        })
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let caller = self.begin::<CreateDirectory>(sandbox)?;
            let params = CreateDirectoryParams {
                path: path.as_str().into(),
                recursive: Some(options.recursive),
                sandbox: SandboxParam::Unrestricted,
            };
            caller.change::<CreateDirectory>(&params).await
        })
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let caller = self.begin::<RemovePath>(sandbox)?;
            let params = RemovePathParams {
                path: path.as_str().into(),
                recursive: Some(options.recursive),
                force: Some(options.force),
                sandbox: SandboxParam::Unrestricted,
            };
            caller.change::<RemovePath>(&params).await
        })
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let caller = self.begin::<CopyPath>(sandbox)?;
            let params = CopyPathParams {
                source_path: source.as_str().into(),
                destination_path: destination.as_str().into(),
                recursive: options.recursive,
                sandbox: SandboxParam::Unrestricted,
            };
            caller.change::<CopyPath>(&params).await
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        Box::pin(async move {
            let caller = self.begin::<ReadFile>(sandbox)?;
            reading::read_file_prefix(&caller, path, max_bytes, size_hint).await
        })
    }

    fn walk<'a>(
        &'a self,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        Box::pin(async move {
            options.validate()?;
            let caller = self.begin::<WalkDirectory>(sandbox)?;
            match walking::walk(&caller, root, options).await? {
                Some(walk) => Ok(walk),
                None => walk_by_listing(self, root, options, sandbox).await,
            }
        })
    }
}
