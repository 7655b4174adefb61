//! This host as a server asks it: every call is a job of the [workers](super::workers).

use codex_file_system::call::{Call, Uniform};
use codex_file_system::{FileSystemFuture, LocalFileSystem, uniform_file_system};

use super::workers::Workers;

/// The filesystem of this host.
#[derive(Clone)]
pub(super) struct Host {
    workers: Workers,
}

impl Host {
    pub(super) fn new(workers: Workers) -> Self {
        Self { workers }
    }
}

impl Uniform for Host {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let job = call.detach();
            self.workers
                .run(move || job(&LocalFileSystem::inline()))
                .await
        })
    }
}

uniform_file_system! { impl for Host }
