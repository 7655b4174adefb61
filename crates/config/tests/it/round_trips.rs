//! Calls, most in flight and dependent round trips, asserted for equality.
//!
//! The clock is paused, so the time a load takes is exactly its round trips times the latency.

use std::future::Future;
use std::time::Duration;

use codex_config::{
    ConfigError, ConfigLayerStack, ConfigSources, DisabledReason, LoadedLayers, ProfileName,
    ProjectLayerDecision, ValueOrigin, expect_base_layers, expect_project_layer,
    expect_project_root, find_project_root, find_project_root_with, load_base_layers,
    load_base_layers_with, load_project_layers, load_project_layers_with, usable_markers,
};
use codex_file_system::wrap::{Calls, Counting, Latency};
use codex_file_system::{FindUpErrorPolicy, Lookahead, TokioTimer, Window};
use codex_file_system_testkit::MemoryFileSystem;
use codex_path_uri::{PathConvention, PathUri};
use pretty_assertions::assert_eq;
use tokio::time::Instant;

use crate::support::{memory, posix};

const LATENCY: Duration = Duration::from_millis(50);

type Remote = Counting<Latency<MemoryFileSystem>>;

fn remote(tree: &str) -> Remote {
    Counting::new(Latency::new(
        memory(tree),
        TokioTimer,
        LATENCY,
        Duration::ZERO,
    ))
}

/// The result of `load` and how many round trips it took.
async fn timed<T>(load: impl Future<Output = T>) -> (T, u32) {
    let start = Instant::now();
    let result = load.await;
    let elapsed = start.elapsed();
    let round_trips = elapsed.as_millis() / LATENCY.as_millis();
    assert_eq!(elapsed.as_millis() % LATENCY.as_millis(), 0);
    (result, u32::try_from(round_trips).unwrap())
}

#[tokio::test(start_paused = true)]
async fn base_layers_are_read_together_in_one_round_trip() {
    for (system, profile, managed, reads) in [
        (false, false, false, 1),
        (true, false, false, 2),
        (false, true, false, 2),
        (true, false, true, 3),
        (true, true, true, 4),
    ] {
        let filesystem = remote("/home/.codex/config.toml = a = 1");
        let sources = ConfigSources {
            system_config: system.then(|| posix("/etc/codex/config.toml")),
            managed_config: managed.then(|| posix("/etc/codex/managed_config.toml")),
            profile: profile.then(|| ProfileName::new("work").unwrap()),
            overrides: vec!["b=2".to_owned()],
            ..ConfigSources::new(&filesystem, posix("/home/.codex"))
        };
        let (loaded, round_trips) = timed(load_base_layers(&sources)).await;
        loaded.unwrap();
        assert_eq!(
            filesystem.calls(),
            Calls {
                read_file_prefix: reads,
                ..Calls::default()
            }
        );
        assert_eq!(
            (filesystem.peak_in_flight() as u64, round_trips),
            (reads, 1)
        );
    }
}

/// `/r`, `/r/d`, `/r/d/d`, ...: as many as asked for.
fn chain(directories: usize) -> Vec<PathUri> {
    (0..directories)
        .map(|depth| posix(&format!("/r{}", "/d".repeat(depth))))
        .collect()
}

/// The layers of `directories`, loaded with this window.
async fn project_layers(
    filesystem: &Remote,
    directories: &[PathUri],
    decide: &(dyn Fn(&PathUri) -> ProjectLayerDecision + Sync),
    window: usize,
) -> Result<LoadedLayers, ConfigError> {
    let fs = Lookahead::new(filesystem, Window::new(window).unwrap());
    let base = ConfigLayerStack::default();
    fs.drive(load_project_layers_with(&fs, base, directories, decide))
        .await
}

#[tokio::test(start_paused = true)]
async fn project_layers_take_one_call_per_directory_in_an_ordered_window() {
    let decide = |directory: &PathUri| match directory.lexical_depth() {
        Some(depth) if depth % 3 == 0 => ProjectLayerDecision::Disable(DisabledReason::NotTrusted),
        _ => ProjectLayerDecision::Enable,
    };
    for (directories, window) in [
        (0, 8),
        (1, 1),
        (1, 8),
        (7, 1),
        (7, 8),
        (8, 8),
        (9, 8),
        (20, 1),
        (20, 8),
    ] {
        let filesystem = remote("/r/.codex/config.toml = a = 1");
        let chain = chain(directories);
        let load = project_layers(&filesystem, &chain, &decide, window);
        let (loaded, round_trips) = timed(load).await;
        loaded.unwrap();
        let disabled = (directories / 3) as u64;
        let calls = Calls {
            read_file_prefix: directories as u64 - disabled,
            get_metadata: disabled,
            ..Calls::default()
        };
        assert_eq!(
            filesystem.calls(),
            calls,
            "{directories} directories, window {window}"
        );
        assert_eq!(round_trips as usize, directories.div_ceil(window));
        assert_eq!(filesystem.peak_in_flight(), directories.min(window));
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_expects_everything_asks_it_in_one_round_trip() {
    let filesystem =
        remote("/r/.git/\n/r/.codex/config.toml = a = 1\n/home/.codex/config.toml = b = 1");
    let fs = Lookahead::new(&filesystem, Window::default());
    let sources = ConfigSources::new(&filesystem, posix("/home/.codex"));
    let cwd = posix("/r");
    let markers = || usable_markers(None, ValueOrigin::Default, PathConvention::Posix);
    let session = async {
        expect_base_layers(&fs, &sources);
        expect_project_root(&fs, &cwd, &markers());
        expect_project_layer(&fs, &cwd, true);
        let base = load_base_layers_with(&fs, &sources).await.unwrap();
        let policy = FindUpErrorPolicy::Propagate;
        let search = find_project_root_with(&fs, &cwd, markers(), policy)
            .await
            .unwrap();
        let enable = |_: &PathUri| ProjectLayerDecision::Enable;
        load_project_layers_with(&fs, base.stack, &search.directories(&cwd), &enable).await
    };
    let (loaded, round_trips) = timed(fs.drive(session)).await;
    assert_eq!(
        loaded.unwrap().stack.effective_config(),
        crate::support::table("a = 1\nb = 1")
    );
    assert_eq!((filesystem.calls().total(), round_trips), (4, 1));
}

#[tokio::test(start_paused = true)]
async fn with_window_one_nothing_is_asked_behind_the_first_error() {
    let tree = "/r/d/.codex/config.toml = x = = 1";
    for (window, reads) in [(1, 2), (8, 8)] {
        let filesystem = remote(tree);
        let chain = chain(20);
        let enable = |_: &PathUri| ProjectLayerDecision::Enable;
        let load = project_layers(&filesystem, &chain, &enable, window);
        load.await.unwrap_err();
        assert_eq!(
            filesystem.calls().read_file_prefix,
            reads,
            "window {window}"
        );
        assert_eq!(filesystem.in_flight(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_a_load_stops_new_calls_at_once() {
    let filesystem = remote("/r/");
    let chain = chain(20);
    let enable = |_: &PathUri| ProjectLayerDecision::Enable;
    let load = project_layers(&filesystem, &chain, &enable, 4);
    tokio::time::timeout(LATENCY / 2, load).await.unwrap_err();
    tokio::time::sleep(LATENCY * 10).await;
    assert_eq!(
        (filesystem.calls().read_file_prefix, filesystem.in_flight()),
        (4, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn the_project_root_search_costs_what_find_up_costs() {
    // Ancestors of /r/a/b/c: five. Probes run directory by directory, markers in order.
    for (markers, tree, calls, trips) in [
        (vec![], "/r/a/b/c/", 0, 0),
        (vec![".git"], "/r/.git/", 5, 1),
        (vec![".git"], "/x/", 5, 1),
        (vec![".hg", ".git"], "/r/.git/", 8, 1),
        (vec![".a", ".b", ".git"], "/r/.git/", 15, 2),
        (vec![".a", ".b", ".git"], "/x/", 15, 2),
        (vec![".a", ".b", ".git"], "/r/a/b/c/.git/", 8, 1),
    ] {
        let filesystem = remote(tree);
        let listed = markers.iter().map(|marker| (*marker).to_owned()).collect();
        let usable = usable_markers(Some(listed), ValueOrigin::Default, PathConvention::Posix);
        let cwd = posix("/r/a/b/c");
        let search = find_project_root(&filesystem, &cwd, usable, FindUpErrorPolicy::Propagate);
        let (search, round_trips) = timed(search).await;
        search.unwrap();
        assert_eq!(
            filesystem.calls(),
            Calls {
                get_metadata: calls,
                ..Calls::default()
            },
            "{markers:?}"
        );
        assert_eq!(round_trips, trips, "{markers:?}");
    }
}

#[test]
fn every_load_can_move_between_threads() {
    fn assert_send(_: &impl Send) {}
    let filesystem = MemoryFileSystem::posix();
    let sources = ConfigSources::new(&filesystem, posix("/home/.codex"));
    assert_send(&load_base_layers(&sources));
    let enable = |_: &PathUri| ProjectLayerDecision::Enable;
    let base = ConfigLayerStack::default();
    assert_send(&load_project_layers(base, &filesystem, &[], &enable));
    let usable = usable_markers(None, ValueOrigin::Default, PathConvention::Posix);
    let cwd = posix("/r");
    assert_send(&find_project_root(
        &filesystem,
        &cwd,
        usable,
        FindUpErrorPolicy::Ignore,
    ));
}
