//! Single rules of the search that the case table does not reach.

use std::io::ErrorKind;

use codex_file_system::wrap::{Context, Counting};
use codex_file_system::{
    EnvironmentId, ExecutorFileSystem, FileKind, FileSystemError, FileSystemSandboxContext,
    FindUpErrorPolicy, FindUpOptions, FindUpStop, MarkerKind, Operation, SandboxPolicy, Window,
    find_git_root, find_native_git_root, find_nearest_ancestor_with_markers,
    find_nearest_native_ancestor_with_markers, find_up, find_up_native,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{AbsolutePathBuf, PathConvention, PathUri};
use pretty_assertions::assert_eq;

use crate::support::{delayed, ms, now, on_paused_clock, table, table_over, uri};

const PROPAGATE: FindUpErrorPolicy = FindUpErrorPolicy::Propagate;
const IGNORE: FindUpErrorPolicy = FindUpErrorPolicy::Ignore;

#[test]
fn no_markers_issue_nothing_even_with_a_ceiling_under_ignore() {
    let fs = Counting::new(MemoryFileSystem::posix());
    let options = FindUpOptions::new(IGNORE).with_ceiling(uri("file:///srv"));
    let markers: [&str; 0] = [];
    let outcome = now(find_up(&fs, &uri("file:///srv/a"), markers, &options, None)).unwrap();
    assert_eq!(
        (outcome.stopped, outcome.probes_started),
        (FindUpStop::NoMarkers, 0)
    );
    assert_eq!(fs.calls().total(), 0);
}

#[test]
fn a_windows_ceiling_is_compared_without_regard_to_case() {
    let fs = MemoryFileSystem::from_tree(Flavor::Windows, "C:/Src/Repo/a/").unwrap();
    let options = FindUpOptions::new(PROPAGATE).with_ceiling(uri("file:///C:/SRC/repo"));
    let start = uri("file:///C:/Src/Repo/a");
    let outcome = now(find_up(&fs, &start, [".git"], &options, None)).unwrap();
    assert_eq!(
        (outcome.stopped, outcome.probes_started),
        (FindUpStop::Ceiling, 2)
    );
}

#[test]
fn a_posix_ceiling_is_compared_exactly() {
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/Repo/a/").unwrap();
    let options = FindUpOptions::new(PROPAGATE).with_ceiling(uri("file:///srv/repo"));
    let outcome = now(find_up(
        &fs,
        &uri("file:///srv/Repo/a"),
        [".git"],
        &options,
        None,
    ))
    .unwrap();
    assert_eq!(
        (outcome.stopped, outcome.probes_started),
        (FindUpStop::FilesystemRoot, 4)
    );
}

#[test]
fn the_filesystem_root_as_the_ceiling_is_a_ceiling() {
    let fs = MemoryFileSystem::posix();
    let options = FindUpOptions::new(PROPAGATE).with_ceiling(uri("file:///"));
    let outcome = now(find_up(&fs, &uri("file:///a"), [".git"], &options, None)).unwrap();
    assert_eq!(outcome.stopped, FindUpStop::Ceiling);
}

#[test]
fn a_ceiling_and_window_one_bound_the_probes_of_an_automounted_tree() {
    let fs = Counting::new(delayed(table([]), 50));
    let start = uri("file:///net/host/export/repo/src");
    let options = FindUpOptions::new(PROPAGATE)
        .with_window(Window::SERIAL)
        .with_ceiling(uri("file:///net/host/export"));
    let (outcome, _) = on_paused_clock(find_up(&fs, &start, [".git"], &options, None));
    assert_eq!(outcome.unwrap().stopped, FindUpStop::Ceiling);
    assert_eq!((fs.calls().total(), fs.peak_in_flight()), (3, 1));
}

#[test]
fn a_repeated_marker_and_a_repeated_probe_are_asked_once_and_take_no_slot() {
    let start = uri("file:///r/a");
    let markers = ["a/b", "b", "a/b", "b/"];
    let fs = Counting::new(delayed(table([]), 50));
    let options = FindUpOptions::new(PROPAGATE).with_window(Window::new(2).unwrap());
    let (outcome, elapsed) = on_paused_clock(find_up(&fs, &start, markers, &options, None));
    // `/r/a/a/b` and `/r/a/b`; above them `/r/b`, as `/r/a/b` was asked; then `/a/b` and `/b`.
    assert_eq!(outcome.unwrap().probes_started, 5);
    assert_eq!((fs.calls().total(), elapsed), (5, ms(150)));
}

#[test]
fn markers_of_a_long_list_are_asked_once_each() {
    let names: Vec<String> = (0..40).map(|index| format!("m{index}")).collect();
    let repeated = names.iter().chain(&names).chain(names.iter().rev());
    let fs = Counting::new(table([]));
    let options = FindUpOptions::new(PROPAGATE);
    let outcome = now(find_up(&fs, &uri("file:///r"), repeated, &options, None)).unwrap();
    assert_eq!(outcome.probes_started, 2 * names.len());
    assert_eq!(fs.calls().total(), 2 * names.len() as u64);
}

#[test]
fn an_empty_git_directory_and_an_empty_git_file_are_markers_and_the_outcome_names_them() {
    for tree in ["/srv/r/.git/", "/srv/r/.git ="] {
        let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap();
        let options = FindUpOptions::new(PROPAGATE);
        let outcome = now(find_up(
            &fs,
            &uri("file:///srv/r"),
            [".git"],
            &options,
            None,
        ))
        .unwrap();
        assert_eq!(outcome.marker, Some(uri("file:///srv/r/.git")));
    }
}

#[test]
fn a_special_file_counts_as_any_marker_only() {
    let probe = uri("file:///r/.git");
    for (kind, found) in [
        (MarkerKind::Any, true),
        (MarkerKind::File, false),
        (MarkerKind::Directory, false),
    ] {
        let fs = table([(probe.clone(), Ok(FileKind::Other))]);
        let options = FindUpOptions::new(PROPAGATE).with_kind(kind);
        let outcome = now(find_up(&fs, &uri("file:///r"), [".git"], &options, None)).unwrap();
        assert_eq!(outcome.ancestor.is_some(), found, "{kind:?}");
    }
}

#[test]
fn a_sealed_start_takes_no_marker_but_itself() {
    let start = PathUri::from_native("/nul\0name", PathConvention::Posix).unwrap();
    assert!(start.is_opaque());
    let fs = Counting::new(table([(start.clone(), Ok(FileKind::Directory))]));
    for markers in [vec![".git"], vec!["", ".git"]] {
        let options = FindUpOptions::new(IGNORE);
        let error = now(find_up(&fs, &start, &markers, &options, None)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{markers:?}");
    }
    assert_eq!(fs.calls().total(), 0);
    assert_eq!(now(find_git_root(&fs, &start, None)), None);
    let itself = now(find_nearest_ancestor_with_markers(
        &fs,
        &start,
        [""],
        PROPAGATE,
        None,
    ));
    assert_eq!(itself.unwrap(), Some(start.clone()));
}

#[test]
fn a_refused_marker_is_named() {
    let fs = Counting::new(MemoryFileSystem::posix());
    let start = uri("file:///srv");
    let native = AbsolutePathBuf::try_from(if cfg!(windows) { r"C:\srv" } else { "/srv" });
    let options = FindUpOptions::new(IGNORE);
    let markers = [".git", "mar\0ker"];
    let by_uri = now(find_up(&fs, &start, markers, &options, None)).unwrap_err();
    let by_path = now(find_up_native(
        &fs,
        &native.unwrap(),
        markers,
        &options,
        None,
    ));
    for error in [by_uri, by_path.unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains(r"`mar\u{0}ker`"), "{error}");
    }
    assert_eq!(fs.calls().total(), 0);
}

#[test]
fn a_marker_on_another_drive_is_asked_there() {
    let fs = MemoryFileSystem::from_tree(Flavor::Windows, "D:/mark =\nC:/r/a/").unwrap();
    let options = FindUpOptions::new(PROPAGATE);
    let start = uri("file:///C:/r/a");
    let outcome = now(find_up(&fs, &start, ["D:/mark"], &options, None)).unwrap();
    assert_eq!(outcome.marker, Some(uri("file:///D:/mark")));
    assert_eq!(outcome.ancestor, Some(start));
    let refused = now(find_up(
        &fs,
        &uri("file:///C:/r"),
        ["D:mark"],
        &options,
        None,
    ));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn an_error_names_operation_and_probe_once() {
    let probe = uri("file:///r/.git");
    let table = table([(probe.clone(), Err(ErrorKind::PermissionDenied))]);
    let start = uri("file:///r");
    let search = |fs| {
        now(find_nearest_ancestor_with_markers(
            fs,
            &start,
            [".git"],
            PROPAGATE,
            None,
        ))
    };
    let bare = search(&table as &dyn ExecutorFileSystem).unwrap_err();
    assert_eq!(
        bare.to_string(),
        "cannot read metadata of `file:///r/.git`: permission denied",
    );
    let id = EnvironmentId::new("far").unwrap();
    let named = search(&Context::new(&table, Some(id.clone()))).unwrap_err();
    let payload = FileSystemError::find(&named).unwrap();
    assert_eq!(
        (payload.operation, &payload.path, &payload.environment_id),
        (Operation::GetMetadata, &probe, &Some(id)),
    );
    assert_eq!(
        named.to_string(),
        "cannot read metadata of `file:///r/.git` in environment `far`: permission denied",
    );
}

#[test]
fn a_dropped_search_starts_no_further_probe_and_leaves_none_in_flight() {
    let fs = Counting::new(delayed(table([]), 50));
    let start = uri("file:///a/b/c/d/e/f/g/h/i/j");
    let options = FindUpOptions::new(PROPAGATE);
    let search = find_up(&fs, &start, [".git"], &options, None);
    on_paused_clock(async {
        let given_up = tokio::time::timeout(ms(60), search).await;
        assert!(given_up.is_err());
        assert_eq!((fs.calls().total(), fs.in_flight()), (11, 0));
        tokio::time::sleep(ms(500)).await;
        assert_eq!(fs.calls().total(), 11);
    });
}

#[test]
fn a_search_that_is_not_polled_asks_nothing() {
    let fs = Counting::new(MemoryFileSystem::posix());
    drop(find_git_root(&fs, &uri("file:///a"), None));
    assert_eq!(fs.calls().total(), 0);
}

#[test]
fn probes_in_flight_at_the_decision_are_dropped_not_awaited() {
    let start = uri("file:///a/b");
    let table = table([(uri("file:///a/b/.git"), Ok(FileKind::File))]);
    let slow = delayed(table, 3_600_000).with_path(uri("file:///a/b/.git"), ms(10));
    let fs = Counting::new(slow);
    let (root, elapsed) = on_paused_clock(find_git_root(&fs, &start, None));
    assert_eq!((root, elapsed), (Some(start), ms(10)));
    assert_eq!((fs.calls().total(), fs.in_flight()), (3, 0));
}

#[test]
fn searches_are_send() {
    fn is_send(_: impl Send) {}
    let fs: &dyn ExecutorFileSystem = &MemoryFileSystem::posix();
    let start = uri("file:///");
    let native = AbsolutePathBuf::try_from(std::env::temp_dir()).unwrap();
    let options = FindUpOptions::new(PROPAGATE);
    let owned = vec![".git".to_owned()];
    is_send(find_up(fs, &start, [".git"], &options, None));
    is_send(find_up(fs, &start, &owned, &options, None));
    is_send(find_up_native(fs, &native, owned.iter(), &options, None));
    is_send(find_nearest_ancestor_with_markers(
        fs, &start, &owned, PROPAGATE, None,
    ));
    is_send(find_nearest_native_ancestor_with_markers(
        fs, &native, &owned, PROPAGATE, None,
    ));
    is_send(find_git_root(fs, &start, None));
    is_send(find_native_git_root(fs, &native, None));
}

#[cfg(unix)]
#[test]
fn every_probe_carries_the_sandbox_of_the_search() {
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/repo/.git/\n/srv/repo/a/").unwrap();
    let nothing = FileSystemSandboxContext::new(SandboxPolicy::Restricted(Vec::new()));
    let sandbox = Some(&nothing);
    let start = uri("file:///srv/repo/a");
    let native = AbsolutePathBuf::try_from("/srv/repo/a").unwrap();
    let options = FindUpOptions::new(PROPAGATE);
    let markers = [".git"];
    let simple = find_nearest_ancestor_with_markers(&fs, &start, markers, PROPAGATE, sandbox);
    let simple_native =
        find_nearest_native_ancestor_with_markers(&fs, &native, markers, PROPAGATE, sandbox);
    let answers = [
        now(find_up(&fs, &start, markers, &options, sandbox)).map(drop),
        now(find_up_native(&fs, &native, markers, &options, sandbox)).map(drop),
        now(simple).map(drop),
        now(simple_native).map(drop),
    ];
    let denied = answers.map(|answer| answer.map_err(|error| error.kind()));
    assert_eq!(denied, [Err(ErrorKind::PermissionDenied); 4]);
    assert_eq!(now(find_git_root(&fs, &start, sandbox)), None);
    assert_eq!(now(find_native_git_root(&fs, &native, sandbox)), None);
}

#[cfg(unix)]
#[test]
fn a_probe_that_fails_hides_no_git_root_above_it() {
    let memory =
        MemoryFileSystem::from_tree(Flavor::Posix, "/srv/repo/.git/\n/srv/repo/a/").unwrap();
    let failing = uri("file:///srv/repo/a/.git");
    let fs = table_over(memory, [(failing, Err(ErrorKind::PermissionDenied))]);
    let native = |text| AbsolutePathBuf::try_from(text).unwrap();
    let root = now(find_git_root(&fs, &uri("file:///srv/repo/a"), None));
    assert_eq!(root, Some(uri("file:///srv/repo")));
    let root = now(find_native_git_root(&fs, &native("/srv/repo/a"), None));
    assert_eq!(root, Some(native("/srv/repo")));
}
