//! The table of the writing calls.

use std::io::ErrorKind::{
    self, AlreadyExists, DirectoryNotEmpty, InvalidInput, IsADirectory, NotADirectory, NotFound,
    PermissionDenied,
};

use codex_file_system::error::filesystem_loop;
use codex_file_system::{CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, RemoveOptions};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use super::below;
use crate::support::{now, posix, uri};

pub(crate) const WRITING: &str = "
    /file = old
    /dir/x = 1
    /dir/sub/
    /empty/
    /from/x/
    /read-only !444 = old
    /frozen/x = 1
    /frozen/ !555
    /to-file -> file
    /to-dir -> dir
    /dead -> nowhere
    /self -> self
    /pipe |
";

/// One writing call on a tree of its own.
#[derive(Debug)]
pub(crate) enum Call {
    Write(&'static str),
    Create(&'static str, bool),
    Remove(&'static str, bool, bool),
    Copy(&'static str, &'static str, bool),
}

use Call::{Copy, Create, Remove, Write};

impl Call {
    pub(crate) fn make(
        &self,
        fs: &dyn ExecutorFileSystem,
        base: &PathUri,
    ) -> Result<(), ErrorKind> {
        let at = |path: &str| below(base, path);
        match *self {
            Write(path) => now(fs.write_file(&at(path), b"new".to_vec(), None)),
            Create(path, recursive) => {
                now(fs.create_directory(&at(path), CreateDirectoryOptions { recursive }, None))
            }
            Remove(path, recursive, force) => {
                now(fs.remove(&at(path), RemoveOptions { recursive, force }, None))
            }
            Copy(source, destination, recursive) => now(fs.copy(
                &at(source),
                &at(destination),
                CopyOptions { recursive },
                None,
            )),
        }
    }
}

fn cells() -> Vec<(Call, Result<(), ErrorKind>)> {
    vec![
        (Write("/file"), Ok(())),
        (Write("/to-file"), Ok(())),
        (Write("/new"), Ok(())),
        (Write("/missing/new"), Err(NotFound)),
        (Write("/dir"), Err(IsADirectory)),
        (Write("/to-dir"), Err(IsADirectory)),
        (Write("/file/new"), Err(NotADirectory)),
        (Write("/pipe"), Err(InvalidInput)),
        (Write("/self"), Err(filesystem_loop())),
        (Write("/read-only"), Err(PermissionDenied)),
        (Write("/frozen/new"), Err(PermissionDenied)),
        (Create("/new", false), Ok(())),
        (Create("/new", true), Ok(())),
        (Create("/a/b/c", true), Ok(())),
        (Create("/a/b/c", false), Err(NotFound)),
        (Create("/dir", true), Ok(())),
        (Create("/dir", false), Err(AlreadyExists)),
        (Create("/", true), Ok(())),
        (Create("/", false), Err(AlreadyExists)),
        (Create("/file", true), Err(AlreadyExists)),
        (Create("/file", false), Err(AlreadyExists)),
        (Create("/to-file", true), Err(AlreadyExists)),
        (Create("/dead", true), Err(AlreadyExists)),
        (Create("/dead", false), Err(AlreadyExists)),
        (Create("/self", true), Err(AlreadyExists)),
        (Create("/pipe", true), Err(AlreadyExists)),
        (Create("/file/new", true), Err(NotADirectory)),
        (Create("/file/new", false), Err(NotADirectory)),
        (Create("/file/a/b", true), Err(NotADirectory)),
        (Create("/to-dir", true), Ok(())),
        (Create("/frozen/new", true), Err(PermissionDenied)),
        (Remove("/file", false, false), Ok(())),
        (Remove("/to-dir", true, false), Ok(())),
        (Remove("/dead", false, false), Ok(())),
        (Remove("/self", false, false), Ok(())),
        (Remove("/pipe", false, false), Ok(())),
        (Remove("/empty", false, false), Ok(())),
        (Remove("/empty", true, false), Ok(())),
        (Remove("/dir", false, false), Err(DirectoryNotEmpty)),
        (Remove("/dir", false, true), Err(DirectoryNotEmpty)),
        (Remove("/dir", true, false), Ok(())),
        (Remove("/missing", false, true), Ok(())),
        (Remove("/missing/x", true, true), Ok(())),
        (Remove("/missing", false, false), Err(NotFound)),
        (Remove("/missing", true, false), Err(NotFound)),
        (Remove("/missing/x", false, true), Ok(())),
        (Remove("/missing/x", true, false), Err(NotFound)),
        (Remove("/file/x", false, true), Err(NotADirectory)),
        (Remove("/file/x", true, true), Err(NotADirectory)),
        (Remove("/file/x", false, false), Err(NotADirectory)),
        (Remove("/self/x", true, true), Err(filesystem_loop())),
        (Remove("/frozen/x", false, true), Err(PermissionDenied)),
        (Copy("/file", "/new", false), Ok(())),
        (Copy("/file", "/dir/x", true), Ok(())),
        (Copy("/file", "/missing/new", false), Err(NotFound)),
        (Copy("/dir", "/missing/new", true), Err(NotFound)),
        (Copy("/dead", "/missing/new", false), Err(NotFound)),
        (Copy("/file", "/read-only/new", false), Err(NotADirectory)),
        (Copy("/dir", "/file/new", true), Err(NotADirectory)),
        (Copy("/dead", "/file/new", false), Err(NotADirectory)),
        (Copy("/file", "/dir", false), Err(IsADirectory)),
        (Copy("/file", "/empty", true), Err(IsADirectory)),
        (Copy("/dead", "/dir", false), Err(IsADirectory)),
        (Copy("/file", "/to-dir", false), Ok(())),
        (Copy("/file", "/to-file", false), Ok(())),
        (Copy("/file", "/dead", false), Ok(())),
        (Copy("/dead", "/file", false), Ok(())),
        (Copy("/file", "/pipe", false), Err(InvalidInput)),
        (Copy("/dead", "/pipe", false), Err(InvalidInput)),
        (Copy("/dir", "/empty", true), Ok(())),
        (Copy("/dir", "/file", true), Err(AlreadyExists)),
        (Copy("/dir", "/to-dir", true), Err(AlreadyExists)),
        (Copy("/empty", "/to-dir", true), Err(AlreadyExists)),
        (Copy("/empty", "/dead", true), Err(AlreadyExists)),
        (Copy("/empty", "/pipe", true), Err(AlreadyExists)),
        (Copy("/from", "/dir", true), Err(AlreadyExists)),
        (Copy("/dir", "/from", true), Err(IsADirectory)),
        (Copy("/file", "/file", false), Ok(())),
        (Copy("/to-file", "/new", false), Ok(())),
        (Copy("/dead", "/new", false), Ok(())),
        (Copy("/self", "/new", false), Ok(())),
        (Copy("/dir", "/new", true), Ok(())),
        (Copy("/dir", "/new", false), Err(InvalidInput)),
        (Copy("/empty", "/new", false), Err(InvalidInput)),
        (Copy("/dir", "/dir", true), Err(InvalidInput)),
        (Copy("/dir", "/dir/sub/new", true), Err(InvalidInput)),
        (Copy("/dir", "/to-dir/new", true), Err(InvalidInput)),
        (Copy("/missing", "/new", false), Err(NotFound)),
        (Copy("/missing", "/file", true), Err(NotFound)),
        (Copy("/pipe", "/new", false), Err(InvalidInput)),
        (Copy("/file", "/frozen/new", false), Err(PermissionDenied)),
        (Copy("/file", "/read-only", false), Err(PermissionDenied)),
    ]
}

/// Checks every cell on a filesystem of its own.
pub(crate) fn check_writing_table(on_fresh: impl Fn(&Call) -> Result<(), ErrorKind>) {
    for (call, expected) in cells() {
        assert_eq!(on_fresh(&call), expected, "{call:?}");
    }
}

#[test]
fn every_cell_of_the_writing_table_holds() {
    check_writing_table(|call| call.make(&posix(WRITING), &uri("file:///")));
}
