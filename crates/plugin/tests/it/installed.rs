//! Installed plugins: which version counts, and what is told of the others.

use codex_file_system::{Lookahead, Window};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_plugin::{InstalledPlugins, PluginEntry, PluginOptions, find_installed_plugins_with};
use pretty_assertions::assert_eq;

use crate::support::{block_on, codes, env, uri};

fn find(tree: &str, entries: &[(&str, bool)]) -> InstalledPlugins {
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap();
    let entries = entries.iter().map(|(id, enabled)| PluginEntry {
        id: (*id).to_owned(),
        enabled: *enabled,
    });
    let entries: Vec<_> = entries.collect();
    let (id, home, options) = (env("local"), uri("file:///home"), PluginOptions::default());
    let lookahead = Lookahead::new(&fs, Window::default());
    let find = find_installed_plugins_with(&lookahead, &id, &home, &entries, &options);
    block_on(lookahead.drive(find))
}

/// The version that is chosen of these.
fn chosen(versions: &[&str]) -> Option<String> {
    let tree: String = versions
        .iter()
        .map(|it| format!("/home/plugins/cache/m/p/{it}/.codex-plugin/plugin.json = {{}}\n"))
        .collect();
    let found = find(&tree, &[("p@m", true)]);
    found.plugins.into_iter().next().map(|it| it.version)
}

/// As the published CLI 0.171.0 chooses.
#[test]
fn the_greatest_version_counts_and_local_before_all() {
    for (versions, expected) in [
        (&["1.0.0", "1.10.0", "1.9.0"][..], "1.10.0"),
        (&["1.0.0", "1.0.0-beta"], "1.0.0"),
        (&["1.0.0-alpha.9", "1.0.0-alpha.10"], "1.0.0-alpha.10"),
        (&["1.0.0+b1", "1.0.0+b2"], "1.0.0+b2"),
        (&["1.0.0", "local"], "local"),
        (&["zzz", "local"], "local"),
        (&["1.0.0", "LOCAL"], "LOCAL"),
        (&["10", "9.0.0"], "9.0.0"),
        (&["1.0.0", "v2.0.0"], "v2.0.0"),
        (&["1.0", "1.0.0"], "1.0.0"),
        (&["abc", "1.0.0", "10.0.0"], "abc"),
        (&[".git", "1.0.0"], "1.0.0"),
        (&["zz%20zz", "1.0.0"], "1.0.0"),
    ] {
        assert_eq!(chosen(versions).as_deref(), Some(expected), "{versions:?}");
    }
    assert_eq!(chosen(&["has%20space"]), None);
}

#[test]
fn only_real_directories_are_versions() {
    let found = find(
        "/home/plugins/cache/m/p/1.0.0 -> /real\n/real/.codex-plugin/plugin.json = {}\n\
         /home/plugins/cache/m/q/2.0.0 = a file",
        &[("p@m", true), ("q@m", true)],
    );
    assert_eq!(found.plugins, []);
    assert_eq!(
        codes(&found.diagnostics),
        [
            ("plugin_not_installed", "p@m"),
            ("plugin_not_installed", "q@m")
        ]
    );
}

#[test]
fn missing_and_broken_plugins_are_told_and_disabled_ones_are_not_asked_about() {
    let found = find(
        "/home/plugins/cache/m/good/1.0.0/.claude-plugin/plugin.json = {\"name\":\"other\"}\n\
         /home/plugins/cache/m/good/1.0.0/skills/s/SKILL.md =\n\
         /home/plugins/cache/m/none/1.0.0/skills/\n\
         /home/plugins/cache/m/broken/1.0.0/.codex-plugin/plugin.json = {oops\n\
         /home/plugins/cache/m/file = x",
        &[
            ("good@m", true),
            ("off@m", false),
            ("gone@m", true),
            ("none@m", true),
            ("broken@m", true),
            ("file@m", true),
            ("noat", true),
            ("bad name", false),
        ],
    );
    assert_eq!(found.plugins.len(), 1);
    assert_eq!(found.disabled.len(), 1);
    let good = &found.plugins[0];
    assert_eq!(
        (good.id.as_key(), good.plugin.selected_root_id()),
        ("good@m", "good@m")
    );
    let roots = good.skill_roots();
    assert_eq!(
        roots[0].path,
        uri("file:///home/plugins/cache/m/good/1.0.0/skills")
    );
    assert_eq!(
        (roots[0].namespace.namespace(), &roots[0].root_id),
        ("other", &None)
    );
    assert_eq!(
        codes(&found.diagnostics),
        [
            ("plugin_not_installed", "gone@m"),
            ("plugin_manifest_missing", "none@m"),
            ("plugin_broken", "broken@m"),
            ("plugin_not_installed", "file@m"),
            ("plugin_id_invalid", "noat"),
        ]
    );
    assert_eq!(
        found.diagnostics[0].to_string(),
        "`gone@m`: the plugin is enabled and not installed: file:///home/plugins/cache/m/gone \
         in environment `local`"
    );
    assert!(
        found.diagnostics[0]
            .advice()
            .unwrap()
            .contains("codex plugin add gone@m")
    );
}
