//! The one list of the trait's methods, and what is written from it.
//!
//! A method that the trait gains later is added here, and to whatever matches on
//! [`CallKind`](super::CallKind).

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
