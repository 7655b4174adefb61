//! The sandbox of the memory filesystem beyond what every enforcing filesystem must do.

use std::io::ErrorKind;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileSystemSandboxContext,
    RemoveOptions, SandboxAccess, SandboxEntry, SandboxPolicy,
};
use codex_file_system_testkit::MemoryFileSystem;
use pretty_assertions::assert_eq;

use crate::support::{now, posix, read, uri, windows};

const EVERYTHING: RemoveOptions = RemoveOptions {
    recursive: true,
    force: true,
};

fn sandbox(entries: &[(&str, SandboxAccess)]) -> FileSystemSandboxContext {
    let entry = |(path, access): &(&str, SandboxAccess)| SandboxEntry {
        path: uri(path),
        access: *access,
    };
    let entries = entries.iter().map(entry).collect();
    FileSystemSandboxContext::new(SandboxPolicy::Restricted(entries))
}

fn write(
    fs: &MemoryFileSystem,
    path: &str,
    sandbox: &FileSystemSandboxContext,
) -> Result<(), ErrorKind> {
    now(fs.write_file(&uri(path), b"x".to_vec(), Some(sandbox)))
}

#[test]
fn a_link_without_a_target_is_judged_by_where_it_would_lead() {
    let fs = posix("/root/out -> ../outside/new\n/root/in -> new\n/outside/");
    let sandbox = sandbox(&[("file:///root", SandboxAccess::Write)]);
    assert_eq!(
        write(&fs, "file:///root/out", &sandbox),
        Err(ErrorKind::PermissionDenied)
    );
    assert_eq!(write(&fs, "file:///root/in", &sandbox), Ok(()));
    assert_eq!(read(&fs, "file:///outside/new"), Err(ErrorKind::NotFound));
}

#[test]
fn a_link_itself_is_removed_and_replaced_where_it_stands() {
    let fs = posix("/root/out -> ../outside/a\n/root/b = b\n/outside/a = a");
    let sandbox = sandbox(&[("file:///root", SandboxAccess::Write)]);
    let [link, file] = [uri("file:///root/out"), uri("file:///root/b")];
    let copy = CopyOptions { recursive: false };
    assert_eq!(now(fs.copy(&file, &link, copy, Some(&sandbox))), Ok(()));
    assert_eq!(read(&fs, "file:///outside/a").unwrap(), "a");
    assert_eq!(now(fs.remove(&link, EVERYTHING, Some(&sandbox))), Ok(()));
}

#[test]
fn a_recursive_call_needs_what_it_needs_everywhere_below() {
    let fs = posix("/d/open/a = x\n/d/secret/b = x");
    let sandbox = sandbox(&[
        ("file:///d", SandboxAccess::Write),
        ("file:///copy", SandboxAccess::Write),
        ("file:///d/secret", SandboxAccess::None),
    ]);
    let copy = |from, to| {
        let options = CopyOptions { recursive: true };
        now(fs.copy(&uri(from), &uri(to), options, Some(&sandbox)))
    };
    assert_eq!(
        copy("file:///d", "file:///copy"),
        Err(ErrorKind::PermissionDenied)
    );
    assert_eq!(copy("file:///d/open", "file:///copy"), Ok(()));
    let removed = now(fs.remove(&uri("file:///d"), EVERYTHING, Some(&sandbox)));
    assert_eq!(removed, Err(ErrorKind::PermissionDenied));
    assert_eq!(read(&fs, "file:///d/secret/b").unwrap(), "x");
}

#[test]
fn directories_are_created_where_the_missing_ones_would_be() {
    let fs = posix("/root/\n/via -> root\n/root/out -> ../outside\n/outside/");
    let sandbox = sandbox(&[("file:///root", SandboxAccess::Write)]);
    let create = |text| {
        now(fs.create_directory(
            &uri(text),
            CreateDirectoryOptions::default(),
            Some(&sandbox),
        ))
    };
    assert_eq!(create("file:///via/a/b/c"), Ok(()));
    assert_eq!(
        create("file:///root/out/a/b"),
        Err(ErrorKind::PermissionDenied)
    );
    assert_eq!(
        create("file:///elsewhere/a"),
        Err(ErrorKind::PermissionDenied)
    );
}

#[test]
fn windows_entries_hold_in_any_case() {
    let fs = windows("C:/Data/a = x");
    let sandbox = sandbox(&[
        ("file:///C:/data", SandboxAccess::Write),
        ("file:///C:/DATA/Planned", SandboxAccess::None),
    ]);
    assert_eq!(write(&fs, "file:///C:/dATA/A", &sandbox), Ok(()));
    let planned = write(&fs, "file:///C:/Data/planned/x", &sandbox);
    assert_eq!(planned, Err(ErrorKind::PermissionDenied));
}
