//! What discovery costs, by equality: calls, round trips, most in flight.

use codex_file_system::Window;
use codex_file_system::wrap::{Calls, Counting};
use codex_plugin::mcp::load_mcp_servers;
use codex_plugin::{
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, ExecutorPluginProvider, ManifestDirectories, PluginOptions,
    PluginProvider, SelectedCapabilityRoot, SymlinkPolicy, find_plugin_manifest,
    read_plugin_namespace,
};
use pretty_assertions::assert_eq;

use crate::support::{Cost, Scene, block_on, env, environments, memory_with, selected, uri};

const ROOT: &str = "file:///plugins/p";

fn options(window: usize, symlinks: SymlinkPolicy) -> PluginOptions {
    PluginOptions::default()
        .with_window(Window::new(window).unwrap())
        .with_symlinks(symlinks)
}

/// The cost of resolving one root.
fn cost(root: &str, files: &[(&str, &str)], options: PluginOptions) -> Cost {
    let scene = Scene::in_memory(&uri(ROOT), files);
    let provider = scene.provider(options);
    block_on(async {
        scene
            .measure(provider.resolve(&selected(&uri(root))))
            .await
            .1
    })
}

fn calls_and_trips(cost: Cost) -> (u64, u64) {
    (cost.calls, cost.round_trips)
}

const REFUSE: SymlinkPolicy = SymlinkPolicy::RefuseEscape;
const FOLLOW: SymlinkPolicy = SymlinkPolicy::Follow;

#[test]
fn a_plugin_costs_two_trips_wherever_its_manifest_is() {
    for location in DISCOVERABLE_PLUGIN_MANIFEST_PATHS {
        let files = [(location, "{}")];
        for window in [5, 6, 8, 32, 64] {
            let refuse = cost(ROOT, &files, options(window, REFUSE));
            assert_eq!(
                refuse,
                Cost {
                    calls: 7,
                    round_trips: 2,
                    peak: 5
                }
            );
        }
        for window in [4, 5, 32] {
            let follow = cost(ROOT, &files, options(window, FOLLOW));
            assert_eq!(
                follow,
                Cost {
                    calls: 5,
                    round_trips: 2,
                    peak: 4
                }
            );
        }
    }
}

#[test]
fn a_window_of_one_is_the_serial_algorithm() {
    for (index, location) in (1..).zip(DISCOVERABLE_PLUGIN_MANIFEST_PATHS) {
        let files = [(location, "{}")];
        let refuse = cost(ROOT, &files, options(1, REFUSE));
        assert_eq!(
            refuse,
            Cost {
                calls: index + 4,
                round_trips: index + 4,
                peak: 1
            }
        );
        let follow = cost(ROOT, &files, options(1, FOLLOW));
        assert_eq!(
            follow,
            Cost {
                calls: index + 2,
                round_trips: index + 2,
                peak: 1
            }
        );
    }
}

#[test]
fn a_directory_without_a_manifest_costs_one_trip() {
    assert_eq!(
        calls_and_trips(cost(ROOT, &[], options(32, REFUSE))),
        (5, 1)
    );
    assert_eq!(
        calls_and_trips(cost(ROOT, &[], options(32, FOLLOW))),
        (4, 1)
    );
    assert_eq!(calls_and_trips(cost(ROOT, &[], options(1, REFUSE))), (4, 4));
    assert_eq!(calls_and_trips(cost(ROOT, &[], options(1, FOLLOW))), (4, 4));
}

#[test]
fn a_root_that_is_missing_or_a_file_costs_one_trip() {
    for root in ["file:///plugins/missing", "file:///plugins/p/file"] {
        let cost = |options| cost(root, &[("file", "x")], options);
        assert_eq!(calls_and_trips(cost(options(32, REFUSE))), (5, 1));
        assert_eq!(calls_and_trips(cost(options(32, FOLLOW))), (4, 1));
        assert_eq!(calls_and_trips(cost(options(1, REFUSE))), (1, 1));
        assert_eq!(calls_and_trips(cost(options(1, FOLLOW))), (1, 1));
    }
}

#[test]
fn a_manifest_that_is_too_large_by_its_metadata_is_not_read() {
    let text = " ".repeat(1024 * 1024 - 1) + "{}";
    for (index, location) in (1..).zip(DISCOVERABLE_PLUGIN_MANIFEST_PATHS) {
        let files = [(location, text.as_str())];
        assert_eq!(
            calls_and_trips(cost(ROOT, &files, options(32, REFUSE))),
            (5, 1)
        );
        assert_eq!(
            calls_and_trips(cost(ROOT, &files, options(32, FOLLOW))),
            (4, 1)
        );
        assert_eq!(
            calls_and_trips(cost(ROOT, &files, options(1, REFUSE))),
            (index + 1, index + 1)
        );
        assert_eq!(
            calls_and_trips(cost(ROOT, &files, options(1, FOLLOW))),
            (index + 1, index + 1)
        );
    }
}

#[test]
fn an_unknown_environment_costs_nothing() {
    let scene = Scene::in_memory(&uri(ROOT), &[]);
    let provider = scene.provider(PluginOptions::default());
    let root = SelectedCapabilityRoot::new("", env("elsewhere"), uri(ROOT));
    let (result, cost) = block_on(async { scene.measure(provider.resolve(&root)).await });
    assert_eq!(result.unwrap_err().code(), "unavailable_environment");
    assert_eq!(
        cost,
        Cost {
            calls: 0,
            round_trips: 0,
            peak: 0
        }
    );
}

#[test]
fn the_location_of_agent_plugins_is_one_probe_more() {
    let on = |window| options(window, FOLLOW).with_agent_plugins_root(true);
    assert_eq!(calls_and_trips(cost(ROOT, &[], on(32))), (6, 1));
    assert_eq!(
        calls_and_trips(cost(ROOT, &[("plugin.json", "{}")], on(32))),
        (8, 2)
    );
    assert_eq!(
        calls_and_trips(cost(ROOT, &[("plugin.json", "{}")], on(1))),
        (8, 8)
    );
    let codex = [(".codex-plugin/plugin.json", "{}"), ("plugin.json", "{}")];
    assert_eq!(calls_and_trips(cost(ROOT, &codex, on(1))), (5, 5));
}

/// N roots, the first F of which hold a plugin.
fn roots_in_memory(plugins: usize, others: usize) -> (Scene, Vec<SelectedCapabilityRoot>) {
    let base = uri("file:///r");
    let fs = memory_with(&base, &[]);
    let mut roots = Vec::new();
    for index in 0..plugins + others {
        let location = DISCOVERABLE_PLUGIN_MANIFEST_PATHS[index % 3];
        let entry = if index < plugins {
            format!("{location} = {{}}")
        } else {
            "x/".to_owned()
        };
        fs.add_tree(&format!("/r/{index}/{entry}")).unwrap();
        roots.push(selected(&base.join(&index.to_string()).unwrap()));
    }
    (Scene::new(fs), roots)
}

#[test]
fn many_roots_cost_as_the_formula_says() {
    for (plugins, others) in [(0, 0), (1, 0), (0, 3), (4, 1), (10, 0), (7, 9), (33, 0)] {
        let (scene, roots) = roots_in_memory(plugins, others);
        for (symlinks, c, d) in [(REFUSE, 5, 2), (FOLLOW, 4, 1)] {
            for window in [5_usize, 7, 8, 16, 32, 64] {
                let provider = scene.provider(options(window, symlinks));
                let work = provider.resolve_all(&roots);
                let (results, cost) = block_on(async { scene.measure(work).await });
                let found = results
                    .iter()
                    .filter(|it| matches!(it, Ok(Some(_))))
                    .count();
                assert_eq!((results.len(), found), (plugins + others, plugins));
                let (first, second) = (c * (plugins + others), d * plugins);
                let trips = first.div_ceil(window) + second.div_ceil(window);
                let expected = Cost {
                    calls: (first + second) as u64,
                    round_trips: trips as u64,
                    peak: window.min(first.max(second)),
                };
                assert_eq!(
                    cost, expected,
                    "{plugins}+{others}, {symlinks:?}, window {window}"
                );
            }
        }
    }
}

#[test]
fn a_window_of_one_never_speculates_over_many_roots() {
    let (scene, roots) = roots_in_memory(3, 2);
    let provider = scene.provider(options(1, REFUSE));
    let (_, cost) = block_on(async { scene.measure(provider.resolve_all(&roots)).await });
    // Found at locations 1, 2 and 3, then two directories without a manifest.
    let serial = (1 + 4) + (2 + 4) + (3 + 4) + 4 + 4;
    assert_eq!(
        cost,
        Cost {
            calls: serial,
            round_trips: serial,
            peak: 1
        }
    );
}

#[test]
fn counts_do_not_depend_on_latency() {
    let root = uri(ROOT);
    let fs = std::sync::Arc::new(Counting::new(memory_with(
        &root,
        &[(".codex-plugin/plugin.json", "{}")],
    )));
    let environments = environments(vec![("env-1", fs.clone())]);
    for (window, metadata, canonicalize) in [(32, 4, 2), (1, 2, 2)] {
        fs.reset();
        let provider =
            ExecutorPluginProvider::new(environments.clone()).with_options(options(window, REFUSE));
        block_on(async { provider.resolve(&selected(&root)).await })
            .unwrap()
            .unwrap();
        let calls = Calls {
            get_metadata: metadata,
            canonicalize,
            read_file: 1,
            ..Calls::default()
        };
        assert_eq!(fs.calls(), calls);
    }
}

#[test]
fn finding_a_manifest_costs_three_calls_in_one_trip() {
    for files in [vec![], vec![(".codex-plugin/plugin.json", "{}")]] {
        let root = uri(ROOT);
        let scene = Scene::in_memory(&root, &files);
        let work = find_plugin_manifest(scene.fs.as_ref(), &root, None);
        let (found, cost) = block_on(async { scene.measure(work).await });
        assert_eq!(found.unwrap().is_some(), !files.is_empty());
        assert_eq!(
            cost,
            Cost {
                calls: 3,
                round_trips: 1,
                peak: 3
            }
        );
    }
}

#[test]
fn a_namespace_costs_one_call_per_tried_location() {
    let root = uri(ROOT);
    let cost_of = |files: &[(&str, &str)], present: ManifestDirectories| {
        let scene = Scene::in_memory(&root, files);
        let work = read_plugin_namespace(scene.fs.as_ref(), &root, present, None);
        let (_, cost) = block_on(async { scene.measure(work).await });
        assert_eq!(cost.calls, cost.round_trips, "one after another");
        cost.calls
    };
    let all = ManifestDirectories::ALL;
    assert_eq!(cost_of(&[], ManifestDirectories::EMPTY), 0);
    assert_eq!(cost_of(&[], all), 3);
    assert_eq!(cost_of(&[(".codex-plugin/plugin.json", "{}")], all), 1);
    assert_eq!(cost_of(&[(".cursor-plugin/plugin.json", "{}")], all), 3);
    // A directory in the manifest's place costs the call that tells it from a failure.
    assert_eq!(
        cost_of(
            &[(".codex-plugin/plugin.json/x", "")],
            ManifestDirectories::first(1)
        ),
        2
    );
}

/// The cost of loading the MCP servers of plugins that name these numbers of files.
fn mcp_cost(files: &[usize], symlinks: SymlinkPolicy, window: usize, knows_root: bool) -> Cost {
    let base = uri("file:///r");
    let fs = memory_with(&base, &[]);
    let mut roots = Vec::new();
    for (index, count) in files.iter().enumerate() {
        let paths: Vec<String> = (0..*count)
            .map(|file| format!("\"./{file}.json\""))
            .collect();
        let servers = if paths.is_empty() {
            "{}".to_owned()
        } else {
            format!("[{}]", paths.join(","))
        };
        let manifest =
            format!("/r/{index}/.codex-plugin/plugin.json = {{\"mcpServers\":{servers}}}");
        fs.add_tree(&manifest).unwrap();
        roots.push(selected(&base.join(&index.to_string()).unwrap()));
    }
    let scene = Scene::new(fs);
    let resolving = options(32, if knows_root { REFUSE } else { FOLLOW });
    block_on(async {
        let resolved = scene.provider(resolving).resolve_all(&roots).await;
        let plugins: Vec<_> = resolved
            .iter()
            .map(|it| it.as_ref().unwrap().as_ref().unwrap())
            .collect();
        let loading = options(window, symlinks);
        let work = load_mcp_servers(&scene.environments, &plugins, &loading);
        scene.measure(work).await.1
    })
}

#[test]
fn mcp_files_cost_as_the_formula_says() {
    for files in [vec![], vec![0, 0], vec![1], vec![3, 0, 2], vec![40, 1]] {
        let total: usize = files.iter().sum();
        let with_files = files.iter().filter(|count| **count > 0).count();
        for (symlinks, knows_root, calls) in [
            (REFUSE, true, 2 * total),
            (REFUSE, false, 2 * total + with_files),
            (FOLLOW, true, total),
            (FOLLOW, false, total),
        ] {
            for window in [1_usize, 2, 8, 32] {
                let expected = Cost {
                    calls: calls as u64,
                    round_trips: calls.div_ceil(window) as u64,
                    peak: window.min(calls),
                };
                let cost = mcp_cost(&files, symlinks, window, knows_root);
                assert_eq!(cost, expected, "{files:?}, {symlinks:?}, window {window}");
            }
        }
    }
}

/// Paths are asked about in the order of the roots, a root's calls together.
#[test]
fn calls_are_sent_in_order() {
    use codex_file_system_testkit::Trace;

    let root = uri(ROOT);
    let files = [(".claude-plugin/plugin.json", "{}")];
    let trace = std::sync::Arc::new(Trace::new(memory_with(&root, &files)));
    let provider = ExecutorPluginProvider::new(environments(vec![("env-1", trace.clone())]));
    block_on(async { provider.resolve(&selected(&root)).await }).unwrap();
    let started: Vec<String> = trace
        .to_string()
        .lines()
        .filter(|line| line.contains("file:"))
        .map(|line| line.split_once(' ').unwrap().1.replace(ROOT, "ROOT"))
        .collect();
    assert_eq!(
        started,
        [
            "#1 GetMetadata ROOT",
            "#2 GetMetadata ROOT/.codex-plugin/plugin.json",
            "#3 GetMetadata ROOT/.claude-plugin/plugin.json",
            "#4 GetMetadata ROOT/.cursor-plugin/plugin.json",
            "#5 Canonicalize ROOT",
            "#6 Canonicalize ROOT/.claude-plugin/plugin.json",
            "#7 ReadFile ROOT/.claude-plugin/plugin.json",
        ]
    );
}
