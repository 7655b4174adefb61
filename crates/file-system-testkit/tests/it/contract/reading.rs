//! The table of the reading calls.

use std::borrow::Cow;
use std::io::ErrorKind::{
    self, FileTooLarge, InvalidInput, IsADirectory, NotADirectory, NotFound, PermissionDenied,
};

use codex_file_system::FileKind::{self, Directory, File, Other};
use codex_file_system::error::filesystem_loop;
use codex_file_system::{ExecutorFileSystem, MAX_READ_FILE_BYTES};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use super::below;
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
