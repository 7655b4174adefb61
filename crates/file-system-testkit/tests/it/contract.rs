//! The tables of the contract, cell by cell, on a filesystem in memory and on this host's.

use std::borrow::Cow;
use std::io::ErrorKind::{
    self, AlreadyExists, DirectoryNotEmpty, FileTooLarge, InvalidInput, IsADirectory,
    NotADirectory, NotFound, PermissionDenied,
};

use codex_file_system::FileKind::{self, Directory, File, Other};
use codex_file_system::error::filesystem_loop;
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, MAX_READ_FILE_BYTES, RemoveOptions,
};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use crate::support::{now, posix, uri};

/// Kind, whether it is a link, and the size of a file.
type Metadata = Result<(FileKind, bool, Option<u64>), ErrorKind>;

/// What the four reading calls answer: metadata, bytes, names and the real path.
type Row = (
    &'static str,
    Metadata,
    Result<usize, ErrorKind>,
    Result<usize, ErrorKind>,
    Result<Cow<'static, str>, ErrorKind>,
);

pub(crate) const READING: &str = "
    /file = hello
    /file-closed !000 = hello
    /dir/x = 1
    /dir/sub/
    /no-search/in = hello
    /no-search/ !600
    /no-read/in = hello
    /no-read/ !300
    /closed/in = hello
    /closed/ !000
    /to-file -> file
    /to-dir -> dir
    /to-pipe -> pipe
    /dead -> nowhere
    /far-dead -> missing/x
    /self -> self
    /ping -> pong
    /pong -> ping
    /pipe |
";

fn real(path: &'static str) -> Result<Cow<'static, str>, ErrorKind> {
    Ok(Cow::Borrowed(path))
}

/// Every call fails with this kind.
fn failing(path: &'static str, kind: ErrorKind) -> Row {
    (path, Err(kind), Err(kind), Err(kind), Err(kind))
}

fn reading() -> Vec<Row> {
    let file = |is_link| Ok((File, is_link, Some(5)));
    let directory = |is_link| Ok((Directory, is_link, None));
    let other = |is_link| Ok((Other, is_link, None));
    vec![
        (
            "/file",
            file(false),
            Ok(5),
            Err(NotADirectory),
            real("/file"),
        ),
        (
            "/dir",
            directory(false),
            Err(IsADirectory),
            Ok(2),
            real("/dir"),
        ),
        failing("/missing", NotFound),
        failing("/missing/x/y", NotFound),
        failing("/file/x", NotADirectory),
        failing("/file/x/y", NotADirectory),
        failing("/to-file/x", NotADirectory),
        failing("/pipe/x", NotADirectory),
        (
            "/file-closed",
            file(false),
            Err(PermissionDenied),
            Err(NotADirectory),
            real("/file-closed"),
        ),
        failing("/no-search/in", PermissionDenied),
        failing("/no-search/missing", PermissionDenied),
        failing("/no-search/missing/x", PermissionDenied),
        failing("/closed/in", PermissionDenied),
        (
            "/no-read",
            directory(false),
            Err(IsADirectory),
            Err(PermissionDenied),
            real("/no-read"),
        ),
        (
            "/no-read/in",
            file(false),
            Ok(5),
            Err(NotADirectory),
            real("/no-read/in"),
        ),
        (
            "/closed",
            directory(false),
            Err(IsADirectory),
            Err(PermissionDenied),
            real("/closed"),
        ),
        (
            "/no-search",
            directory(false),
            Err(IsADirectory),
            Ok(1),
            real("/no-search"),
        ),
        (
            "/to-file",
            file(true),
            Ok(5),
            Err(NotADirectory),
            real("/file"),
        ),
        (
            "/to-dir",
            directory(true),
            Err(IsADirectory),
            Ok(2),
            real("/dir"),
        ),
        (
            "/to-dir/sub",
            directory(false),
            Err(IsADirectory),
            Ok(0),
            real("/dir/sub"),
        ),
        failing("/dead", NotFound),
        failing("/dead/x", NotFound),
        failing("/far-dead", NotFound),
        failing("/self", filesystem_loop()),
        failing("/self/x", filesystem_loop()),
        failing("/ping", filesystem_loop()),
        (
            "/pipe",
            other(false),
            Err(InvalidInput),
            Err(NotADirectory),
            real("/pipe"),
        ),
        (
            "/to-pipe",
            other(true),
            Err(InvalidInput),
            Err(NotADirectory),
            real("/pipe"),
        ),
    ]
}

fn answers(fs: &dyn ExecutorFileSystem, base: &PathUri, path: &'static str) -> Row {
    let asked = below(base, path);
    let metadata = now(fs.get_metadata(&asked, None));
    let real_base = now(fs.canonicalize(base, None)).unwrap();
    let canonical = now(fs.canonicalize(&asked, None));
    let below_base = |real: PathUri| format!("/{}", real.relative_path_from(&real_base).unwrap());
    let is_file = |kind| kind == File;
    (
        path,
        metadata.map(|told| {
            let size = told.size.filter(|_| is_file(told.kind));
            (told.kind, told.is_symlink.unwrap(), size)
        }),
        now(fs.read_file(&asked, None)).map(|bytes| bytes.len()),
        now(fs.read_directory(&asked, None)).map(|entries| entries.len()),
        canonical.map(|real| Cow::Owned(below_base(real))),
    )
}

fn below(base: &PathUri, path: &str) -> PathUri {
    base.join(path.trim_start_matches('/')).unwrap()
}

pub(crate) fn check_reading_table(fs: &dyn ExecutorFileSystem, base: &PathUri) {
    let expected = reading();
    let actual: Vec<Row> = expected
        .iter()
        .map(|row| answers(fs, base, row.0))
        .collect();
    assert_eq!(actual, expected);
}

#[test]
fn every_cell_of_the_reading_table_holds() {
    check_reading_table(&posix(READING), &uri("file:///"));
}

#[test]
fn a_file_is_read_up_to_the_limit_and_not_one_byte_above() {
    let above = MAX_READ_FILE_BYTES + 1;
    let fs = posix(&format!("/big =~{above}"));
    let big = (
        "/big",
        Ok((File, false, Some(above))),
        Err(FileTooLarge),
        Err(NotADirectory),
        real("/big"),
    );
    assert_eq!(answers(&fs, &uri("file:///"), "/big"), big);
    let prefix = now(fs.read_file_prefix(&uri("file:///big"), 1, None, None));
    assert_eq!(prefix.map(drop), Err(FileTooLarge));
}

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

#[test]
fn a_path_that_cannot_be_named_is_refused_by_every_call() {
    let fs = posix(WRITING);
    let named = uri("file:///file");
    let remove = RemoveOptions {
        recursive: true,
        force: true,
    };
    let (create, copy) = (
        CreateDirectoryOptions::default(),
        CopyOptions { recursive: true },
    );
    for text in [
        "file:///C:/file",
        "file://server/share/file",
        "file:///%00/bad/path/YQ",
        "file:///%00/bad/path/L2EAYg",
        "file:///%00/bad/path/L2ZpbGU",
    ] {
        let path = &uri(text);
        let answers = [
            now(fs.get_metadata(path, None)).map(drop),
            now(fs.read_file(path, None)).map(drop),
            now(fs.read_directory(path, None)).map(drop),
            now(fs.canonicalize(path, None)).map(drop),
            now(fs.write_file(path, Vec::new(), None)),
            now(fs.create_directory(path, create, None)),
            now(fs.remove(path, remove, None)),
            now(fs.copy(path, &named, copy, None)),
            now(fs.copy(&named, path, copy, None)),
        ];
        assert_eq!(answers, [Err(InvalidInput); 9], "{text}");
    }
}
