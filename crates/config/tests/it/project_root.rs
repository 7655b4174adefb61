//! The search for the project root, and what is derived from it.

use std::io;

use codex_config::{
    ConfigDiagnostic, FailedProbe, ProjectRootSearch, RootReason, ValueOrigin, find_project_root,
    usable_markers,
};
use codex_file_system::FindUpErrorPolicy::{self, Ignore, Propagate};
use codex_file_system::error::filesystem_loop;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{PathConvention, PathUri};
use pretty_assertions::assert_eq;

use crate::support::{memory, posix, windows};

async fn search(
    tree: &str,
    cwd: &str,
    markers: &[&str],
    policy: FindUpErrorPolicy,
) -> io::Result<ProjectRootSearch> {
    let markers = markers.iter().map(|marker| (*marker).to_owned()).collect();
    let usable = usable_markers(Some(markers), ValueOrigin::Default, PathConvention::Posix);
    find_project_root(&memory(tree), &posix(cwd), usable, policy).await
}

fn marker(marker: &str, probe: usize) -> RootReason {
    RootReason::Marker {
        marker: marker.to_owned(),
        probe,
    }
}

fn paths(paths: &[&str]) -> Vec<PathUri> {
    paths.iter().map(|path| posix(path)).collect()
}

#[tokio::test]
async fn the_nearest_directory_wins_over_the_order_of_the_markers() {
    let tree = "/o/.one =\n/o/r/.two =\n/o/r/a/\n";
    let found = search(tree, "/o/r/a", &[".one", ".two"], Propagate)
        .await
        .unwrap();
    assert_eq!(found.root, Some(posix("/o/r")));
    assert_eq!(found.reason, marker(".two", 4));
    assert_eq!(
        found.directories(&posix("/o/r/a")),
        paths(&["/o/r", "/o/r/a"])
    );
}

#[tokio::test]
async fn a_marker_of_any_kind_and_depth_counts() {
    for (tree, configured, reported) in [
        ("/r/.git/", ".git", ".git"),
        ("/r/.git =", ".git/", ".git"),
        ("/r/.git |", ".git", ".git"),
        ("/g/\n/r/.git -> ../g", ".git", ".git"),
        ("/r/x/y =", "x/./y", "x/y"),
    ] {
        let found = search(tree, "/r", &[configured], Propagate).await.unwrap();
        assert_eq!(
            (found.root.clone(), found.reason.clone()),
            (Some(posix("/r")), marker(reported, 1))
        );
    }
}

#[tokio::test]
async fn without_a_root_only_the_working_directory_is_considered() {
    let found = search("/r/a/", "/r/a", &[".git"], Propagate).await.unwrap();
    assert_eq!(
        (&found.root, &found.reason),
        (&None, &RootReason::NoMarkerFound)
    );
    assert_eq!(found.directories(&posix("/r/a")), paths(&["/r/a"]));
}

#[tokio::test]
async fn an_empty_list_disables_traversal() {
    let found = search("/r/.git/", "/r/a", &[], Propagate).await.unwrap();
    assert_eq!(
        (&found.root, &found.reason),
        (&None, &RootReason::TraversalDisabled)
    );
    assert_eq!(found.directories(&posix("/r/a")), paths(&["/r/a"]));
    assert_eq!(found.git_root(), None);
}

#[tokio::test]
async fn a_failed_probe_ends_the_search_or_is_recorded() {
    let tree = "/r/.git/\n/r/a/.git -> .git\n/r/a/b/\n/.git -> .git\n";
    let error = search(tree, "/r/a/b", &[".git"], Propagate)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), filesystem_loop());
    let found = search(tree, "/r/a/b", &[".git"], Ignore).await.unwrap();
    assert_eq!(found.root, Some(posix("/r")));
    assert_eq!(found.reason, marker(".git", 3));
    let failed = FailedProbe {
        path: posix("/r/a/.git"),
        kind: filesystem_loop(),
    };
    assert_eq!(found.failed_probes, [failed]);
    assert_eq!(found.git_root(), None);
}

#[tokio::test]
async fn a_failure_above_the_root_is_not_looked_at() {
    let found = search("/.git -> .git\n/r/.git/\n", "/r/a", &[".git"], Propagate)
        .await
        .unwrap();
    assert_eq!(found.root, Some(posix("/r")));
}

#[tokio::test]
async fn the_git_root_is_known_when_git_alone_was_searched() {
    let tree = "/r/.git/\n/r/a/.hg/\n";
    let found = search(tree, "/r/a", &[".git"], Propagate).await.unwrap();
    assert_eq!(found.git_root(), Some(Some(posix("/r"))));
    let found = search("/r/a/", "/r/a", &[".git"], Ignore).await.unwrap();
    assert_eq!(found.git_root(), Some(None));
    let found = search(tree, "/r/a", &[".hg", ".git"], Propagate)
        .await
        .unwrap();
    assert_eq!(found.git_root(), None);
}

#[tokio::test]
async fn a_windows_environment_is_searched_on_any_host() {
    let filesystem =
        MemoryFileSystem::from_tree(Flavor::Windows, "C:\\r\\x\\y =\nC:\\r\\a/\n").unwrap();
    let configured = vec!["x\\y".to_owned()];
    let usable = usable_markers(
        Some(configured),
        ValueOrigin::Default,
        PathConvention::Windows,
    );
    let cwd = windows("C:\\r\\a");
    let found = find_project_root(&filesystem, &cwd, usable, Propagate)
        .await
        .unwrap();
    assert_eq!(
        (found.root.clone(), found.reason.clone()),
        (Some(windows("C:\\r")), marker("x/y", 2))
    );
    assert_eq!(found.directories(&cwd), [windows("C:\\r"), cwd]);
}

#[tokio::test]
async fn a_root_that_does_not_contain_the_directory_says_nothing_about_it() {
    let found = search("/r/.git/", "/r/a", &[".git"], Propagate)
        .await
        .unwrap();
    assert_eq!(found.directories(&posix("/s/a")), paths(&["/s/a"]));
}

#[tokio::test]
async fn a_marker_that_is_a_link_to_nothing_counts_as_absent_and_is_told() {
    let found = search("/r/.git/\n/r/a/.git -> gone", "/r/a", &[".git"], Propagate);
    let found = found.await.unwrap();
    assert_eq!(found.root, Some(posix("/r")));
    assert_eq!(found.git_root(), Some(Some(posix("/r"))));
    let told = found.diagnostics();
    let expected = ConfigDiagnostic::BrokenMarkerLink {
        path: posix("/r/a/.git"),
    };
    assert_eq!(told, [expected]);
}
