//! Every case that describes a tree, on the in-memory filesystem, whose caller is unprivileged.

use std::sync::Arc;

use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use futures::executor::block_on;

use crate::case_file::{Places, tree_cases};
use crate::case_run::run;

#[test]
fn every_tree_case_gives_what_the_table_says() {
    let cases = tree_cases();
    let mut count = 0;
    // A case of the command starts a process; the command's own tests run it.
    for case in cases.iter().filter(|case| case.level.is_none()) {
        let places = Places::below("/t", case);
        let filesystem =
            MemoryFileSystem::from_tree(Flavor::Posix, &case.tree(&places, &places)).unwrap();
        block_on(run(case, Arc::new(filesystem), &places));
        count += 1;
    }
    assert_eq!(count, 167 + 70);
}
