//! What is particular to the Windows flavor.

use std::io::ErrorKind;

use codex_file_system::{CopyOptions, ExecutorFileSystem, FileKind};
use codex_path_uri::{FileName, PathConvention, PathUri};
use pretty_assertions::assert_eq;

use crate::support::{names, now, read, stat_kind, uri, windows};

fn native(text: &str) -> PathUri {
    PathUri::from_native(text, PathConvention::Windows).unwrap()
}

#[test]
fn drives_and_shares_are_roots_of_their_own() {
    let fs = windows("C:/a = c\nd:/a = d\n//Server/Share/a = share");
    assert_eq!(read(&fs, "file:///C:/a").unwrap(), "c");
    assert_eq!(read(&fs, "file:///D:/a").unwrap(), "d");
    assert_eq!(read(&fs, "file://server/SHARE/a").unwrap(), "share");
    assert_eq!(stat_kind(&fs, "file:///E:/"), Err(ErrorKind::NotFound));
    assert_eq!(stat_kind(&fs, "file:///E:/a"), Err(ErrorKind::NotFound));
    assert_eq!(
        stat_kind(&fs, "file://server/other/a"),
        Err(ErrorKind::NotFound)
    );
    let canonical = now(fs.canonicalize(&uri("file://server/sHARE/A"), None));
    assert_eq!(canonical, Ok(uri("file://server/Share/a")));
}

#[test]
fn names_are_found_in_any_case_and_keep_their_spelling() {
    let fs = windows("C:/Straße/ÉTÉ.txt = old");
    now(fs.write_file(&uri("file:///C:/straße/été.TXT"), b"new".to_vec(), None)).unwrap();
    assert_eq!(names(&fs, "file:///C:/STRAßE"), ["ÉTÉ.txt"]);
    assert_eq!(read(&fs, "file:///C:/Straße/ÉTÉ.txt").unwrap(), "new");
    // Upper-casing is unit by unit: a sharp s is not two letters.
    assert_eq!(
        stat_kind(&fs, "file:///C:/STRASSE"),
        Err(ErrorKind::NotFound)
    );
}

#[test]
fn a_listing_is_sorted_by_name_not_by_key() {
    let fs = windows("C:/d/b =\nC:/d/A =\nC:/d/_ =\nC:/d/C =");
    assert_eq!(names(&fs, "file:///C:/d"), ["A", "C", "_", "b"]);
}

#[test]
fn names_that_windows_forbids_are_refused() {
    let fs = windows("C:/d/");
    let long = "x".repeat(256);
    for name in [
        "a<b",
        "a>b",
        "ab:c",
        "a\"b",
        "a|b",
        "a?b",
        "a*b",
        "a\u{1}b",
        long.as_str(),
    ] {
        let path = uri("file:///C:/d").join(name).unwrap();
        let kinds = [
            now(fs.get_metadata(&path, None)).map(drop),
            now(fs.write_file(&path, Vec::new(), None)),
        ];
        assert_eq!((name, kinds), (name, [Err(ErrorKind::InvalidFilename); 2]));
    }
    let longest = uri("file:///C:/d").join(&"x".repeat(255)).unwrap();
    assert_eq!(now(fs.write_file(&longest, Vec::new(), None)), Ok(()));
}

#[test]
fn a_name_of_any_code_units_is_listed_and_reached() {
    let fs = windows("C:/d/%ED%A0%80 = lone\nC:/d/%ED%BF%BFx -> %ED%A0%80");
    let lone = FileName::from_windows_units(&[0xD800]).unwrap();
    let link = FileName::from_windows_units(&[0xDFFF, 0x78]).unwrap();
    let listed = now(fs.read_directory(&uri("file:///C:/d"), None)).unwrap();
    let listed: Vec<FileName> = listed.into_iter().map(|entry| entry.file_name).collect();
    assert_eq!(listed, [lone.clone(), link.clone()]);
    let directory = uri("file:///C:/D");
    let path = directory.join_name(&link).unwrap();
    assert_eq!(now(fs.read_file_text(&path, None)), Ok("lone".to_owned()));
    let canonical = uri("file:///C:/d").join_name(&lone).unwrap();
    assert_eq!(now(fs.canonicalize(&path, None)), Ok(canonical));
}

#[test]
fn canonical_paths_below_a_name_that_is_no_text_are_read_back() {
    let fs = windows("C:/d/%ED%A0%80/in/a.txt = x\nC:/via -> d/%ED%A0%80\n//s/t/%ED%A0%80/b = y");
    let through = uri("file:///C:/via/in/a.txt");
    let canonical = now(fs.canonicalize(&through, None)).unwrap();
    assert!(canonical.is_opaque());
    assert_eq!(now(fs.read_file_text(&canonical, None)), Ok("x".to_owned()));
    assert_eq!(now(fs.canonicalize(&canonical, None)), Ok(canonical));
    fs.add_tree("C:/share -> //s/t/%ED%A0%80/b").unwrap();
    let canonical = now(fs.canonicalize(&uri("file:///C:/share"), None)).unwrap();
    assert_eq!(now(fs.read_file_text(&canonical, None)), Ok("y".to_owned()));
}

#[test]
fn opaque_paths_that_are_no_files_cannot_be_named() {
    let fs = windows("C:/etc = x");
    let device = [
        native(r"\\.\COM1"),
        native(r"\\?\Volume{1}\x"),
        native("C:\\a\0"),
    ];
    // A payload that has an ordinary spelling: `C:\etc` in UTF-16.
    let payload = uri("file:///%00/bad/path/QwA6AFwAZQB0AGMA");
    // An odd number of bytes, and units that begin like no path.
    let broken = [
        uri("file:///%00/bad/path/QwA6AFwAZQ"),
        uri("file:///%00/bad/path/YQBiAA"),
    ];
    for path in device.into_iter().chain([payload]).chain(broken) {
        let answer = now(fs.get_metadata(&path, None)).map(drop);
        assert_eq!((path, answer).1, Err(ErrorKind::InvalidInput));
    }
}

#[test]
fn link_targets_are_read_as_windows_reads_them() {
    let fs = windows(
        r"
        C:/d/a.txt = c
        D:/d/a.txt = d
        //server/share/d/a.txt = share
        C:/x/relative -> ..\d/a.txt
        C:/x/rooted -> \d\a.txt
        C:/x/drive -> d:/D/A.TXT
        C:/x/share -> \\SERVER\share\d\a.txt
        D:/x/rooted -> /d/a.txt
        ",
    );
    assert_eq!(read(&fs, "file:///C:/x/relative").unwrap(), "c");
    assert_eq!(read(&fs, "file:///C:/x/rooted").unwrap(), "c");
    assert_eq!(read(&fs, "file:///C:/x/drive").unwrap(), "d");
    assert_eq!(read(&fs, "file:///C:/x/share").unwrap(), "share");
    assert_eq!(read(&fs, "file:///D:/x/rooted").unwrap(), "d");
}

#[test]
fn a_copy_into_itself_is_seen_through_case() {
    let fs = windows("C:/Dir/sub/a = x");
    let options = CopyOptions { recursive: true };
    let copy = |to| now(fs.copy(&uri("file:///C:/Dir"), &uri(to), options, None));
    assert_eq!(
        copy("file:///C:/DIR/SUB/copy"),
        Err(ErrorKind::InvalidInput)
    );
    assert_eq!(copy("file:///C:/dir"), Err(ErrorKind::InvalidInput));
    assert_eq!(copy("file:///C:/Dir-2"), Ok(()));
    assert_eq!(stat_kind(&fs, "file:///C:/Dir-2/sub/a"), Ok(FileKind::File));
}
