//! The default bodies of the trait over another filesystem's scalar calls.

use codex_file_system::{
    ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext, for_each_scalar_call,
};
use codex_path_uri::PathUri;

/// Another filesystem without its overrides: each provided method is its default body.
///
/// An override must have the result of the default body; this is the other side of that
/// comparison.
///
/// # Examples
/// ```
/// use codex_file_system::ExecutorFileSystem;
/// use codex_file_system::wrap::{Calls, Counting};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem, Scalar};
/// use codex_path_uri::PathUri;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let counting = Counting::new(MemoryFileSystem::from_tree(Flavor::Posix, "/a.txt = hello")?);
/// let path = PathUri::parse("file:///a.txt")?;
/// assert_eq!(Scalar(&counting).read_file_text(&path, None).await?, "hello");
/// assert_eq!(counting.calls(), Calls { read_file: 1, ..Calls::default() });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scalar<F>(
    /// The filesystem whose scalar calls are made.
    pub F,
);

macro_rules! forward {
    ($(
        $method:ident $kind:ident (
            $path:ident $(, $destination:ident)? $(; $given:ident: $owned:ty)*
        ) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            $path: &'a PathUri,
            $($destination: &'a PathUri,)?
            $($given: $owned,)*
            sandbox: Option<&'a FileSystemSandboxContext>,
        ) -> FileSystemFuture<'a, $answer> {
            self.0.$method($path, $($destination,)? $($given,)* sandbox)
        }
    )*};
}

impl<F: ExecutorFileSystem> ExecutorFileSystem for Scalar<F> {
    for_each_scalar_call!(forward);
}
