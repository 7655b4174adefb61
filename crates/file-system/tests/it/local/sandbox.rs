//! What a restricted call may not do, even by way of links and of what does not exist.

use std::io::ErrorKind;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileSystemSandboxContext,
    LocalFileSystem, RemoveOptions, SandboxAccess, SandboxEntry, SandboxPolicy,
};
use codex_path_uri::{PathConvention, PathUri};
use pretty_assertions::assert_eq;

use super::Scratch;
use crate::support::now;

impl Scratch {
    fn sandbox(&self, entries: &[(&str, SandboxAccess)]) -> FileSystemSandboxContext {
        let entries = entries.iter().map(|(below, access)| SandboxEntry {
            path: self.uri(below),
            access: *access,
        });
        FileSystemSandboxContext::new(SandboxPolicy::Restricted(entries.collect()))
    }
}

fn kind<T>(answer: std::io::Result<T>) -> Result<(), ErrorKind> {
    answer.map(drop).map_err(|error| error.kind())
}

const DENIED: Result<(), ErrorKind> = Err(ErrorKind::PermissionDenied);

#[test]
fn a_write_through_a_link_without_a_target_is_judged_where_it_would_create() {
    let scratch =
        Scratch::new("/in/l -> ../out/new\n/in/far -> l\n/in/ok -> sub/new\n/in/sub/\n/out/");
    let sandbox = scratch.sandbox(&[("in", SandboxAccess::Write)]);
    let fs = LocalFileSystem::inline();
    let write = |below| {
        kind(now(fs.write_file(
            &scratch.uri(below),
            vec![],
            Some(&sandbox),
        )))
    };
    assert_eq!([write("in/l"), write("in/far")], [DENIED, DENIED]);
    assert!(!scratch.path("out/new").exists());
    assert_eq!(write("in/ok"), Ok(()));
    assert!(scratch.path("in/sub/new").exists());
}

#[test]
fn a_denied_target_does_not_tell_whether_it_exists() {
    let scratch =
        Scratch::new("/in/there -> ../out/there\n/in/gone -> ../out/gone\n/out/there = x");
    let sandbox = scratch.sandbox(&[("in", SandboxAccess::Write)]);
    let fs = LocalFileSystem::inline();
    for below in [
        "in/there",
        "in/gone",
        "out/there",
        "out/gone",
        "out/gone/deeper",
    ] {
        let path = scratch.uri(below);
        assert_eq!(
            kind(now(fs.get_metadata(&path, Some(&sandbox)))),
            DENIED,
            "{below}"
        );
        assert_eq!(
            kind(now(fs.canonicalize(&path, Some(&sandbox)))),
            DENIED,
            "{below}"
        );
    }
}

#[test]
fn a_link_loop_is_judged_where_it_lies() {
    let scratch = Scratch::new("/in/loop -> loop\n/out/loop -> loop");
    let sandbox = scratch.sandbox(&[("in", SandboxAccess::Read)]);
    let fs = LocalFileSystem::inline();
    let stat = |below| kind(now(fs.get_metadata(&scratch.uri(below), Some(&sandbox))));
    assert_eq!(
        stat("in/loop"),
        Err(codex_file_system::error::filesystem_loop())
    );
    assert_eq!(stat("out/loop"), DENIED);
}

#[test]
fn removing_and_creating_a_link_needs_its_name_and_not_its_target() {
    let scratch = Scratch::new("/in/l -> ../out/x\n/out/x = x\n/out/back -> ../in");
    let sandbox = scratch.sandbox(&[("in", SandboxAccess::Write)]);
    let fs = LocalFileSystem::inline();
    let options = RemoveOptions {
        recursive: true,
        force: false,
    };
    let remove = |below| kind(now(fs.remove(&scratch.uri(below), options, Some(&sandbox))));
    assert_eq!(remove("out/back"), DENIED);
    assert_eq!(remove("in/l"), Ok(()));
    assert!(scratch.path("out/x").exists());
    let create = |below| {
        let options = CreateDirectoryOptions::default();
        kind(now(fs.create_directory(
            &scratch.uri(below),
            options,
            Some(&sandbox),
        )))
    };
    assert_eq!(create("out/new"), DENIED);
    assert_eq!(create("out/back/new/deep"), Ok(()));
}

#[test]
fn a_recursive_removal_needs_all_that_is_below() {
    let scratch = Scratch::new("/in/keep/f = x\n/in/drop/f = x");
    let sandbox = scratch.sandbox(&[
        ("in", SandboxAccess::Write),
        ("in/keep", SandboxAccess::Read),
    ]);
    let fs = LocalFileSystem::inline();
    let options = RemoveOptions {
        recursive: true,
        force: true,
    };
    let remove = |below| kind(now(fs.remove(&scratch.uri(below), options, Some(&sandbox))));
    assert_eq!(
        [remove("in"), remove("in/keep"), remove("in/drop")],
        [DENIED, DENIED, Ok(())]
    );
    assert!(scratch.path("in/keep/f").exists());
}

#[test]
fn a_recursive_copy_does_not_carry_out_what_may_not_be_read() {
    let scratch = Scratch::new("/in/a/secret/f = x\n/in/a/g = x\n/in/b/h = x");
    let sandbox = scratch.sandbox(&[
        ("in", SandboxAccess::Write),
        ("in/a/secret", SandboxAccess::None),
    ]);
    let fs = LocalFileSystem::inline();
    let copy = |source, destination| {
        let options = CopyOptions { recursive: true };
        let (source, destination) = (scratch.uri(source), scratch.uri(destination));
        kind(now(fs.copy(&source, &destination, options, Some(&sandbox))))
    };
    assert_eq!(copy("in/a", "in/c"), DENIED);
    assert!(!scratch.path("in/c").exists());
    assert_eq!(copy("in/b", "in/c"), Ok(()));
    assert_eq!(copy("in/b", "in/a"), DENIED);
}

#[test]
fn copying_needs_read_at_the_source_and_write_at_the_destination() {
    let scratch = Scratch::new("/read/a = x\n/write/b = x\n/none/c = x");
    let sandbox = scratch.sandbox(&[
        ("read", SandboxAccess::Read),
        ("write", SandboxAccess::Write),
    ]);
    let fs = LocalFileSystem::inline();
    let copy = |source, destination| {
        let options = CopyOptions { recursive: false };
        let (source, destination) = (scratch.uri(source), scratch.uri(destination));
        kind(now(fs.copy(&source, &destination, options, Some(&sandbox))))
    };
    assert_eq!(copy("read/a", "write/a"), Ok(()));
    assert_eq!(copy("write/b", "read/b"), DENIED);
    assert_eq!(copy("none/c", "write/c"), DENIED);
}

#[test]
fn a_path_that_cannot_be_named_is_refused_before_the_sandbox_is_asked() {
    let nothing = FileSystemSandboxContext::new(SandboxPolicy::Restricted(Vec::new()));
    let (fs, sandbox) = (LocalFileSystem::inline(), Some(&nothing));
    let named = PathUri::from_native("/in/x", PathConvention::Posix).unwrap();
    let with_nul = PathUri::from_native("/in/x\0", PathConvention::Posix).unwrap();
    let foreign = PathUri::from_native(r"C:\in\x", PathConvention::Windows).unwrap();
    let create = CreateDirectoryOptions::default();
    let (remove, copy) = (
        RemoveOptions {
            recursive: false,
            force: true,
        },
        CopyOptions { recursive: false },
    );
    for path in [&with_nul, &foreign] {
        let answers = [
            kind(now(fs.get_metadata(path, sandbox))),
            kind(now(fs.read_file(path, sandbox))),
            kind(now(fs.read_file_prefix(path, 1, None, sandbox))),
            kind(now(fs.read_directory(path, sandbox))),
            kind(now(fs.canonicalize(path, sandbox))),
            kind(now(fs.write_file(path, Vec::new(), sandbox))),
            kind(now(fs.create_directory(path, create, sandbox))),
            kind(now(fs.remove(path, remove, sandbox))),
            kind(now(fs.copy(path, &named, copy, sandbox))),
            kind(now(fs.copy(&named, path, copy, sandbox))),
        ];
        assert_eq!(answers, [Err(ErrorKind::InvalidInput); 10], "{path}");
    }
}
