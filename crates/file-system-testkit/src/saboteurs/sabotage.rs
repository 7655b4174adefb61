//! The frame of every saboteur: the memory filesystem, with hooks where one rule can be broken.

use std::borrow::Cow;
use std::io;

use codex_file_system::wrap::CallKind;
use codex_file_system::{
    CopyOptions, ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext,
};
use codex_path_uri::PathUri;

use crate::calls::{for_each_provided_call, for_each_scalar_call};
use crate::memory::MemoryFileSystem;

/// The restriction of one call.
pub(super) type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// One broken rule. What is not overridden is honest.
pub(super) trait Sabotage: Send + Sync + 'static {
    /// The path that is really asked for.
    fn path<'a>(&self, path: &'a PathUri) -> Cow<'a, PathUri> {
        Cow::Borrowed(path)
    }

    /// The sandbox that is really applied.
    fn sandbox<'a>(
        &self,
        kind: CallKind,
        path: &PathUri,
        sandbox: Sandbox<'a>,
    ) -> io::Result<Sandbox<'a>> {
        let _ = (kind, path);
        Ok(sandbox)
    }

    /// What becomes of the future of any call.
    fn around<'a, T: Send + 'a>(
        &'a self,
        inner: FileSystemFuture<'a, T>,
    ) -> FileSystemFuture<'a, T> {
        inner
    }

    for_each_scalar_call!(honest);
    for_each_provided_call!(honest);

    fn copy<'a>(
        &'a self,
        honest: &'a MemoryFileSystem,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        honest.copy(source, destination, options, sandbox)
    }
}

macro_rules! honest {
    ($(
        $method:ident $kind:ident ($($argument:ident: $type:ty),*) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            honest: &'a MemoryFileSystem,
            path: &'a PathUri,
            $($argument: $type,)*
            sandbox: Sandbox<'a>,
        ) -> FileSystemFuture<'a, $answer> {
            honest.$method(path, $($argument,)* sandbox)
        }
    )*};
}
use honest;

/// A memory filesystem that breaks one rule.
pub(super) struct Sabotaged<S> {
    pub(super) honest: MemoryFileSystem,
    pub(super) sabotage: S,
}

macro_rules! sabotaged {
    ($(
        $method:ident $kind:ident ($($argument:ident: $type:ty),*) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            path: &'a PathUri,
            $($argument: $type,)*
            sandbox: Sandbox<'a>,
        ) -> FileSystemFuture<'a, $answer> {
            let Self { honest, sabotage } = self;
            sabotage.around(Box::pin(async move {
                let path = sabotage.path(path);
                let sandbox = sabotage.sandbox(CallKind::$kind, &path, sandbox)?;
                sabotage.$method(honest, &path, $($argument,)* sandbox).await
            }))
        }
    )*};
}

impl<S: Sabotage> ExecutorFileSystem for Sabotaged<S> {
    for_each_scalar_call!(sabotaged);
    for_each_provided_call!(sabotaged);

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        let Self { honest, sabotage } = self;
        sabotage.around(Box::pin(async move {
            sabotage.sandbox(CallKind::ReadFile, source, sandbox)?;
            let sandbox = sabotage.sandbox(CallKind::Copy, destination, sandbox)?;
            sabotage
                .copy(honest, source, destination, options, sandbox)
                .await
        }))
    }
}
