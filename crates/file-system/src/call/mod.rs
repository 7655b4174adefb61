//! A call as a value, for whoever treats every call alike.
//!
//! A wrapper, a pool or a connection does the same around each of the eleven methods of
//! [`ExecutorFileSystem`]. It says so once, in [`Uniform`], and
//! [`uniform_file_system!`](crate::uniform_file_system) writes the methods. So a method that the
//! trait gains later is forwarded by all of them, and none falls back to a default body that the
//! filesystem below overrides.
//!
//! ```
//! use std::time::Instant;
//!
//! use codex_file_system::call::{Call, Uniform};
//! use codex_file_system::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::PathUri;
//!
//! /// Says how long every call takes.
//! struct Timed<F>(F);
//!
//! impl<F: ExecutorFileSystem> Uniform for Timed<F> {
//!     fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
//!         Box::pin(async move {
//!             let (path, start) = (call.path(), Instant::now());
//!             let answer = call.make(&self.0).await;
//!             println!("{:?} of {path}: {:?}", C::KIND, start.elapsed());
//!             answer
//!         })
//!     }
//! }
//!
//! uniform_file_system! { impl[F: ExecutorFileSystem] for Timed<F> }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let fs = Timed(MemoryFileSystem::from_tree(Flavor::Posix, "/a.txt = hello")?);
//! let path = PathUri::parse("file:///a.txt")?;
//! assert_eq!(futures::executor::block_on(fs.read_file(&path, None))?, b"hello");
//! # Ok(())
//! # }
//! ```

use std::io;

#[doc(no_inline)]
pub use codex_path_uri::PathUri;

use crate::{BlockingFileSystem, ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext};

mod answer;
mod kind;
mod list;
mod value;

pub use answer::Answer;
pub(crate) use answer::InContext;
pub use kind::CallKind;
pub use value::{
    Canonicalize, Copy, CreateDirectory, GetMetadata, ReadDirectory, ReadFile, ReadFilePrefix,
    ReadFileText, Remove, Walk, WriteFile,
};

/// One call with its arguments: a method of [`ExecutorFileSystem`] that nobody has invoked yet.
pub trait Call<'a>: Send + Sized + 'a {
    /// What the method answers.
    type Answer: Answer;

    /// Which method it is.
    const KIND: CallKind;

    /// The path asked for; the source of a copy.
    fn path(&self) -> &'a PathUri;

    /// The destination of a copy.
    fn destination(&self) -> Option<&'a PathUri>;

    /// The restriction of the call.
    fn sandbox(&self) -> Option<&'a FileSystemSandboxContext>;

    /// Makes the call: what the method of this filesystem returns.
    fn make<'f>(
        self,
        filesystem: &'f (impl ExecutorFileSystem + ?Sized),
    ) -> FileSystemFuture<'f, Self::Answer>
    where
        'a: 'f;

    /// Makes the call on this thread.
    ///
    /// # Errors
    /// Those of the filesystem.
    fn make_blocking(
        self,
        filesystem: &(impl BlockingFileSystem + ?Sized),
    ) -> io::Result<Self::Answer>;

    /// The call with arguments of its own, to be made on whatever thread it is moved to.
    fn detach<B: BlockingFileSystem>(
        self,
    ) -> impl FnOnce(&B) -> io::Result<Self::Answer> + Send + 'static;
}

/// A filesystem that treats every call alike.
pub trait Uniform: Send + Sync {
    /// Answers a call. Nothing happens before the future is polled; making the call on the
    /// filesystem below and polling what that returns is the call.
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer>;
}
