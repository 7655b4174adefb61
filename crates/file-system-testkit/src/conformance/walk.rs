//! `walk`: breadth first, sorted, bounded, each directory once, the same as its default body.

use std::io::ErrorKind;

use codex_file_system::error::filesystem_loop;
use codex_file_system::{
    ExecutorFileSystem, FileKind, MAX_WALK_DEPTH, MAX_WALK_DIRECTORIES, MAX_WALK_ENTRIES, Walk,
    WalkOptions,
};
use codex_path_uri::PathUri;

use crate::conformance::case::{CaseResult, Need, cases};
use crate::conformance::check::{Failure, check, check_error, must};
use crate::conformance::subject::{Fixture, Subject};
use crate::scalar::Scalar;

cases![
    walk_order,
    walk_depth_zero,
    walk_limits_truncate,
    walk_limits_out_of_range,
    walk_loop_enters_once[Links],
    walk_unreadable_directory_is_an_error_entry[Modes],
    walk_without_links[Links],
    walk_prunes_hidden,
    walk_file_root,
    walk_equals_default_body,
];

const TREE: &str = "
    d/b/2.txt = x
    d/b/1.txt = x
    d/a/z/deep.txt = x
    d/a.txt = x
    d/.hidden/in.txt = x
    d/.file = x
";

const DIRECTORIES: &[&str] = &["d/.hidden", "d/a", "d/a/z", "d/b"];

fn wide() -> WalkOptions {
    WalkOptions::new(MAX_WALK_DEPTH, MAX_WALK_DIRECTORIES, MAX_WALK_ENTRIES)
}

/// A walk as text and kinds, so that two of them can be compared.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    entries: Vec<(PathUri, FileKind)>,
    errors: Vec<(PathUri, ErrorKind)>,
    truncated: bool,
}

impl From<Walk> for Seen {
    fn from(walk: Walk) -> Self {
        Self {
            entries: walk
                .entries
                .into_iter()
                .map(|entry| (entry.path, entry.kind))
                .collect(),
            errors: walk
                .errors
                .into_iter()
                .map(|bad| (bad.path, bad.error.kind()))
                .collect(),
            truncated: walk.truncated,
        }
    }
}

/// The walk of `d` with exactly these entries; those named in `directories` are directories.
fn expected(
    fs: &Fixture,
    paths: &[&str],
    directories: &[&str],
    truncated: bool,
) -> Result<Seen, Failure> {
    let entry = |path: &&str| {
        let is_directory = directories.contains(path);
        let kind = if is_directory {
            FileKind::Directory
        } else {
            FileKind::File
        };
        Ok::<_, Failure>((fs.at(path)?, kind))
    };
    let entries = paths.iter().map(entry).collect::<Result<_, _>>()?;
    Ok(Seen {
        entries,
        errors: Vec::new(),
        truncated,
    })
}

async fn walk_of(fs: &Fixture, path: &str, options: &WalkOptions) -> Result<Seen, Failure> {
    must(fs.walk(path, options).await).map(Seen::from)
}

async fn walk_order(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(TREE).await?;
    let paths = [
        "d/.file",
        "d/.hidden",
        "d/a",
        "d/a.txt",
        "d/b",
        "d/.hidden/in.txt",
        "d/a/z",
        "d/b/1.txt",
        "d/b/2.txt",
        "d/a/z/deep.txt",
    ];
    check(
        walk_of(&fs, "d", &wide()).await?,
        expected(&fs, &paths, DIRECTORIES, false)?,
    )
}

async fn walk_depth_zero(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(TREE).await?;
    let flat = WalkOptions::new(0, MAX_WALK_DIRECTORIES, MAX_WALK_ENTRIES);
    let paths = ["d/.file", "d/.hidden", "d/a", "d/a.txt", "d/b"];
    // A depth is where the caller wants to stop, not a place where the walk was cut.
    check(
        walk_of(&fs, "d", &flat).await?,
        expected(&fs, &paths, DIRECTORIES, false)?,
    )
}

async fn walk_limits_truncate(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(TREE).await?;
    let few_entries = WalkOptions::new(MAX_WALK_DEPTH, MAX_WALK_DIRECTORIES, 3);
    let paths = [
        "d/.file",
        "d/.hidden",
        "d/a",
        "d/a.txt",
        "d/b",
        "d/.hidden/in.txt",
    ];
    let [first_three, all] = [&paths[..3], &paths[..]];
    check(
        walk_of(&fs, "d", &few_entries).await?,
        expected(&fs, first_three, DIRECTORIES, true)?,
    )?;
    // The root is the first directory, `.hidden` the second.
    let few_directories = WalkOptions::new(MAX_WALK_DEPTH, 2, MAX_WALK_ENTRIES);
    check(
        walk_of(&fs, "d", &few_directories).await?,
        expected(&fs, all, DIRECTORIES, true)?,
    )
}

async fn walk_limits_out_of_range(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(TREE).await?;
    let out_of_range = [
        WalkOptions::new(MAX_WALK_DEPTH + 1, 1, 1),
        WalkOptions::new(1, 0, 1),
        WalkOptions::new(1, MAX_WALK_DIRECTORIES + 1, 1),
        WalkOptions::new(1, 1, 0),
        WalkOptions::new(1, 1, MAX_WALK_ENTRIES + 1),
    ];
    for options in out_of_range {
        check_error(fs.walk("d", &options).await, ErrorKind::InvalidInput)?;
        // The limits are judged before the path.
        check_error(fs.walk("missing", &options).await, ErrorKind::InvalidInput)?;
    }
    Ok(())
}

async fn walk_loop_enters_once(subject: &dyn Subject) -> CaseResult {
    let tree = "
        d/a/up -> ..
        d/a/x.txt = x
        d/b -> a
        d/self -> .
        d/loop -> loop
    ";
    let fs = subject.build(tree).await?;
    let paths = ["d/a", "d/b", "d/self", "d/a/up", "d/a/x.txt"];
    let directories = ["d/a", "d/b", "d/self", "d/a/up"];
    check(
        walk_of(&fs, "d", &wide()).await?,
        expected(&fs, &paths, &directories, false)?,
    )?;
    check_error(fs.walk("d/loop", &wide()).await, filesystem_loop())
}

async fn walk_unreadable_directory_is_an_error_entry(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/a/x.txt = x\nd/a/ !000\nd/b/y.txt = x")
        .await?;
    let mut seen = expected(&fs, &["d/a", "d/b", "d/b/y.txt"], &["d/a", "d/b"], false)?;
    seen.errors
        .push((fs.at("d/a")?, ErrorKind::PermissionDenied));
    check(walk_of(&fs, "d", &wide()).await?, seen)?;
    let mut nothing = expected(&fs, &[], &[], false)?;
    nothing
        .errors
        .push((fs.at("d/a")?, ErrorKind::PermissionDenied));
    check(walk_of(&fs, "d/a", &wide()).await?, nothing)
}

async fn walk_without_links(subject: &dyn Subject) -> CaseResult {
    let tree = "
        beside/x.txt = x
        d/a.txt = x
        d/directory -> ../beside
        d/file -> a.txt
    ";
    let fs = subject.build(tree).await?;
    let without = WalkOptions {
        follow_directory_symlinks: false,
        ..wide()
    };
    let paths = ["d/a.txt", "d/file"];
    check(
        walk_of(&fs, "d", &without).await?,
        expected(&fs, &paths, &[], false)?,
    )?;
    let paths = ["d/a.txt", "d/directory", "d/file", "d/directory/x.txt"];
    check(
        walk_of(&fs, "d", &wide()).await?,
        expected(&fs, &paths, &["d/directory"], false)?,
    )
}

async fn walk_prunes_hidden(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(TREE).await?;
    let pruning = WalkOptions {
        max_depth: 1,
        prune_hidden_directories: true,
        ..wide()
    };
    let paths = [
        "d/.file",
        "d/a",
        "d/a.txt",
        "d/b",
        "d/a/z",
        "d/b/1.txt",
        "d/b/2.txt",
    ];
    check(
        walk_of(&fs, "d", &pruning).await?,
        expected(&fs, &paths, DIRECTORIES, false)?,
    )
}

async fn walk_file_root(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check(
        walk_of(&fs, "a.txt", &wide()).await?,
        expected(&fs, &[], &[], false)?,
    )?;
    check_error(fs.walk("missing", &wide()).await, ErrorKind::NotFound)
}

async fn walk_equals_default_body(subject: &dyn Subject) -> CaseResult {
    let links = "
        d/b/up -> ..
        d/other -> ../beside
        beside/in/x.txt = x
        beside/back -> ../d/b
    ";
    let has_links = subject.lacks(Need::Links).is_none();
    let tree = if has_links {
        format!("{TREE}{links}")
    } else {
        TREE.to_owned()
    };
    let fs = subject.build(&tree).await?;
    let root = fs.at("d")?;
    let variants = [
        wide(),
        WalkOptions {
            follow_directory_symlinks: false,
            ..wide()
        },
        WalkOptions {
            prune_hidden_directories: true,
            ..wide()
        },
        WalkOptions::new(1, 3, 100),
        WalkOptions::new(2, 100, 7),
    ];
    for options in variants {
        let own = fs.filesystem().walk(&root, &options, None).await?;
        let default = Scalar(fs.filesystem()).walk(&root, &options, None).await?;
        check(Seen::from(own), Seen::from(default))?;
    }
    Ok(())
}
