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

use crate::{
    BlockingFileSystem, EnvironmentId, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemError, FileSystemFuture, FileSystemSandboxContext, Operation, ReadDirectoryEntry,
    WalkError,
};

#[doc(no_inline)]
pub use codex_path_uri::PathUri;

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

/// The methods of [`ExecutorFileSystem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// [`get_metadata`](crate::ExecutorFileSystem::get_metadata).
    GetMetadata,
    /// [`read_file`](crate::ExecutorFileSystem::read_file).
    ReadFile,
    /// [`read_directory`](crate::ExecutorFileSystem::read_directory).
    ReadDirectory,
    /// [`canonicalize`](crate::ExecutorFileSystem::canonicalize).
    Canonicalize,
    /// [`write_file`](crate::ExecutorFileSystem::write_file).
    WriteFile,
    /// [`create_directory`](crate::ExecutorFileSystem::create_directory).
    CreateDirectory,
    /// [`remove`](crate::ExecutorFileSystem::remove).
    Remove,
    /// [`copy`](crate::ExecutorFileSystem::copy).
    Copy,
    /// [`read_file_text`](crate::ExecutorFileSystem::read_file_text).
    ReadFileText,
    /// [`read_file_prefix`](crate::ExecutorFileSystem::read_file_prefix).
    ReadFilePrefix,
    /// [`walk`](crate::ExecutorFileSystem::walk).
    Walk,
}

impl CallKind {
    /// What an error of such a call says it was doing.
    pub const fn operation(self) -> Operation {
        match self {
            CallKind::GetMetadata => Operation::GetMetadata,
            CallKind::ReadFile | CallKind::ReadFileText | CallKind::ReadFilePrefix => {
                Operation::ReadFile
            }
            CallKind::ReadDirectory | CallKind::Walk => Operation::ReadDirectory,
            CallKind::Canonicalize => Operation::Canonicalize,
            CallKind::WriteFile => Operation::WriteFile,
            CallKind::CreateDirectory => Operation::CreateDirectory,
            CallKind::Remove => Operation::Remove,
            CallKind::Copy => Operation::Copy,
        }
    }

    /// Whether such a call changes the filesystem.
    pub const fn is_write(self) -> bool {
        matches!(
            self,
            CallKind::WriteFile | CallKind::CreateDirectory | CallKind::Remove | CallKind::Copy
        )
    }
}

/// What a call may answer.
pub trait Answer: InContext + Send + 'static {
    /// How many bytes of file content the answer carries.
    fn bytes_read(&self) -> u64 {
        0
    }
}

/// What only this crate asks of an answer, so that there are no others.
pub trait InContext: Sized {
    /// Adds the context of the errors that are part of a successful answer.
    fn add_context(self, _environment_id: Option<&EnvironmentId>) -> Self {
        self
    }
}

impl Answer for () {}
impl Answer for FileMetadata {}
impl Answer for PathUri {}
impl Answer for Vec<ReadDirectoryEntry> {}
impl Answer for crate::Walk {}

impl Answer for Vec<u8> {
    fn bytes_read(&self) -> u64 {
        self.len() as u64
    }
}

impl Answer for String {
    fn bytes_read(&self) -> u64 {
        self.len() as u64
    }
}

impl Answer for FilePrefix {
    fn bytes_read(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl InContext for () {}
impl InContext for FileMetadata {}
impl InContext for PathUri {}
impl InContext for Vec<ReadDirectoryEntry> {}
impl InContext for Vec<u8> {}
impl InContext for String {}
impl InContext for FilePrefix {}

impl InContext for crate::Walk {
    fn add_context(mut self, environment_id: Option<&EnvironmentId>) -> Self {
        let operation = CallKind::Walk.operation();
        let with_context = |mut failed: WalkError| {
            failed.error =
                FileSystemError::attach(failed.error, operation, &failed.path, environment_id);
            failed
        };
        self.errors = self.errors.into_iter().map(with_context).collect();
        self
    }
}

/// Invokes a macro with every method of [`ExecutorFileSystem`](crate::ExecutorFileSystem) that
/// has no default body.
///
/// A row is `method Kind (path, destination; &borrowed: Type; owned: Type) -> Answer;`: the name
/// of the method, its [`CallKind`](crate::call::CallKind), and its arguments but the sandbox, the
/// last one of every method. The paths are [`PathUri`](crate::call::PathUri), by reference.
#[macro_export]
macro_rules! for_each_scalar_call {
    ($($callback:tt)+) => {
        $($callback)+! {
            get_metadata GetMetadata (path) -> $crate::FileMetadata;
            read_file ReadFile (path) -> Vec<u8>;
            read_directory ReadDirectory (path) -> Vec<$crate::ReadDirectoryEntry>;
            canonicalize Canonicalize (path) -> $crate::call::PathUri;
            write_file WriteFile (path; contents: Vec<u8>) -> ();
            create_directory CreateDirectory (path; options: $crate::CreateDirectoryOptions) -> ();
            remove Remove (path; options: $crate::RemoveOptions) -> ();
            copy Copy (source, destination; options: $crate::CopyOptions) -> ();
        }
    };
}

/// Invokes a macro with every method of [`ExecutorFileSystem`](crate::ExecutorFileSystem) that
/// has a default body, in the form of [`for_each_scalar_call!`](crate::for_each_scalar_call).
#[macro_export]
macro_rules! for_each_provided_call {
    ($($callback:tt)+) => {
        $($callback)+! {
            read_file_text ReadFileText (path) -> String;
            read_file_prefix ReadFilePrefix
                (path; max_bytes: u64; size_hint: Option<u64>) -> $crate::FilePrefix;
            walk Walk (root; &options: $crate::WalkOptions) -> $crate::Walk;
        }
    };
}

/// Implements [`ExecutorFileSystem`](crate::ExecutorFileSystem) for a type that is
/// [`Uniform`](crate::call::Uniform): every method is its `call`.
///
/// The parameters of the implementation, if any, stand in brackets, as in
/// `impl[F: ExecutorFileSystem] for Wrapper<F>`.
#[macro_export]
macro_rules! uniform_file_system {
    (impl $([$($parameter:tt)*])? for $filesystem:ty) => {
        impl $(<$($parameter)*>)? $crate::ExecutorFileSystem for $filesystem {
            $crate::for_each_scalar_call!($crate::uniform_file_system);
            $crate::for_each_provided_call!($crate::uniform_file_system);
        }
    };
    // What the lists above come back with.
    ($(
        $method:ident $kind:ident (
            $path:ident $(, $destination:ident)?
            $(; &$lent:ident: $borrowed:ty)* $(; $given:ident: $owned:ty)*
        ) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            $path: &'a $crate::call::PathUri,
            $($destination: &'a $crate::call::PathUri,)?
            $($lent: &'a $borrowed,)*
            $($given: $owned,)*
            sandbox: Option<&'a $crate::FileSystemSandboxContext>,
        ) -> $crate::FileSystemFuture<'a, $answer> {
            let call = $crate::call::$kind {
                $path, $($destination,)? $($lent,)* $($given,)* sandbox
            };
            $crate::call::Uniform::call(self, call)
        }
    )*};
}

macro_rules! value {
    ($(
        $method:ident $kind:ident (
            $path:ident $(, $destination:ident)?
            $(; &$lent:ident: $borrowed:ty)* $(; $given:ident: $owned:ty)*
        ) -> $answer:ty;
    )*) => {$(
        #[doc = concat!(
            "A call of [`", stringify!($method), "`](ExecutorFileSystem::", stringify!($method), ").",
        )]
        #[derive(Clone, Debug)]
        #[expect(missing_docs, reason = "the fields are the arguments of the method")]
        pub struct $kind<'a> {
            pub $path: &'a PathUri,
            $(pub $destination: &'a PathUri,)?
            $(pub $lent: &'a $borrowed,)*
            $(pub $given: $owned,)*
            pub sandbox: Option<&'a FileSystemSandboxContext>,
        }

        impl<'a> Call<'a> for $kind<'a> {
            type Answer = $answer;

            const KIND: CallKind = CallKind::$kind;

            fn path(&self) -> &'a PathUri {
                self.$path
            }

            fn destination(&self) -> Option<&'a PathUri> {
                None $(.or(Some(self.$destination)))?
            }

            fn sandbox(&self) -> Option<&'a FileSystemSandboxContext> {
                self.sandbox
            }

            fn make<'f>(
                self,
                filesystem: &'f (impl ExecutorFileSystem + ?Sized),
            ) -> FileSystemFuture<'f, $answer>
            where
                'a: 'f,
            {
                let Self { $path, $($destination,)? $($lent,)* $($given,)* sandbox } = self;
                filesystem.$method($path, $($destination,)? $($lent,)* $($given,)* sandbox)
            }

            fn make_blocking(
                self,
                filesystem: &(impl BlockingFileSystem + ?Sized),
            ) -> io::Result<$answer> {
                let Self { $path, $($destination,)? $($lent,)* $($given,)* sandbox } = self;
                filesystem.$method($path, $($destination,)? $($lent,)* $($given,)* sandbox)
            }

            fn detach<B: BlockingFileSystem>(
                self,
            ) -> impl FnOnce(&B) -> io::Result<$answer> + Send + 'static {
                let Self { $path, $($destination,)? $($lent,)* $($given,)* sandbox } = self;
                let ($path, sandbox) = ($path.clone(), sandbox.cloned());
                $(let $destination = $destination.clone();)?
                $(let $lent = $lent.clone();)*
                move |filesystem: &B| {
                    let sandbox = sandbox.as_ref();
                    filesystem.$method(
                        &$path, $(&$destination,)? $(&$lent,)* $($given,)* sandbox
                    )
                }
            }
        }
    )*};
}

crate::for_each_scalar_call!(value);
crate::for_each_provided_call!(value);
