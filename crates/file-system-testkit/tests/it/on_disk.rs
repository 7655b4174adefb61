//! One literal in memory and on the host's disk: the same tree, and the same filesystem.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "the host's disk is what is compared with"
)]

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use codex_file_system::{FileKind, LocalFileSystem};
use codex_file_system_testkit::arb::{ArbTree, trees_with_modes};
use codex_file_system_testkit::{Flavor, MemoryFileSystem, ScratchDirectory, build_on_disk};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::contract::{READING, WRITING, check_reading_table, check_writing_table};
use crate::support::{Operation, Told, operations, posix, read, stat_kind, tell};

/// Whether this process may do what modes forbid.
fn is_privileged() -> bool {
    let scratch = ScratchDirectory::build("closed !000 = x").unwrap();
    fs::read(scratch.path().join("closed")).is_ok()
}

/// Whether the caller is the unprivileged user that modes are about. A privileged process runs
/// the one test again as nobody, and is done.
fn is_unprivileged_here(test: &str) -> bool {
    if !is_privileged() {
        return true;
    }
    // Nobody may be unable to reach the directory of this binary.
    let scratch = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let binary = scratch.path().join("test");
    // Copied by another process: while this one holds the copy open for writing, a command that
    // another test starts would inherit it, and nobody could run it (ETXTBSY).
    let mut copy = Command::new("cp");
    copy.arg(std::env::current_exe().unwrap()).arg(&binary);
    assert!(copy.status().unwrap().success());
    let status = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(binary)
        .args(["--exact", test, "--nocapture"])
        .current_dir("/")
        .env_remove("TMPDIR")
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed as an unprivileged user");
    false
}

#[test]
fn every_form_of_a_line_is_built() {
    let tree = "
        /d/
        /a.txt = x%0A
        /pattern =*300
        /sparse =~1099511627776
        /relative -> a.txt
        /absolute -> /a.txt
        /pipe |
        /names/%FF%20%25 = odd
        /d/ !500
    ";
    let scratch = ScratchDirectory::build(tree).unwrap();
    let path = |name: &str| scratch.path().join(name);
    assert_eq!(fs::read(path("a.txt")).unwrap(), b"x\n");
    assert_eq!(fs::read(path("pattern")).unwrap().len(), 300);
    assert_eq!(fs::metadata(path("sparse")).unwrap().len(), 1 << 40);
    assert_eq!(fs::read(path("relative")).unwrap(), b"x\n");
    assert_eq!(fs::read(path("absolute")).unwrap(), b"x\n");
    assert_eq!(
        fs::metadata(path("d")).unwrap().permissions().mode() & 0o7777,
        0o500
    );
    let local = LocalFileSystem::inline();
    let base = scratch.base().unwrap();
    assert_eq!(
        stat_kind(&local, &format!("{base}/pipe")),
        Ok(FileKind::Other)
    );
    assert_eq!(
        read(&local, &format!("{base}/names/%FF%20%25")).unwrap(),
        "odd"
    );
}

#[test]
fn a_bad_line_is_invalid_input() {
    let scratch = tempfile::tempdir().unwrap();
    let error = build_on_disk(scratch.path(), "/a = x\n/b").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    // Nothing is built of a literal that cannot be read.
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

/// The generated tree below a directory deep enough that no link leaves the scratch directory.
fn deep(tree: &ArbTree) -> String {
    tree.literal()
        .lines()
        .map(|line| format!("w/x/y/z/{line}\n"))
        .chain(["w/x/y/z/\n".to_owned()])
        .collect()
}

/// All that both filesystems tell of the paths of one tree.
fn tell_both(
    (memory, memory_base): (&MemoryFileSystem, &PathUri),
    (local, local_base): (&LocalFileSystem, &PathUri),
    tree: &ArbTree,
) -> (Vec<Told>, Vec<Told>) {
    let told_in_memory = tree.uris(memory_base);
    let told_on_disk = tree.uris(local_base);
    (
        told_in_memory
            .iter()
            .map(|path| tell(memory, memory_base, path))
            .collect(),
        told_on_disk
            .iter()
            .map(|path| tell(local, local_base, path))
            .collect(),
    )
}

/// Applies the operations to both and expects the same answers and the same state.
fn check_same(tree: &ArbTree, operations: &[Operation]) -> Result<(), TestCaseError> {
    let literal = deep(tree);
    let memory = posix(&literal);
    let memory_base = PathUri::parse("file:///w/x/y/z")?;
    let scratch = ScratchDirectory::build(&literal)?;
    let local = LocalFileSystem::inline();
    let local_base = scratch.base()?.join("w/x/y/z")?;
    let (one, other) = ((&memory, &memory_base), (&local, &local_base));

    let (in_memory, on_disk) = tell_both(one, other, tree);
    prop_assert_eq!(in_memory, on_disk);
    for operation in operations {
        let in_memory = operation.apply(&memory, &tree.uris(&memory_base));
        let on_disk = operation.apply(&local, &tree.uris(&local_base));
        prop_assert_eq!(
            in_memory.is_ok(),
            on_disk.is_ok(),
            "{:?}: {:?}",
            operation,
            on_disk
        );
        // Where both paths of a copy are bad, either may be told.
        if !matches!(operation, Operation::Copy(..)) {
            prop_assert_eq!(in_memory, on_disk, "{:?}", operation);
        }
        if in_memory.is_err() && operation.is_recursive() {
            // The host may have done part of the work before it was refused.
            return Ok(());
        }
        let (in_memory, on_disk) = tell_both(one, other, tree);
        prop_assert_eq!(in_memory, on_disk, "after {:?}", operation);
    }
    Ok(())
}

#[test]
fn memory_and_disk_answer_alike() {
    if !is_unprivileged_here("on_disk::memory_and_disk_answer_alike") {
        return;
    }
    let config = ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let operations = prop::collection::vec(operations(), 0..5);
    proptest!(config, |(tree in trees_with_modes(Flavor::Posix), operations in operations)| {
        check_same(&tree, &operations)?;
    });
}

#[test]
fn the_tables_of_the_contract_hold_on_disk() {
    if !is_unprivileged_here("on_disk::the_tables_of_the_contract_hold_on_disk") {
        return;
    }
    let local = LocalFileSystem::inline();
    let scratch = ScratchDirectory::build(READING).unwrap();
    check_reading_table(&local, &scratch.base().unwrap());
    check_writing_table(|call| {
        let scratch = ScratchDirectory::build(WRITING).unwrap();
        call.make(&local, &scratch.base().unwrap())
    });
}
