//! The way every wrapper goes: one description of a call, one function around it.
//!
//! A wrapper implements [`Around`] and names itself in [`forward_calls!`], which writes the
//! eleven methods. So a method that the trait gains later is forwarded by all of them, and none
//! falls back to a default body that the inner filesystem overrides.

use codex_path_uri::PathUri;

use crate::{
    EnvironmentId, FileMetadata, FilePrefix, FileSystemError, FileSystemFuture, Operation,
    ReadDirectoryEntry, Walk,
};

/// The methods of [`ExecutorFileSystem`](crate::ExecutorFileSystem).
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

/// One call on its way to the inner filesystem.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) kind: CallKind,
    /// The path asked for; the source of a copy.
    pub(super) path: &'a PathUri,
    /// The destination of a copy.
    pub(super) destination: Option<&'a PathUri>,
}

/// What a wrapper does around one call.
///
/// `inner` is the inner filesystem's future. It has not been polled, so dropping it is not a
/// call, and awaiting it is one.
pub(super) trait Around: Send + Sync {
    fn around<'a, T: Answer + 'a>(
        &'a self,
        call: Call<'a>,
        inner: FileSystemFuture<'a, T>,
    ) -> FileSystemFuture<'a, T>;
}

/// What a call may answer, as far as a wrapper looks into it.
pub(super) trait Answer: Send {
    /// How many bytes of file content the answer carries.
    fn bytes_read(&self) -> u64 {
        0
    }

    /// Adds the context of the errors that are part of a successful answer.
    fn add_context(self, _environment_id: Option<&EnvironmentId>) -> Self
    where
        Self: Sized,
    {
        self
    }
}

impl Answer for () {}
impl Answer for FileMetadata {}
impl Answer for PathUri {}
impl Answer for Vec<ReadDirectoryEntry> {}

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

impl Answer for Walk {
    fn add_context(mut self, environment_id: Option<&EnvironmentId>) -> Self {
        let operation = CallKind::Walk.operation();
        let with_context = |mut failed: crate::WalkError| {
            failed.error =
                FileSystemError::attach(failed.error, operation, &failed.path, environment_id);
            failed
        };
        self.errors = self.errors.into_iter().map(with_context).collect();
        self
    }
}

/// Implements [`ExecutorFileSystem`](crate::ExecutorFileSystem) for a wrapper with a field
/// `inner` by way of its [`Around`].
macro_rules! forward_calls {
    ($wrapper:ident $(, $parameter:ident: $bound:ident)?) => {
        impl<F: $crate::ExecutorFileSystem $(, $parameter: $bound)?> $crate::ExecutorFileSystem
            for $wrapper<F $(, $parameter)?>
        {
            $crate::wrap::forward::forward_calls! { @method
                get_metadata GetMetadata () -> $crate::FileMetadata;
                read_file ReadFile () -> Vec<u8>;
                read_directory ReadDirectory () -> Vec<$crate::ReadDirectoryEntry>;
                canonicalize Canonicalize () -> codex_path_uri::PathUri;
                write_file WriteFile (contents: Vec<u8>) -> ();
                create_directory CreateDirectory (options: $crate::CreateDirectoryOptions) -> ();
                remove Remove (options: $crate::RemoveOptions) -> ();
                read_file_text ReadFileText () -> String;
                read_file_prefix ReadFilePrefix
                    (max_bytes: u64, size_hint: Option<u64>) -> $crate::FilePrefix;
                walk Walk (options: &'a $crate::WalkOptions) -> $crate::Walk;
            }

            fn copy<'a>(
                &'a self,
                source: &'a codex_path_uri::PathUri,
                destination: &'a codex_path_uri::PathUri,
                options: $crate::CopyOptions,
                sandbox: Option<&'a $crate::FileSystemSandboxContext>,
            ) -> $crate::FileSystemFuture<'a, ()> {
                let kind = $crate::wrap::CallKind::Copy;
                let call = $crate::wrap::forward::Call {
                    kind,
                    path: source,
                    destination: Some(destination),
                };
                let inner = self.inner.copy(source, destination, options, sandbox);
                $crate::wrap::forward::Around::around(self, call, inner)
            }
        }
    };
    (@method $(
        $method:ident $kind:ident ($($argument:ident: $type:ty),*) -> $answer:ty;
    )*) => {$(
        fn $method<'a>(
            &'a self,
            path: &'a codex_path_uri::PathUri,
            $($argument: $type,)*
            sandbox: Option<&'a $crate::FileSystemSandboxContext>,
        ) -> $crate::FileSystemFuture<'a, $answer> {
            let kind = $crate::wrap::CallKind::$kind;
            let call = $crate::wrap::forward::Call { kind, path, destination: None };
            let inner = self.inner.$method(path, $($argument,)* sandbox);
            $crate::wrap::forward::Around::around(self, call, inner)
        }
    )*};
}

pub(super) use forward_calls;
