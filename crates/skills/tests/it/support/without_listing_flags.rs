//! A filesystem whose listings do not say what is a link, while its metadata does.

use codex_file_system::{
    ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry,
};
use codex_file_system_testkit::{Alteration, Altered};
use codex_path_uri::PathUri;

pub(crate) struct WithoutListingFlags;

pub(crate) fn without_listing_flags<F>(fs: F) -> Altered<F, WithoutListingFlags> {
    Altered::new(fs, WithoutListingFlags)
}

impl Alteration for WithoutListingFlags {
    fn read_directory<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Option<&'a FileSystemSandboxContext>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            let listing = below.read_directory(path, sandbox).await?;
            let untold = listing.into_iter().map(|entry| entry.with_is_symlink(None));
            Ok(untold.collect())
        })
    }
}
