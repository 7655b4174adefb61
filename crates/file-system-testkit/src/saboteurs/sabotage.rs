//! The frame of every saboteur: the memory filesystem, with hooks where one rule can be broken.

use std::borrow::Cow;
use std::io;

use codex_file_system::call::CallKind;
use codex_file_system::{
    ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext, SandboxAccess,
    for_each_provided_call, for_each_scalar_call,
};
use codex_path_uri::PathUri;

use crate::memory::MemoryFileSystem;

/// The restriction of one call.
pub(super) type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// One broken rule. What is not overridden is honest.
pub(super) trait Sabotage: Send + Sync + 'static {
    /// The path that is really asked for.
    fn path<'a>(&self, path: &'a PathUri) -> Cow<'a, PathUri> {
        Cow::Borrowed(path)
    }

    /// The sandbox that is really applied to a path at which a call needs this access.
    fn sandbox<'a>(
        &self,
        need: SandboxAccess,
        path: &PathUri,
        sandbox: Sandbox<'a>,
    ) -> io::Result<Sandbox<'a>> {
        let _ = (need, path);
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
}

macro_rules! honest {
    ($(
        $method:ident $kind:ident (
            $path:ident $(, $destination:ident)?
            $(; &$lent:ident: $borrowed:ty)* $(; $given:ident: $owned:ty)*
        ) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            honest: &'a MemoryFileSystem,
            $path: &'a PathUri,
            $($destination: &'a PathUri,)?
            $($lent: &'a $borrowed,)*
            $($given: $owned,)*
            sandbox: Sandbox<'a>,
        ) -> FileSystemFuture<'a, $answer> {
            honest.$method($path, $($destination,)? $($lent,)* $($given,)* sandbox)
        }
    )*};
}
use honest;

/// A memory filesystem that breaks one rule.
pub(super) struct Sabotaged<S> {
    pub(super) honest: MemoryFileSystem,
    pub(super) sabotage: S,
}

/// What a call needs at its first path.
fn need(kind: CallKind) -> SandboxAccess {
    match kind {
        CallKind::Copy => SandboxAccess::Read,
        kind if kind.is_write() => SandboxAccess::Write,
        _ => SandboxAccess::Read,
    }
}

macro_rules! sabotaged {
    ($(
        $method:ident $kind:ident (
            $path:ident $(, $destination:ident)?
            $(; &$lent:ident: $borrowed:ty)* $(; $given:ident: $owned:ty)*
        ) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            $path: &'a PathUri,
            $($destination: &'a PathUri,)?
            $($lent: &'a $borrowed,)*
            $($given: $owned,)*
            sandbox: Sandbox<'a>,
        ) -> FileSystemFuture<'a, $answer> {
            let Self { honest, sabotage } = self;
            sabotage.around(Box::pin(async move {
                $(
                    let $destination = sabotage.path($destination);
                    sabotage.sandbox(SandboxAccess::Write, &$destination, sandbox)?;
                )?
                let $path = sabotage.path($path);
                let sandbox = sabotage.sandbox(need(CallKind::$kind), &$path, sandbox)?;
                sabotage.$method(
                    honest, &$path, $(&$destination,)? $($lent,)* $($given,)* sandbox
                ).await
            }))
        }
    )*};
}

impl<S: Sabotage> ExecutorFileSystem for Sabotaged<S> {
    for_each_scalar_call!(sabotaged);
    for_each_provided_call!(sabotaged);
}
