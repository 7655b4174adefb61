//! A filesystem of which some calls are answered otherwise.
//!
//! For what no tree can say: metadata that is wrong, contents that change, calls that wait for the
//! test. An alteration overrides the calls it is about and inherits the others, so a test writes
//! down only what is unlike an honest filesystem.

use codex_file_system::{
    ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext, for_each_provided_call,
    for_each_scalar_call,
};
use codex_path_uri::PathUri;

/// What is answered otherwise. Each method that is not overridden asks the filesystem below.
///
/// A provided call asks below as well: where an alteration of `read_file` must hold for
/// `read_file_text` and the others too, put [`Scalar`](crate::Scalar) around.
///
/// # Examples
/// ```
/// use codex_file_system::{ExecutorFileSystem, FileMetadata, FileSystemFuture};
/// use codex_file_system::FileSystemSandboxContext;
/// use codex_file_system_testkit::{Alteration, Altered, Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// /// No file has a size.
/// struct Weightless;
///
/// impl Alteration for Weightless {
///     fn get_metadata<'a>(
///         &'a self,
///         below: &'a dyn ExecutorFileSystem,
///         path: &'a PathUri,
///         sandbox: Option<&'a FileSystemSandboxContext>,
///     ) -> FileSystemFuture<'a, FileMetadata> {
///         Box::pin(async move {
///             let metadata = below.get_metadata(path, sandbox).await?;
///             Ok(metadata.with_size(None))
///         })
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/a.txt = hello")?;
/// let fs = Altered::new(memory, Weightless);
/// let path = PathUri::parse("file:///a.txt")?;
/// assert_eq!(fs.get_metadata(&path, None).await?.size, None);
/// assert_eq!(fs.read_file(&path, None).await?, b"hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Alteration: Send + Sync {
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
        #[doc = concat!("Answers `", stringify!($method), "`.")]
        fn $method<'a>(
            &'a self,
            below: &'a dyn ExecutorFileSystem,
            $path: &'a PathUri,
            $($destination: &'a PathUri,)?
            $($lent: &'a $borrowed,)*
            $($given: $owned,)*
            sandbox: Option<&'a FileSystemSandboxContext>,
        ) -> FileSystemFuture<'a, $answer> {
            below.$method($path, $($destination,)? $($lent,)* $($given,)* sandbox)
        }
    )*};
}
use honest;

/// Alters nothing.
impl Alteration for () {}

/// A filesystem under an [`Alteration`].
#[derive(Clone, Debug)]
pub struct Altered<F, A> {
    below: F,
    alteration: A,
}

impl<F, A> Altered<F, A> {
    /// `below`, of which `alteration` answers some calls.
    pub const fn new(below: F, alteration: A) -> Self {
        Self { below, alteration }
    }

    /// The alteration, for what it has noted.
    pub const fn alteration(&self) -> &A {
        &self.alteration
    }
}

macro_rules! altered {
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
            sandbox: Option<&'a FileSystemSandboxContext>,
        ) -> FileSystemFuture<'a, $answer> {
            let Self { below, alteration } = self;
            alteration.$method(
                below, $path, $($destination,)? $($lent,)* $($given,)* sandbox
            )
        }
    )*};
}

impl<F: ExecutorFileSystem, A: Alteration> ExecutorFileSystem for Altered<F, A> {
    for_each_scalar_call!(altered);
    for_each_provided_call!(altered);
}
