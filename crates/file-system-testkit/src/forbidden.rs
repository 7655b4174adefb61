//! A filesystem that nobody may ask.

use codex_file_system::wrap::CallKind;
use codex_file_system::{
    CopyOptions, ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext,
};
use codex_path_uri::PathUri;

use crate::calls::for_each_scalar_call;

/// The files of a machine that a test must leave alone.
///
/// # Panics
/// At every call, with the path asked for.
///
/// # Examples
/// ```
/// use codex_file_system::{FindUpErrorPolicy, find_nearest_ancestor_with_markers};
/// use codex_file_system_testkit::Forbidden;
/// use codex_path_uri::PathUri;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let start = PathUri::parse("file:///srv")?;
/// let none: [&str; 0] = [];
/// let policy = FindUpErrorPolicy::Propagate;
/// let root = find_nearest_ancestor_with_markers(&Forbidden, &start, none, policy, None).await?;
/// assert_eq!(root, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Forbidden;

#[expect(clippy::panic, reason = "a test that asks has failed")]
fn refuse<'a, T>(kind: CallKind, path: &PathUri) -> FileSystemFuture<'a, T> {
    panic!("{kind:?} of {path}, which nobody may ask")
}

macro_rules! refused {
    ($(
        $method:ident $kind:ident ($($argument:ident: $type:ty),*) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            path: &'a PathUri,
            $(_: $type,)*
            _: Option<&'a FileSystemSandboxContext>,
        ) -> FileSystemFuture<'a, $answer> {
            refuse(CallKind::$kind, path)
        }
    )*};
}

impl ExecutorFileSystem for Forbidden {
    for_each_scalar_call!(refused);

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        _: &'a PathUri,
        _: CopyOptions,
        _: Option<&'a FileSystemSandboxContext>,
    ) -> FileSystemFuture<'a, ()> {
        refuse(CallKind::Copy, source)
    }
}
