//! The tree literal: every form of a line, and every way to get one wrong.

use codex_file_system::{ExecutorFileSystem, FileKind};
use codex_file_system_testkit::{
    Contents, Flavor, MemoryFileSystem, TreeError, TreeItem, TreeProblem, escape, tree_entries,
};
use pretty_assertions::assert_eq;

use crate::support::{names, now, posix, read, stat_kind, uri, windows};

#[test]
fn every_form_of_a_line_makes_its_entry() {
    let fs = posix(
        "
        /d/
        /text = a b = c -> d | e

        /empty =
        /pattern =*258
        /zeros =~3
        /link -> text
        /pipe |
        ",
    );
    assert_eq!(
        names(&fs, "file:///"),
        ["d", "empty", "link", "pattern", "pipe", "text", "zeros"]
    );
    assert_eq!(stat_kind(&fs, "file:///d"), Ok(FileKind::Directory));
    assert_eq!(read(&fs, "file:///text").unwrap(), "a b = c -> d | e");
    assert_eq!(read(&fs, "file:///empty").unwrap(), "");
    let pattern = now(fs.read_file(&uri("file:///pattern"), None)).unwrap();
    assert_eq!(
        (pattern.len(), pattern[255], pattern[256], pattern[257]),
        (258, 255, 0, 1)
    );
    assert_eq!(read(&fs, "file:///zeros").unwrap(), "\0\0\0");
    assert_eq!(read(&fs, "file:///link").unwrap(), "a b = c -> d | e");
    assert_eq!(stat_kind(&fs, "file:///pipe"), Ok(FileKind::Other));
}

#[test]
fn names_texts_and_targets_are_percent_decoded_once() {
    let fs = posix("/a%20=%2520b = x%0Ay%25\n/link -> a%20=%2520b\n/plain = 100%25");
    assert_eq!(names(&fs, "file:///"), ["a =%20b", "link", "plain"]);
    assert_eq!(read(&fs, "file:///link").unwrap(), "x\ny%");
}

#[test]
fn blanks_before_a_path_are_ignored_and_blanks_after_a_text_are_kept() {
    let fs = posix("\t  /a =  x \n\n   \n/b c/ = y");
    assert_eq!(read(&fs, "file:///a").unwrap(), " x ");
    assert_eq!(read(&fs, "file:///b%20c").unwrap(), "y");
}

#[test]
fn a_path_without_a_root_lies_below_the_first_root() {
    assert_eq!(read(&posix("a/b = x"), "file:///a/b").unwrap(), "x");
    assert_eq!(read(&windows("a/b = x"), "file:///C:/a/b").unwrap(), "x");
}

#[test]
fn parents_are_created_and_links_that_stand_are_followed() {
    let fs = posix("/real/\n/via -> real\n/via/deep/a.txt = x");
    assert_eq!(read(&fs, "file:///real/deep/a.txt").unwrap(), "x");
}

#[test]
fn modes_are_applied_after_everything_is_there() {
    let fs = posix("/d/ !000\n/d/a.txt = x\n/file !000 = x\n/odd !9 = x");
    assert_eq!(
        stat_kind(&fs, "file:///d/a.txt"),
        Err(std::io::ErrorKind::PermissionDenied)
    );
    assert_eq!(
        read(&fs, "file:///file"),
        Err(std::io::ErrorKind::PermissionDenied)
    );
    // What is not octal is part of the name.
    assert_eq!(read(&fs, "file:///odd%20!9").unwrap(), "x");
}

#[test]
fn a_later_line_replaces_a_file_and_keeps_what_a_directory_holds() {
    let fs = posix("/d/a = x\n/f = old\n/f = new\n/d/");
    assert_eq!(read(&fs, "file:///f").unwrap(), "new");
    assert_eq!(read(&fs, "file:///d/a").unwrap(), "x");
    fs.add_tree("/f -> d/a\n/d/b = y").unwrap();
    assert_eq!(read(&fs, "file:///f").unwrap(), "x");
    assert_eq!(names(&fs, "file:///d"), ["a", "b"]);
}

#[test]
fn a_bad_line_is_named_with_its_number_and_its_problem() {
    let problem = |flavor, line: &str| {
        let tree = format!("/ok/\n\n  {line}");
        let error = MemoryFileSystem::from_tree(flavor, &tree).unwrap_err();
        assert_eq!((error.line, error.text.as_str()), (3, line));
        error.problem
    };
    use TreeProblem::*;
    let posix = [
        ("/a", NoKind),
        ("/a =x", NoKind),
        ("/ = x", EmptyPath),
        (" = x", NoKind),
        ("/a%2 = x", MalformedEscape),
        ("/a = %zz", MalformedEscape),
        ("/../a = x", InvalidName),
        ("/a%00 = x", InvalidName),
        ("/a%2Fb = x", InvalidName),
        ("/a =*many", InvalidCount),
        ("/a =~-1", InvalidCount),
        ("/a -> %00", InvalidTarget),
        ("/a !644 -> b", ModeOnLink),
        ("/ok = x", Conflict),
        ("/ok -> x", Conflict),
    ];
    for (line, expected) in posix {
        let line = line.trim_start();
        assert_eq!((line, problem(Flavor::Posix, line)), (line, expected));
    }
    let windows = [
        ("C:/a?b = x", InvalidName),
        ("C:/a%FFb = x", InvalidName),
        ("//server = x", EmptyPath),
        ("C:/a -> ..\\b:c", InvalidTarget),
    ];
    for (line, expected) in windows {
        assert_eq!((line, problem(Flavor::Windows, line)), (line, expected));
    }
}

#[test]
fn what_lies_below_a_file_or_a_dead_link_is_a_conflict() {
    for tree in [
        "/f = x\n/f/a = x",
        "/f = x\n/f/",
        "/l -> nowhere\n/l/a = x",
        "/l -> l\n/l/",
    ] {
        let error = MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap_err();
        assert_eq!((error.line, error.problem), (2, TreeProblem::Conflict));
    }
}

#[test]
fn the_error_says_where_and_what() {
    let error = MemoryFileSystem::from_tree(Flavor::Posix, "/a").unwrap_err();
    let expected = TreeError {
        line: 1,
        text: "/a".to_owned(),
        problem: TreeProblem::NoKind,
    };
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "line 1 of the tree, `/a`: \
         neither a directory (`/`), a file (`=`), a link (`->`) nor a pipe (`|`)"
    );
}

#[test]
fn escaped_bytes_come_back_exactly() {
    let bytes: Vec<u8> = (0..=255).collect();
    let fs = posix(&format!("/a = {}\n", escape(&bytes)));
    assert_eq!(now(fs.read_file(&uri("file:///a"), None)), Ok(bytes));
}

/// What one line is read as: its root, its path below that, what it is, its mode.
type Read = (Option<String>, String, TreeItem, Option<u32>);

fn entries(flavor: Flavor, tree: &str) -> Vec<Read> {
    let entries = tree_entries(flavor, tree).unwrap().into_iter();
    let read = entries.map(|entry| {
        let names: Vec<_> = entry
            .names
            .iter()
            .map(|name| name.to_string_lossy())
            .collect();
        let path = names.join("/");
        (entry.root, path, entry.item, entry.mode)
    });
    read.collect()
}

#[test]
fn a_tree_is_read_line_by_line_for_whoever_builds_it() {
    let text = |text: &str| TreeItem::File(Contents::from(text.as_bytes().to_vec()));
    let link = |target: &[u8]| TreeItem::Link(target.to_vec());
    let read = |root: Option<&str>, path: &str, item, mode| {
        (root.map(str::to_owned), path.to_owned(), item, mode)
    };
    let tree = "
        d/ !500
        /d/a%20b !4755 = x%0A
        empty =
        pattern =*258
        zeros =~1099511627776
        d/link -> ../%FF
        pipe !600 |
        /
    ";
    let expected = [
        read(None, "d", TreeItem::Directory, Some(0o500)),
        read(Some("/"), "d/a b", text("x\n"), Some(0o4755)),
        read(None, "empty", text(""), None),
        read(
            None,
            "pattern",
            TreeItem::File(Contents::Pattern(258)),
            None,
        ),
        read(
            None,
            "zeros",
            TreeItem::File(Contents::Zeros(1 << 40)),
            None,
        ),
        read(None, "d/link", link(b"../\xFF"), None),
        read(None, "pipe", TreeItem::Fifo, Some(0o600)),
        read(Some("/"), "", TreeItem::Directory, None),
    ];
    assert_eq!(entries(Flavor::Posix, tree), expected);

    let tree = "D:\\a/b = x\n//server/share/c -> ..\\d\ne/";
    let expected = [
        read(Some("D:\\"), "a/b", text("x"), None),
        read(Some("\\\\server\\share"), "c", link(b"..\\d"), None),
        read(None, "e", TreeItem::Directory, None),
    ];
    assert_eq!(entries(Flavor::Windows, tree), expected);
}

#[test]
fn an_entry_lies_below_whatever_stands_for_the_root() {
    let below = |flavor, tree: &str, base: &str| {
        let entries = tree_entries(flavor, tree).unwrap();
        entries[0].below(&uri(base)).unwrap().to_string()
    };
    assert_eq!(
        below(Flavor::Posix, "/a%20b/%FF = x", "file:///scratch"),
        "file:///scratch/a%20b/%FF"
    );
    assert_eq!(
        below(Flavor::Posix, "/", "file:///scratch"),
        "file:///scratch"
    );
    assert_eq!(
        below(Flavor::Windows, "D:\\a\\b = x", "file:///C:/scratch"),
        "file:///C:/scratch/a/b"
    );
}

#[test]
fn the_first_line_that_cannot_be_read_is_told_and_no_conflict_is() {
    let error = tree_entries(Flavor::Posix, "/a = x\n/b\n/c").unwrap_err();
    assert_eq!((error.line, error.problem), (2, TreeProblem::NoKind));
    assert_eq!(entries(Flavor::Posix, "/a = x\n/a/b = y").len(), 2);
}
