//! The list of the trait's calls, for code that treats them all alike.
//!
//! A call that the trait gains later is added here once. `copy` is apart: it alone has two paths.

/// Invokes a macro with every scalar call but `copy`: method, `CallKind`, arguments between path
/// and sandbox, and answer.
macro_rules! for_each_scalar_call {
    ($callback:ident) => {
        $callback! {
            get_metadata GetMetadata () -> codex_file_system::FileMetadata;
            read_file ReadFile () -> Vec<u8>;
            read_directory ReadDirectory () -> Vec<codex_file_system::ReadDirectoryEntry>;
            canonicalize Canonicalize () -> codex_path_uri::PathUri;
            write_file WriteFile (contents: Vec<u8>) -> ();
            create_directory CreateDirectory
                (options: codex_file_system::CreateDirectoryOptions) -> ();
            remove Remove (options: codex_file_system::RemoveOptions) -> ();
        }
    };
}

/// Invokes a macro with every provided call, in the same form.
macro_rules! for_each_provided_call {
    ($callback:ident) => {
        $callback! {
            read_file_text ReadFileText () -> String;
            read_file_prefix ReadFilePrefix
                (max_bytes: u64, size_hint: Option<u64>) -> codex_file_system::FilePrefix;
            walk Walk (options: &'a codex_file_system::WalkOptions) -> codex_file_system::Walk;
        }
    };
}

pub(crate) use {for_each_provided_call, for_each_scalar_call};
