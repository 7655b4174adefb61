//! One function around every call, for wrappers that treat all calls alike.

use codex_file_system::FileSystemFuture;
use codex_file_system::wrap::CallKind;
use codex_path_uri::PathUri;

/// One call on its way to the inner filesystem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) kind: CallKind,
    /// The path asked for; the source of a copy.
    pub(crate) path: &'a PathUri,
    /// The destination of a copy.
    pub(crate) destination: Option<&'a PathUri>,
}

/// What a wrapper does around one call. `inner` has not been polled, so dropping it is no call.
pub(crate) trait Intercept: Send + Sync {
    fn intercept<'a, T: Send + 'a>(
        &'a self,
        call: Call<'a>,
        inner: FileSystemFuture<'a, T>,
    ) -> FileSystemFuture<'a, T>;
}

/// Implements the filesystem trait for a wrapper with a field `inner`, by way of its
/// [`Intercept`].
macro_rules! intercept_calls {
    ($wrapper:ident) => {
        impl<F: codex_file_system::ExecutorFileSystem> codex_file_system::ExecutorFileSystem
            for $wrapper<F>
        {
            $crate::calls::for_each_scalar_call!(intercepted);
            $crate::calls::for_each_provided_call!(intercepted);

            fn copy<'a>(
                &'a self,
                source: &'a codex_path_uri::PathUri,
                destination: &'a codex_path_uri::PathUri,
                options: codex_file_system::CopyOptions,
                sandbox: Option<&'a codex_file_system::FileSystemSandboxContext>,
            ) -> codex_file_system::FileSystemFuture<'a, ()> {
                let call = $crate::intercept::Call {
                    kind: codex_file_system::wrap::CallKind::Copy,
                    path: source,
                    destination: Some(destination),
                };
                let inner = self.inner.copy(source, destination, options, sandbox);
                $crate::intercept::Intercept::intercept(self, call, inner)
            }
        }
    };
}

/// The methods that [`intercept_calls`] writes.
macro_rules! intercepted {
    ($(
        $method:ident $kind:ident ($($argument:ident: $type:ty),*) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            path: &'a codex_path_uri::PathUri,
            $($argument: $type,)*
            sandbox: Option<&'a codex_file_system::FileSystemSandboxContext>,
        ) -> codex_file_system::FileSystemFuture<'a, $answer> {
            let kind = codex_file_system::wrap::CallKind::$kind;
            let call = $crate::intercept::Call { kind, path, destination: None };
            let inner = self.inner.$method(path, $($argument,)* sandbox);
            $crate::intercept::Intercept::intercept(self, call, inner)
        }
    )*};
}

pub(crate) use {intercept_calls, intercepted};
