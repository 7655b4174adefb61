//! What a walk costs, and that its result is that of the serial walk. The rest of its contract
//! is in the conformance suite.

use std::collections::{HashSet, VecDeque};
use std::io::{self, ErrorKind};

use codex_file_system::wrap::{Calls, Counting};
use codex_file_system::{
    ExecutorFileSystem, FileKind, FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry,
    SandboxAccess, SandboxEntry, SandboxPolicy, Walk, WalkEntry, WalkError, WalkOptions,
};
use codex_file_system_testkit::{Alteration, Altered, Flavor, MemoryFileSystem, Scalar};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{delayed, ms, now, on_paused_clock, uri};

fn posix(tree: &str) -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap()
}

fn wide() -> WalkOptions {
    WalkOptions::new(64, 10_000, 50_000)
}

/// A walk as text, so that two of them can be compared.
fn said(walk: &Walk) -> (Vec<String>, Vec<(String, ErrorKind)>, bool) {
    let entries = walk.entries.iter().map(|entry| {
        let mark = if entry.kind == FileKind::Directory {
            "/"
        } else {
            ""
        };
        format!("{}{mark}", entry.path)
    });
    let errors = walk
        .errors
        .iter()
        .map(|error| (error.path.to_string(), error.error.kind()));
    (entries.collect(), errors.collect(), walk.truncated)
}

/// The calls and round trips of the default body.
fn cost(memory: MemoryFileSystem, options: &WalkOptions) -> (Calls, u128) {
    let fs = Counting::new(delayed(memory, 50));
    let root = uri("file:///d");
    let (walk, elapsed) = on_paused_clock(async { Scalar(&fs).walk(&root, options, None).await });
    walk.unwrap();
    (fs.calls(), elapsed.as_millis() / 50)
}

fn calls(read_directory: u64, canonicalize: u64) -> Calls {
    Calls {
        read_directory,
        canonicalize,
        ..Calls::default()
    }
}

#[test]
fn a_tree_without_links_costs_a_listing_for_each_directory_and_a_round_trip_for_each_level() {
    let memory = posix("/d/a/b/c/\n/d/x/y/\n/d/f = x");
    assert_eq!(cost(memory, &wide()), (calls(6, 1), 4));
}

#[test]
fn a_followed_link_costs_a_call_and_links_of_one_level_share_a_round_trip() {
    let memory = posix("/d/a -> ../e\n/d/b -> ../g\n/e/in/\n/g/");
    assert_eq!(cost(memory, &wide()), (calls(4, 3), 4));
}

#[test]
fn a_link_to_a_directory_that_was_entered_costs_its_identity_only() {
    let memory = posix("/d/a/up -> ..\n/d/b -> a\n/d/self -> .");
    assert_eq!(cost(memory, &wide()), (calls(2, 4), 4));
}

#[test]
fn a_link_to_a_file_costs_nothing() {
    let memory = posix("/d/a -> f\n/d/f = x");
    assert_eq!(cost(memory, &wide()), (calls(1, 1), 1));
}

#[test]
fn a_link_at_the_depth_limit_costs_nothing() {
    let memory = posix("/d/a -> ../e\n/e/");
    assert_eq!(cost(memory, &WalkOptions::new(0, 9, 9)), (calls(1, 1), 1));
}

#[test]
fn where_a_listing_cannot_say_each_directory_costs_its_identity() {
    let tree = "/d/a/b/\n/d/l -> ../e\n/d/f = x\n/e/";
    let memory = posix(tree).without_link_flags();
    assert_eq!(cost(memory.clone(), &wide()), (calls(4, 4), 5));
    let without = WalkOptions {
        follow_directory_symlinks: false,
        ..wide()
    };
    assert_eq!(cost(memory.clone(), &without), (calls(3, 4), 5));
    let walk = now(memory.walk(&uri("file:///d"), &without, None)).unwrap();
    assert_eq!(
        said(&walk).0,
        ["file:///d/a/", "file:///d/f", "file:///d/a/b/"]
    );
}

#[test]
fn a_level_is_listed_32_at_a_time() {
    let tree: Vec<_> = (0..100).map(|index| format!("/d/{index:02}/")).collect();
    let fs = Counting::new(delayed(posix(&tree.join("\n")), 50));
    let root = uri("file:///d");
    let options = wide();
    let (_, elapsed) =
        on_paused_clock(async { Scalar(&fs).walk(&root, &options, None).await.unwrap() });
    assert_eq!((fs.calls(), fs.peak_in_flight()), (calls(101, 1), 32));
    assert_eq!(elapsed.as_millis(), 50 * (1 + 100_u128.div_ceil(32)));
}

#[test]
fn limits_out_of_range_cost_no_call() {
    let fs = Counting::new(posix("/d/"));
    for options in [
        WalkOptions::new(65, 1, 1),
        WalkOptions::new(0, 0, 1),
        WalkOptions::new(0, 10_001, 1),
        WalkOptions::new(0, 1, 0),
        WalkOptions::new(0, 1, 50_001),
    ] {
        let error = now(Scalar(&fs).walk(&uri("file:///d"), &options, None)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
    }
    assert_eq!(fs.calls().total(), 0);
}

#[test]
fn a_limit_that_is_met_exactly_cuts_nothing() {
    let memory = posix("/d/a/x = x\n/d/b/");
    let walk = |options| now(memory.walk(&uri("file:///d"), &options, None)).unwrap();
    assert!(!walk(WalkOptions::new(9, 3, 3)).truncated);
    assert!(walk(WalkOptions::new(9, 2, 3)).truncated);
    assert!(walk(WalkOptions::new(9, 3, 2)).truncated);
}

#[test]
fn a_full_result_starts_no_further_level() {
    let fs = Counting::new(posix("/d/a/x = x\n/d/b/"));
    now(Scalar(&fs).walk(&uri("file:///d"), &WalkOptions::new(9, 9, 1), None)).unwrap();
    assert_eq!(fs.calls(), calls(1, 1));
}

#[test]
fn what_is_neither_file_nor_directory_is_left_out() {
    let memory = posix("/d/f = x\n/d/pipe |");
    let walk = now(memory.walk(&uri("file:///d"), &wide(), None)).unwrap();
    assert_eq!(said(&walk).0, ["file:///d/f"]);
}

#[test]
fn a_root_that_is_a_link_is_walked_under_its_own_name() {
    let memory = posix("/l -> d\n/d/a/up -> ../../l");
    let walk = now(memory.walk(&uri("file:///l"), &wide(), None)).unwrap();
    assert_eq!(said(&walk).0, ["file:///l/a/", "file:///l/a/up/"]);
}

#[test]
fn what_the_sandbox_of_a_walk_closes_is_listed_and_not_entered() {
    let memory = posix("/d/a/x = x\n/d/closed/y = y\n/d/out -> ../out\n/out/z = z");
    let entry = |path, access| SandboxEntry {
        path: uri(path),
        access,
    };
    let sandbox = FileSystemSandboxContext::new(SandboxPolicy::Restricted(vec![
        entry("file:///d", SandboxAccess::Read),
        entry("file:///d/closed", SandboxAccess::None),
    ]));
    let walk = now(memory.walk(&uri("file:///d"), &wide(), Some(&sandbox))).unwrap();
    let (entries, errors, truncated) = said(&walk);
    assert_eq!(
        entries,
        [
            "file:///d/a/",
            "file:///d/closed/",
            "file:///d/out/",
            "file:///d/a/x"
        ]
    );
    let denied = |path: &str| (path.to_owned(), ErrorKind::PermissionDenied);
    assert_eq!(
        errors,
        [denied("file:///d/out"), denied("file:///d/closed")]
    );
    assert!(!truncated);
}

/// Refuses the calls of a walk that bring no sandbox.
struct Guarded;

fn guarded(sandbox: Option<&FileSystemSandboxContext>) -> io::Result<()> {
    sandbox.map(drop).ok_or(ErrorKind::PermissionDenied.into())
}

impl Alteration for Guarded {
    fn read_directory<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Option<&'a FileSystemSandboxContext>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            guarded(sandbox)?;
            below.read_directory(path, sandbox).await
        })
    }

    fn canonicalize<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Option<&'a FileSystemSandboxContext>,
    ) -> FileSystemFuture<'a, PathUri> {
        Box::pin(async move {
            guarded(sandbox)?;
            below.canonicalize(path, sandbox).await
        })
    }
}

#[test]
fn every_call_of_a_walk_brings_its_sandbox() {
    let fs = Altered::new(posix("/d/a/in/f = x\n/d/l -> ../e\n/e/g = x"), Guarded);
    let sandbox = FileSystemSandboxContext::new(SandboxPolicy::Unrestricted);
    let root = uri("file:///d");
    let walk = now(Scalar(&fs).walk(&root, &wide(), Some(&sandbox))).unwrap();
    let (entries, errors, _) = said(&walk);
    assert_eq!((entries.len(), errors), (5, Vec::new()));
}

#[test]
fn a_dropped_walk_starts_no_further_call() {
    let fs = Counting::new(delayed(posix("/d/a/b/c/"), 50));
    let (root, options) = (uri("file:///d"), wide());
    on_paused_clock(async {
        let walk = Scalar(&fs);
        let given_up = tokio::time::timeout(ms(60), walk.walk(&root, &options, None)).await;
        assert!(given_up.is_err());
        assert_eq!((fs.calls(), fs.in_flight()), (calls(2, 1), 0));
    });
}

/// The walk as one loop, one call at a time.
fn serial(fs: &MemoryFileSystem, root: &PathUri, options: &WalkOptions) -> Walk {
    let mut walk = Walk::default();
    let mut visited = HashSet::new();
    let mut queue = VecDeque::from([(root.clone(), 0)]);
    while let Some((directory, depth)) = queue.pop_front() {
        let identity = now(fs.canonicalize(&directory, None)).unwrap();
        if visited.contains(&identity) {
            continue;
        }
        if visited.len() == options.max_directories {
            walk.truncated = true;
            break;
        }
        visited.insert(identity);
        let entries = match now(fs.read_directory(&directory, None)) {
            Ok(entries) => entries,
            Err(error) => {
                walk.errors.push(WalkError {
                    path: directory,
                    error,
                });
                continue;
            }
        };
        for entry in entries {
            let is_directory = entry.kind == FileKind::Directory;
            let is_hidden = is_directory && entry.file_name.to_string_lossy().starts_with('.');
            let is_link = is_directory && entry.is_symlink == Some(true);
            if entry.kind == FileKind::Other
                || (is_hidden && options.prune_hidden_directories)
                || (is_link && !options.follow_directory_symlinks)
            {
                continue;
            }
            if walk.entries.len() == options.max_entries {
                walk.truncated = true;
                return walk;
            }
            let path = directory.join_name(&entry.file_name).unwrap();
            walk.entries.push(WalkEntry {
                path: path.clone(),
                kind: entry.kind,
            });
            if is_directory && depth < options.max_depth {
                queue.push_back((path, depth + 1));
            }
        }
    }
    walk
}

/// Trees of directories, files, pipes, unreadable directories and links to anything.
fn trees() -> impl Strategy<Value = String> {
    let entry = (
        0..20_usize,
        select(vec!["a", "b", "c", ".h"]),
        0..10_usize,
        0..20_usize,
    );
    prop::collection::vec(entry, 0..16).prop_map(|entries| {
        let (mut directories, mut lines) = (vec!["/d".to_owned()], vec!["/d/".to_owned()]);
        let mut taken = HashSet::new();
        for (parent, name, kind, target) in entries {
            let path = format!("{}/{name}", directories[parent % directories.len()]);
            if !taken.insert(path.clone()) {
                continue;
            }
            match kind {
                0..4 => {
                    lines.push(format!("{path}/"));
                    directories.push(path);
                }
                4 => lines.push(format!("{path}/ !000")),
                5 => lines.push(format!("{path} |")),
                6 => lines.push(format!("{path} = x")),
                _ => {
                    let target = &directories[target % directories.len()];
                    lines.push(format!("{path} -> {target}"));
                }
            }
        }
        lines.join("\n")
    })
}

fn options() -> impl Strategy<Value = WalkOptions> {
    let limits = (0..5_usize, 1..12_usize, 1..24_usize);
    (limits, any::<bool>(), any::<bool>()).prop_map(
        |((depth, directories, entries), follow, prune)| WalkOptions {
            follow_directory_symlinks: follow,
            prune_hidden_directories: prune,
            ..WalkOptions::new(depth, directories, entries)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_walk_says_what_the_serial_walk_says(
        tree in trees(),
        options in options(),
        delays in prop::collection::vec(1..60_u64, 1..30),
    ) {
        let (memory, root) = (posix(&tree), uri("file:///d"));
        let expected = said(&serial(&memory, &root, &options));
        let everything = serial(&memory, &root, &wide());
        let mut slow = delayed(memory.clone(), 1);
        for (entry, delay) in everything.entries.iter().zip(delays) {
            slow = slow.with_path(entry.path.clone(), ms(delay));
        }
        let fs = Counting::new(slow);
        let (walk, _) = on_paused_clock(async { Scalar(&fs).walk(&root, &options, None).await });
        prop_assert_eq!(said(&walk.unwrap()), expected.clone());
        prop_assert!(fs.peak_in_flight() <= 32);
        let at_once = now(Scalar(&memory).walk(&root, &options, None)).unwrap();
        prop_assert_eq!(said(&at_once), expected);
    }
}
