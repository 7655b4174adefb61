//! What the memory filesystem promises beyond the contract: whole answers, exactly.

use std::io::ErrorKind;

use codex_file_system::error::{filesystem_loop, is_broken_link};
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileKind, FileMetadata,
    ReadDirectoryEntry, RemoveOptions,
};
use codex_file_system_testkit::MemoryFileSystem;
use codex_path_uri::{FileName, PathConvention};
use futures::FutureExt;
use pretty_assertions::assert_eq;

use crate::support::{names, now, posix, read, stat_kind, uri};

fn entry(name: &str, kind: FileKind, is_symlink: Option<bool>) -> ReadDirectoryEntry {
    let name = FileName::new(name, PathConvention::Posix).unwrap();
    ReadDirectoryEntry::new(name, kind).with_is_symlink(is_symlink)
}

#[test]
fn metadata_tells_kind_link_and_the_size_of_files() {
    let fs = posix("/a.txt = hello\n/link -> a.txt\n/pipe |");
    let metadata = |text| now(fs.get_metadata(&uri(text), None)).unwrap();
    let file = FileMetadata::new(FileKind::File).with_size(Some(5));
    let plain = |kind| FileMetadata::new(kind).with_is_symlink(Some(false));
    assert_eq!(
        metadata("file:///a.txt"),
        file.clone().with_is_symlink(Some(false))
    );
    assert_eq!(metadata("file:///link"), file.with_is_symlink(Some(true)));
    assert_eq!(metadata("file:///pipe"), plain(FileKind::Other));
    assert_eq!(metadata("file:///"), plain(FileKind::Directory));
}

#[test]
fn without_link_flags_nothing_says_whether_it_is_a_link() {
    let fs = posix("/d/link -> d").without_link_flags();
    fs.add_tree("/d/d/\n/d/file = x").unwrap();
    let listing = now(fs.read_directory(&uri("file:///d"), None)).unwrap();
    let expected = [
        entry("d", FileKind::Directory, None),
        entry("file", FileKind::File, None),
        entry("link", FileKind::Directory, None),
    ];
    assert_eq!(listing, expected);
    let metadata = now(fs.get_metadata(&uri("file:///d/link"), None)).unwrap();
    assert_eq!(metadata, FileMetadata::new(FileKind::Directory));
}

#[test]
fn without_sizes_metadata_tells_none() {
    let fs = posix("/a.txt = hello").without_sizes();
    let metadata = now(fs.get_metadata(&uri("file:///a.txt"), None)).unwrap();
    assert_eq!(
        metadata,
        FileMetadata::new(FileKind::File).with_is_symlink(Some(false))
    );
}

#[test]
fn clones_share_one_tree() {
    let fs = MemoryFileSystem::posix();
    let clone = fs.clone().without_sizes();
    now(clone.write_file(&uri("file:///a"), b"x".to_vec(), None)).unwrap();
    assert_eq!(read(&fs, "file:///a").unwrap(), "x");
}

#[test]
fn every_call_is_ready_at_its_first_poll() {
    let fs = posix("/d/a.txt = hello");
    let path = uri("file:///d/a.txt");
    let directory = uri("file:///d");
    assert!(fs.get_metadata(&path, None).now_or_never().is_some());
    assert!(fs.read_file_text(&path, None).now_or_never().is_some());
    assert!(fs.read_directory(&directory, None).now_or_never().is_some());
    assert!(
        fs.write_file(&path, Vec::new(), None)
            .now_or_never()
            .is_some()
    );
}

#[test]
fn forty_links_are_followed_and_one_more_is_a_loop() {
    let chain = |length: usize| {
        let links = (1..length).map(|at| format!("/{at} -> {}\n", at + 1));
        posix(&format!(
            "{}/{length} -> end\n/end = reached",
            links.collect::<String>()
        ))
    };
    assert_eq!(read(&chain(40), "file:///1").unwrap(), "reached");
    assert_eq!(read(&chain(41), "file:///1"), Err(filesystem_loop()));
}

#[test]
fn a_link_target_is_taken_component_by_component() {
    let fs = posix(
        "
        /d/e/a.txt = inner
        /d/a.txt = outer
        /via -> d/e
        /up -> via/../a.txt
        /above -> ../../../d/a.txt
        /dotted -> ./d//./a.txt
        /slash -> d/a.txt/
        /root -> /
        ",
    );
    // `..` is the real parent of where `via` leads, not the directory that holds it.
    assert_eq!(read(&fs, "file:///up").unwrap(), "outer");
    assert_eq!(read(&fs, "file:///above").unwrap(), "outer");
    assert_eq!(read(&fs, "file:///dotted").unwrap(), "outer");
    assert_eq!(read(&fs, "file:///slash"), Err(ErrorKind::NotADirectory));
    assert_eq!(read(&fs, "file:///root/d/e/a.txt").unwrap(), "inner");
    assert_eq!(
        now(fs.canonicalize(&uri("file:///root"), None)),
        Ok(uri("file:///"))
    );
}

#[test]
fn a_listing_names_links_whose_target_cannot_be_reached() {
    let fs = posix(
        "
        /d/closed -> ../secret/file
        /d/dead -> nowhere
        /d/live -> ../open
        /d/loop -> loop
        /open = x
        /secret/file = x
        /secret/ !000
        ",
    );
    let listing = now(fs.read_directory(&uri("file:///d"), None)).unwrap();
    let broken = |name| entry(name, FileKind::BrokenLink, Some(true));
    let live = entry("live", FileKind::File, Some(true));
    assert_eq!(
        listing,
        [broken("closed"), broken("dead"), live, broken("loop")]
    );
}

#[test]
fn in_an_unsearchable_directory_every_link_is_broken() {
    let fs = posix("/d/a = x\n/d/link -> a\n/d/sub/\n/d/ !400");
    let listing = now(fs.read_directory(&uri("file:///d"), None)).unwrap();
    let kinds: Vec<_> = listing.iter().map(|entry| entry.kind).collect();
    assert_eq!(
        kinds,
        [FileKind::File, FileKind::BrokenLink, FileKind::Directory]
    );
}

#[test]
fn a_link_without_a_target_is_told_by_the_error_of_every_read() {
    let fs = posix("/dead -> nowhere\n/far -> dead");
    let is_told = |text: &str| {
        let path = uri(text);
        let failures = [
            fs.get_metadata(&path, None)
                .now_or_never()
                .unwrap()
                .map(drop),
            fs.read_file(&path, None).now_or_never().unwrap().map(drop),
            fs.read_file_prefix(&path, 1, None, None)
                .now_or_never()
                .unwrap()
                .map(drop),
            fs.read_directory(&path, None)
                .now_or_never()
                .unwrap()
                .map(drop),
            fs.canonicalize(&path, None)
                .now_or_never()
                .unwrap()
                .map(drop),
        ];
        failures.map(|failed| is_broken_link(&failed.unwrap_err()))
    };
    assert_eq!(is_told("file:///dead"), [true; 5]);
    assert_eq!(is_told("file:///far"), [true; 5]);
    assert_eq!(is_told("file:///dead/below"), [false; 5]);
    assert_eq!(is_told("file:///missing"), [false; 5]);
}

#[test]
fn a_posix_name_has_at_most_255_bytes() {
    let fs = posix("/d/");
    let at = |name: String| uri(&format!("file:///d/{name}"));
    let (longest, longer) = (at("x".repeat(255)), at("x".repeat(256)));
    assert_eq!(now(fs.write_file(&longest, Vec::new(), None)), Ok(()));
    let refused = Err(ErrorKind::InvalidFilename);
    assert_eq!(now(fs.write_file(&longer, Vec::new(), None)), refused);
    assert_eq!(now(fs.get_metadata(&longer, None)).map(drop), refused);
    // The way to a name comes first.
    let far = uri(&format!("file:///missing/{}", "x".repeat(256)));
    let far = now(fs.get_metadata(&far, None));
    assert_eq!(far.map(drop), Err(ErrorKind::NotFound));
}

#[test]
fn writing_through_a_link_without_a_target_creates_the_target() {
    let fs = posix("/d/\n/link -> d/new\n/far -> missing/new");
    assert_eq!(
        now(fs.write_file(&uri("file:///link"), b"x".to_vec(), None)),
        Ok(())
    );
    assert_eq!(read(&fs, "file:///d/new").unwrap(), "x");
    let far = now(fs.write_file(&uri("file:///far"), Vec::new(), None));
    assert_eq!(far, Err(ErrorKind::NotFound));
}

#[test]
fn a_file_is_rewritten_in_a_directory_that_takes_no_new_names() {
    let fs = posix("/d/a = old\n/d/ !555");
    assert_eq!(
        now(fs.write_file(&uri("file:///d/a"), b"new".to_vec(), None)),
        Ok(())
    );
    assert_eq!(read(&fs, "file:///d/a").unwrap(), "new");
}

#[test]
fn writing_to_a_fifo_is_refused() {
    let fs = posix("/pipe |");
    let answer = now(fs.write_file(&uri("file:///pipe"), Vec::new(), None));
    assert_eq!(answer, Err(ErrorKind::InvalidInput));
}

#[test]
fn directories_are_created_up_to_what_exists() {
    let fs = posix("/d/\n/link -> d\n/file = x\n/dead -> nowhere\n/loop -> loop");
    let create = |text, recursive| {
        now(fs.create_directory(&uri(text), CreateDirectoryOptions { recursive }, None))
    };
    assert_eq!(create("file:///link/a/b", true), Ok(()));
    assert_eq!(stat_kind(&fs, "file:///d/a/b"), Ok(FileKind::Directory));
    assert_eq!(create("file:///link", true), Ok(()));
    assert_eq!(create("file:///link", false), Err(ErrorKind::AlreadyExists));
    assert_eq!(create("file:///", true), Ok(()));
    assert_eq!(create("file:///", false), Err(ErrorKind::AlreadyExists));
    assert_eq!(
        create("file:///file/a", true),
        Err(ErrorKind::NotADirectory)
    );
    for taken in ["file:///file", "file:///dead", "file:///loop"] {
        assert_eq!(create(taken, true), Err(ErrorKind::AlreadyExists));
    }
}

#[test]
fn a_removal_that_is_refused_below_changes_nothing() {
    let fs = posix("/d/a = x\n/d/sub/b = x\n/d/sub/ !555");
    let everything = RemoveOptions {
        recursive: true,
        force: true,
    };
    let remove = |text| now(fs.remove(&uri(text), everything, None));
    assert_eq!(remove("file:///d"), Err(ErrorKind::PermissionDenied));
    assert_eq!(names(&fs, "file:///d"), ["a", "sub"]);
    assert_eq!(remove("file:///d/a/x"), Err(ErrorKind::NotADirectory));
}

#[test]
fn a_root_is_never_removed() {
    let fs = MemoryFileSystem::posix();
    let answer = now(fs.remove(
        &uri("file:///"),
        RemoveOptions {
            recursive: true,
            force: true,
        },
        None,
    ));
    assert_eq!(answer, Err(ErrorKind::ResourceBusy));
}

#[test]
fn a_copy_takes_the_place_of_what_is_of_its_sort() {
    let fs = posix(
        "
        /file = new
        /link -> file
        /tree/a = new
        /tree/sub/b = new
        /old/a = old
        /old/sub/c = old
        /target = old
        /elsewhere -> target
        /pipe |
        ",
    );
    let copy = |from, to| {
        let options = CopyOptions { recursive: true };
        now(fs.copy(&uri(from), &uri(to), options, None))
    };
    // Directories are merged; a link in the way is replaced, never written through.
    assert_eq!(copy("file:///tree", "file:///old"), Ok(()));
    assert_eq!(read(&fs, "file:///old/a").unwrap(), "new");
    assert_eq!(names(&fs, "file:///old/sub"), ["b", "c"]);
    assert_eq!(copy("file:///file", "file:///elsewhere"), Ok(()));
    assert_eq!(read(&fs, "file:///target").unwrap(), "old");
    assert_eq!(read(&fs, "file:///elsewhere").unwrap(), "new");
    assert_eq!(copy("file:///file", "file:///file"), Ok(()));
    assert_eq!(read(&fs, "file:///file").unwrap(), "new");
    assert_eq!(
        copy("file:///file", "file:///tree"),
        Err(ErrorKind::IsADirectory)
    );
    assert_eq!(
        copy("file:///tree", "file:///file"),
        Err(ErrorKind::AlreadyExists)
    );
    assert_eq!(
        copy("file:///file", "file:///pipe"),
        Err(ErrorKind::InvalidInput)
    );
    assert_eq!(
        copy("file:///file", "file:///missing/a"),
        Err(ErrorKind::NotFound)
    );
}

#[test]
fn a_copy_needs_what_its_parts_need() {
    let fs = posix(
        "
        /unreadable !000 = x
        /d/sub/ !000
        /pipes/pipe |
        /file = x
        /fixed !444 = old
        /full/ !555
        ",
    );
    let copy = |from, to| {
        let options = CopyOptions { recursive: true };
        now(fs.copy(&uri(from), &uri(to), options, None))
    };
    assert_eq!(
        copy("file:///unreadable", "file:///new"),
        Err(ErrorKind::PermissionDenied)
    );
    assert_eq!(
        copy("file:///d", "file:///new"),
        Err(ErrorKind::PermissionDenied)
    );
    assert_eq!(
        copy("file:///pipes", "file:///new"),
        Err(ErrorKind::InvalidInput)
    );
    assert_eq!(
        copy("file:///file", "file:///fixed"),
        Err(ErrorKind::PermissionDenied)
    );
    assert_eq!(
        copy("file:///file", "file:///full/new"),
        Err(ErrorKind::PermissionDenied)
    );
    assert_eq!(stat_kind(&fs, "file:///new"), Err(ErrorKind::NotFound));
}

#[test]
fn paths_that_only_look_like_a_drive_are_posix_paths() {
    let fs = posix("/C:/repo/a.txt = x");
    let path = codex_path_uri::PathUri::from_native("/C:/repo/a.txt", PathConvention::Posix);
    let path = path.unwrap();
    assert_eq!(now(fs.read_file_text(&path, None)), Ok("x".to_owned()));
    assert_eq!(now(fs.canonicalize(&path, None)), Ok(path));
}
