//! Every case that describes a tree, built in a temporary directory and run on the host's own
//! filesystem. Needs a Unix host: the table speaks of links, FIFOs and modes.
//!
//! Cases that need an unprivileged reader run in a process of their own when the tests run as
//! root: this binary again, under `setpriv`, as the user 65534.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "these tests are about the host's filesystem"
)]

use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::sync::Arc;

use codex_file_system::LocalFileSystem;
use codex_file_system_testkit::build_on_disk;
use futures::executor::block_on;

use crate::case_file::{Places, TreeCase, tree_cases};
use crate::case_run::run;

const UNPRIVILEGED_TEST: &str = "cases_on_disk::cases_for_an_unprivileged_reader_on_disk";
const UNPRIVILEGED_ID: &str = "65534";

#[test]
fn every_tree_case_gives_the_same_on_disk() {
    let count = run_cases(|case| case.level.is_none() && case.run_as.is_none());
    assert_eq!(count, 162 + 66);
}

#[test]
fn cases_for_an_unprivileged_reader_on_disk() {
    if std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
        assert!(
            run_unprivileged(),
            "the cases fail for an unprivileged reader"
        );
        return;
    }
    let count = run_cases(|case| case.run_as.as_deref() == Some("nobody"));
    assert_eq!(count, 5 + 4);
}

/// Whether the one test was run, and passed.
fn run_unprivileged() -> bool {
    let output = Command::new("setpriv")
        .args([
            format!("--reuid={UNPRIVILEGED_ID}"),
            format!("--regid={UNPRIVILEGED_ID}"),
        ])
        .arg("--clear-groups")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", UNPRIVILEGED_TEST, "--nocapture"])
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    output.status.success() && report.contains("1 passed")
}

fn run_cases(is_run: impl Fn(&TreeCase) -> bool) -> usize {
    let mut count = 0;
    for case in tree_cases().iter().filter(|case| is_run(case)) {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().to_str().unwrap();
        let places = Places::below(base, case);
        // The literal's own root stands for the directory it is built in.
        let tree = case.tree(&places, &Places::below("", case));
        build_on_disk(directory.path(), &tree).unwrap();
        block_on(run(case, Arc::new(LocalFileSystem::inline()), &places));
        count += 1;
    }
    count
}
