//! What discovery costs, by equality: calls, round trips, most in flight.

use codex_file_system::wrap::{Calls, Counting};
use codex_file_system::{Lookahead, ReadCall, Window};
use codex_plugin::mcp::load_mcp_servers;
use codex_plugin::{
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, ExecutorPluginProvider, MAX_MANIFEST_BYTES,
    ManifestDirectories, PluginEntry, PluginOptions, PluginProvider, SelectedCapabilityRoot,
    SymlinkPolicy, find_installed_plugins_with, find_plugin_manifest, read_plugin_namespace,
    resolve_one_with,
};
use pretty_assertions::assert_eq;

use crate::support::{Cost, Scene, block_on, env, environments, memory_with, selected, uri};

const ROOT: &str = "file:///plugins/p";
const AGENT_PLUGINS: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

fn options(window: usize, symlinks: SymlinkPolicy) -> PluginOptions {
    PluginOptions {
        window: Window::new(window).unwrap(),
        symlinks,
        ..PluginOptions::default()
    }
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
const CODEX: &str = DISCOVERABLE_PLUGIN_MANIFEST_PATHS[0];
const CLAUDE: &str = DISCOVERABLE_PLUGIN_MANIFEST_PATHS[1];

#[test]
fn a_plugin_costs_two_trips_wherever_its_manifest_is() {
    for location in DISCOVERABLE_PLUGIN_MANIFEST_PATHS {
        let files = [(location, "{}")];
        for window in [4, 5, 8, 32, 64, 256] {
            let refuse = cost(ROOT, &files, options(window, REFUSE));
            assert_eq!(calls_and_trips(refuse), (6, 2), "{location} {window}");
            let follow = cost(ROOT, &files, options(window, FOLLOW));
            assert_eq!(calls_and_trips(follow), (4, 2), "{location} {window}");
        }
        // The serial algorithm needs the same calls.
        let serial = |symlinks| calls_and_trips(cost(ROOT, &files, options(1, symlinks)));
        assert_eq!((serial(REFUSE), serial(FOLLOW)), ((6, 6), (4, 4)));
    }
}

#[test]
fn a_second_directory_of_manifests_costs_one_call() {
    let files = [(CODEX, "{}"), (CLAUDE, "{}")];
    assert_eq!(
        calls_and_trips(cost(ROOT, &files, options(64, REFUSE))),
        (7, 2)
    );
    assert_eq!(
        calls_and_trips(cost(ROOT, &files, options(1, REFUSE))),
        (6, 6)
    );
    // The first one holds no manifest: the one of the second is read a trip later.
    let files = [(".codex-plugin/x", ""), (CLAUDE, "{}")];
    assert_eq!(
        calls_and_trips(cost(ROOT, &files, options(64, REFUSE))),
        (9, 3)
    );
    assert_eq!(
        calls_and_trips(cost(ROOT, &files, options(1, REFUSE))),
        (7, 7)
    );
}

#[test]
fn a_directory_without_a_manifest_costs_one_trip() {
    for files in [vec![], vec![("skills/a/SKILL.md", "")]] {
        assert_eq!(
            calls_and_trips(cost(ROOT, &files, options(64, REFUSE))),
            (3, 1)
        );
        assert_eq!(
            calls_and_trips(cost(ROOT, &files, options(64, FOLLOW))),
            (2, 1)
        );
        assert_eq!(
            calls_and_trips(cost(ROOT, &files, options(1, REFUSE))),
            (2, 2)
        );
    }
}

#[test]
fn a_root_that_is_missing_or_a_file_costs_one_trip() {
    for root in ["file:///plugins/missing", "file:///plugins/p/file"] {
        let cost = |options| cost(root, &[("file", "x")], options);
        assert_eq!(calls_and_trips(cost(options(64, REFUSE))), (3, 1));
        assert_eq!(calls_and_trips(cost(options(64, FOLLOW))), (2, 1));
        assert_eq!(calls_and_trips(cost(options(1, REFUSE))), (1, 1));
    }
}

#[test]
fn a_manifest_that_is_too_large_by_its_metadata_is_not_read_by_a_serial_caller() {
    let text = " ".repeat(1024 * 1024 - 1) + "{}";
    for location in DISCOVERABLE_PLUGIN_MANIFEST_PATHS {
        let files = [(location, text.as_str())];
        assert_eq!(
            calls_and_trips(cost(ROOT, &files, options(1, REFUSE))),
            (3, 3)
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
    assert_eq!((cost.calls, cost.round_trips, cost.peak), (0, 0, 0));
}

#[test]
fn agent_plugins_cost_two_trips_with_and_without_an_overlay() {
    let own = format!("{{\"$schema\":\"{AGENT_PLUGINS}\",\"name\":\"p\"}}");
    let alone = [("plugin.json", own.as_str())];
    for symlinks in [REFUSE, FOLLOW] {
        assert_eq!(
            calls_and_trips(cost(ROOT, &alone, options(64, symlinks))),
            (6, 2)
        );
        let overlaid = [("plugin.json", own.as_str()), (CODEX, "{}")];
        assert_eq!(
            calls_and_trips(cost(ROOT, &overlaid, options(64, symlinks))),
            (9, 2)
        );
    }
    // Another `plugin.json` is read to know that it is none.
    let other = [("plugin.json", "{}")];
    assert_eq!(
        calls_and_trips(cost(ROOT, &other, options(64, REFUSE))),
        (6, 2)
    );
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
fn many_roots_cost_no_more_than_two_full_trips() {
    for (plugins, others) in [(0, 0), (1, 0), (0, 3), (4, 1), (10, 0), (7, 9), (33, 0)] {
        let (scene, roots) = roots_in_memory(plugins, others);
        for (symlinks, first, second) in [(REFUSE, 3, 3), (FOLLOW, 2, 2)] {
            for window in [5_usize, 7, 8, 16, 32, 64, 256] {
                let provider = scene.provider(options(window, symlinks));
                let work = provider.resolve_all(&roots);
                let (results, cost) = block_on(async { scene.measure(work).await });
                let found = results
                    .iter()
                    .filter(|it| matches!(it, Ok(Some(_))))
                    .count();
                assert_eq!((results.len(), found), (plugins + others, plugins));
                let (first, second) = (first * (plugins + others), second * plugins);
                let bound = first.div_ceil(window) + second.div_ceil(window);
                let case = format!("{plugins}+{others}, {symlinks:?}, window {window}: {cost:?}");
                // The canonical path of a last root without a manifest may not be asked for any more.
                assert!(cost.calls <= (first + second) as u64, "{case}");
                assert!(cost.round_trips <= bound as u64, "{case}, bound {bound}");
                assert!(cost.peak <= window, "{case}");
            }
        }
    }
}

#[test]
fn a_window_of_one_never_speculates_over_many_roots() {
    let (scene, roots) = roots_in_memory(3, 2);
    let provider = scene.provider(options(1, REFUSE));
    let (_, cost) = block_on(async { scene.measure(provider.resolve_all(&roots)).await });
    let serial = 3 * 6 + 2 * 2;
    assert_eq!(
        (cost.calls, cost.round_trips, cost.peak),
        (serial, serial, 1)
    );
}

#[test]
fn counts_by_kind_do_not_depend_on_latency() {
    let root = uri(ROOT);
    let fs = std::sync::Arc::new(Counting::new(memory_with(&root, &[(CODEX, "{}")])));
    let environments = environments(vec![("env-1", fs.clone())]);
    for window in [32, 1] {
        fs.reset();
        let provider =
            ExecutorPluginProvider::new(environments.clone()).with_options(options(window, REFUSE));
        block_on(async { provider.resolve(&selected(&root)).await })
            .unwrap()
            .unwrap();
        let calls = Calls {
            get_metadata: 2,
            read_directory: 1,
            canonicalize: 2,
            read_file_prefix: 1,
            ..Calls::default()
        };
        assert_eq!(fs.calls(), calls);
    }
}

/// An installed plugin: its versions, then what a root costs.
#[test]
fn installed_plugins_cost_three_trips_and_one_listing_each() {
    let home = uri("file:///home");
    let fs = memory_with(&home, &[]);
    let mut entries = Vec::new();
    for index in 0..10 {
        let manifest = format!("/home/plugins/cache/m/p{index}/1.0.0/{CODEX} = {{}}");
        fs.add_tree(&manifest).unwrap();
        entries.push(PluginEntry {
            id: format!("p{index}@m"),
            enabled: index != 0,
        });
    }
    let scene = Scene::new(fs);
    let (id, options) = (env("env-1"), PluginOptions::default());
    let (found, cost) = block_on(async {
        let lookahead = Lookahead::new(scene.fs.as_ref(), Window::default());
        let find = find_installed_plugins_with(&lookahead, &id, &home, &entries, &options);
        scene.measure(lookahead.drive(find)).await
    });
    assert_eq!((found.plugins.len(), found.disabled.len()), (9, 1));
    assert_eq!((cost.calls, cost.round_trips), (9 * 7, 3));
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

/// The calls of a root, in the order of their start.
#[test]
fn calls_are_sent_in_order() {
    let root = uri(ROOT);
    let fs = memory_with(&root, &[(CLAUDE, "{}")]);
    let lookahead = Lookahead::new(&fs, Window::default());
    let (selected, options) = (selected(&root), PluginOptions::default());
    let resolve = resolve_one_with(&lookahead, &selected, &options);
    block_on(lookahead.drive(resolve)).unwrap();
    let plan = lookahead.plan();
    let calls: Vec<_> = plan.iter().map(|it| it.call.clone()).collect();
    let manifest = root.join(CLAUDE).unwrap();
    assert_eq!(
        calls,
        [
            ReadCall::metadata(&root),
            ReadCall::listing(&root),
            ReadCall::metadata(&manifest),
            ReadCall::canonical(&root),
            ReadCall::canonical(&manifest),
            ReadCall::beginning(&manifest, MAX_MANIFEST_BYTES as u64 + 1),
        ]
    );
    assert_eq!(lookahead.calls_used().len(), 6, "nothing is asked in vain");
}
