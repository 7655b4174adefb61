//! `Scoped` and `ReadOnly`, which refuse without a call.

use std::io::ErrorKind;

use codex_file_system::wrap::{Counting, ReadOnly, Scoped};
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, RemoveOptions, WalkOptions,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{FileName, PathConvention, PathUri};
use pretty_assertions::assert_eq;

use crate::support::{now, uri};

const TREE: &str = "/srv/a = x\n/srv/out -> /etc/b\n/etc/b = y\n/srv-2/c = z";

fn counting() -> Counting<MemoryFileSystem> {
    Counting::new(MemoryFileSystem::from_tree(Flavor::Posix, TREE).unwrap())
}

#[test]
fn a_path_outside_the_scope_is_denied_without_a_call() {
    let counting = counting();
    let fs = Scoped::new(&counting, uri("file:///srv"));
    for outside in [
        "file:///",
        "file:///etc/b",
        "file:///srv-2/c",
        "file:///SRV/a",
    ] {
        let error = now(fs.read_file(&uri(outside), None)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{outside}");
    }
    assert_eq!(counting.calls().total(), 0);
}

#[test]
fn a_path_at_or_below_the_root_keeps_its_spelling_and_links_are_not_resolved() {
    let counting = counting();
    let fs = Scoped::new(&counting, uri("file:///srv"));
    assert!(now(fs.get_metadata(&uri("file:///srv"), None)).is_ok());
    assert_eq!(
        now(fs.read_file(&uri("file:///srv/a"), None)).unwrap(),
        b"x"
    );
    assert_eq!(
        now(fs.read_file(&uri("file:///srv/out"), None)).unwrap(),
        b"y"
    );
    let real = now(fs.canonicalize(&uri("file:///srv/out"), None)).unwrap();
    assert_eq!(real, uri("file:///etc/b"));
    assert_eq!(counting.calls().total(), 4);
}

#[test]
fn both_ends_of_a_copy_must_be_in_scope() {
    let counting = counting();
    let fs = Scoped::new(&counting, uri("file:///srv"));
    let (inside, outside) = (uri("file:///srv/a"), uri("file:///etc/b"));
    let options = CopyOptions { recursive: false };
    for (source, destination) in [(&inside, &outside), (&outside, &inside)] {
        let error = now(fs.copy(source, destination, options, None)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    }
    assert_eq!(counting.calls().total(), 0);
    assert!(now(fs.copy(&inside, &uri("file:///srv/b"), options, None)).is_ok());
}

#[test]
fn a_path_that_cannot_be_placed_is_invalid_rather_than_outside() {
    let counting = counting();
    let fs = Scoped::new(&counting, uri("file:///srv"));
    let sealed = PathUri::from_native("/srv/nul\0", PathConvention::Posix).unwrap();
    for path in [uri("file:///C:/srv"), sealed] {
        let error = now(fs.get_metadata(&path, None)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{path}");
    }
    assert_eq!(counting.calls().total(), 0);
}

#[test]
fn a_name_that_is_not_unicode_is_placed_by_the_rest_of_its_path() {
    let below = |root: &str| {
        let name = FileName::from_windows_units(&[0xD800]).unwrap();
        uri(root).join_name(&name).unwrap()
    };
    let memory = Counting::new(MemoryFileSystem::windows());
    let fs = Scoped::new(&memory, uri("file:///C:/in"));
    let kind = |path| now(fs.get_metadata(&path, None)).unwrap_err().kind();
    assert_eq!(kind(below("file:///C:/in")), ErrorKind::NotFound);
    assert_eq!(kind(below("file:///C:/out")), ErrorKind::InvalidInput);
    let ambiguous = Scoped::new(&memory, uri("file:///C:/%EF%BF%BD"));
    let error = now(ambiguous.get_metadata(&below("file:///C:/"), None)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(memory.calls().total(), 1);
}

#[test]
fn writes_to_a_read_only_filesystem_are_refused_without_a_call() {
    let counting = counting();
    let fs = ReadOnly::new(&counting);
    let (a, b) = (uri("file:///srv/a"), uri("file:///srv/b"));
    let refused = [
        now(fs.write_file(&a, vec![], None)),
        now(fs.create_directory(&b, CreateDirectoryOptions::default(), None)),
        now(fs.remove(
            &b,
            RemoveOptions {
                recursive: true,
                force: true,
            },
            None,
        )),
        now(fs.copy(&a, &b, CopyOptions { recursive: true }, None)),
    ];
    for answer in refused {
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::ReadOnlyFilesystem);
    }
    assert_eq!(counting.calls().total(), 0);
}

#[test]
fn reads_of_a_read_only_filesystem_pass() {
    let counting = counting();
    let fs = ReadOnly::new(&counting);
    let (d, a) = (uri("file:///srv"), uri("file:///srv/a"));
    assert!(now(fs.get_metadata(&a, None)).is_ok());
    assert!(now(fs.read_file(&a, None)).is_ok());
    assert!(now(fs.read_file_text(&a, None)).is_ok());
    assert!(now(fs.read_file_prefix(&a, 1, None, None)).is_ok());
    assert!(now(fs.read_directory(&d, None)).is_ok());
    assert!(now(fs.canonicalize(&a, None)).is_ok());
    assert!(now(fs.walk(&d, &WalkOptions::new(1, 1, 9), None)).is_ok());
    assert_eq!(counting.calls().total(), 7);
}
