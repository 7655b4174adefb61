//! What the tests share: paths, answers reduced to kinds, and a state that can be compared.

use std::io;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileKind, ReadDirectoryEntry,
    RemoveOptions,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use futures::FutureExt;
use proptest::prelude::*;
use proptest::sample::Index;

pub(crate) fn uri(text: &str) -> PathUri {
    PathUri::parse(text).unwrap()
}

pub(crate) fn posix(tree: &str) -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap()
}

pub(crate) fn windows(tree: &str) -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap()
}

/// The answer of a call that is ready at its first poll, its error reduced to the kind.
pub(crate) fn now<T>(call: impl Future<Output = io::Result<T>>) -> Result<T, io::ErrorKind> {
    call.now_or_never().unwrap().map_err(|error| error.kind())
}

pub(crate) fn stat_kind(
    fs: &dyn ExecutorFileSystem,
    text: &str,
) -> Result<FileKind, io::ErrorKind> {
    now(fs.get_metadata(&uri(text), None)).map(|metadata| metadata.kind)
}

pub(crate) fn read(fs: &dyn ExecutorFileSystem, text: &str) -> Result<String, io::ErrorKind> {
    now(fs.read_file_text(&uri(text), None))
}

/// Names of a listing, as text.
pub(crate) fn names(fs: &dyn ExecutorFileSystem, text: &str) -> Vec<String> {
    let entries = now(fs.read_directory(&uri(text), None)).unwrap();
    entries
        .iter()
        .map(|entry| entry.file_name.to_string())
        .collect()
}

/// All that the reading calls tell of one path.
#[derive(Debug, PartialEq)]
pub(crate) struct Told {
    metadata: Result<(FileKind, Option<bool>, Option<u64>), io::ErrorKind>,
    contents: Result<Vec<u8>, io::ErrorKind>,
    listing: Result<Vec<ReadDirectoryEntry>, io::ErrorKind>,
    /// Names below the canonical base, so that two bases can be compared.
    canonical: Result<Option<String>, io::ErrorKind>,
}

/// Asks everything about one path; sizes of what is no file are left out.
pub(crate) fn tell(fs: &dyn ExecutorFileSystem, base: &PathUri, path: &PathUri) -> Told {
    let canonical_base = now(fs.canonicalize(base, None)).unwrap();
    Told {
        metadata: now(fs.get_metadata(path, None)).map(|told| {
            (
                told.kind,
                told.is_symlink,
                told.size.filter(|_| told.kind == FileKind::File),
            )
        }),
        contents: now(fs.read_file(path, None)),
        listing: now(fs.read_directory(path, None)),
        canonical: now(fs.canonicalize(path, None))
            .map(|canonical| canonical.relative_path_from(&canonical_base)),
    }
}

/// One writing call on some of the paths of a tree.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Write(Index, Vec<u8>),
    Create(Index, CreateDirectoryOptions),
    Remove(Index, RemoveOptions),
    Copy(Index, Index, CopyOptions),
}

impl Operation {
    pub(crate) fn apply(
        &self,
        fs: &dyn ExecutorFileSystem,
        paths: &[PathUri],
    ) -> Result<(), io::ErrorKind> {
        if paths.is_empty() {
            return Ok(());
        }
        match self {
            Self::Write(at, contents) => now(fs.write_file(at.get(paths), contents.clone(), None)),
            Self::Create(at, options) => now(fs.create_directory(at.get(paths), *options, None)),
            Self::Remove(at, options) => now(fs.remove(at.get(paths), *options, None)),
            Self::Copy(from, to, options) => {
                now(fs.copy(from.get(paths), to.get(paths), *options, None))
            }
        }
    }

    /// Whether a refusal may leave part of the work done: only below and on the way.
    pub(crate) fn is_recursive(&self) -> bool {
        match self {
            Self::Write(..) => false,
            Self::Create(_, options) => options.recursive,
            Self::Remove(_, options) => options.recursive,
            Self::Copy(_, _, options) => options.recursive,
        }
    }
}

pub(crate) fn operations() -> impl Strategy<Value = Operation> {
    let at = any::<Index>;
    let contents = prop::collection::vec(any::<u8>(), 0..8);
    prop_oneof![
        (at(), contents).prop_map(|(at, contents)| Operation::Write(at, contents)),
        (at(), any::<bool>()).prop_map(|(at, recursive)| {
            Operation::Create(at, CreateDirectoryOptions { recursive })
        }),
        (at(), any::<bool>(), any::<bool>()).prop_map(|(at, recursive, force)| {
            Operation::Remove(at, RemoveOptions { recursive, force })
        }),
        (at(), at(), any::<bool>()).prop_map(|(from, to, recursive)| {
            Operation::Copy(from, to, CopyOptions { recursive })
        }),
    ]
}
