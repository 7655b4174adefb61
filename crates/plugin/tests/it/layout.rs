//! What looking at a root tells beside its manifest: entries that are missing or are something else.

use codex_file_system::{Lookahead, Window};
use codex_file_system_testkit::MemoryFileSystem;
use codex_plugin::{
    PluginOptions, PluginResourceLocator, ResolvedPlugin, ResolvedRoot, resolve_one_with,
};
use pretty_assertions::assert_eq;

use crate::support::{Scene, block_on, codes, env, memory_with, selected, uri};

const ROOT: &str = "file:///plugins/p";
const CODEX: &str = ".codex-plugin/plugin.json";

fn look_at(fs: &MemoryFileSystem) -> ResolvedRoot {
    let (root, options) = (selected(&uri(ROOT)), PluginOptions::default());
    let lookahead = Lookahead::new(fs, Window::default());
    let resolve = resolve_one_with(&lookahead, &root, &options);
    block_on(lookahead.drive(resolve)).unwrap()
}

/// Codes of the diagnostics, and their paths below the root.
fn told(root: &ResolvedRoot) -> Vec<(&'static str, String)> {
    let told = root.diagnostics.iter().map(|it| {
        let path = it.path().unwrap().relative_path_from(&uri(ROOT)).unwrap();
        (it.code(), path)
    });
    told.collect()
}

fn told_of(files: &[(&str, &str)], more: &str) -> (bool, Vec<(&'static str, String)>) {
    let memory = memory_with(&uri(ROOT), files);
    memory.add_tree(more).unwrap();
    let found = look_at(&memory);
    (found.plugin.is_some(), told(&found))
}

fn one(code: &'static str, path: &str) -> Vec<(&'static str, String)> {
    vec![(code, path.to_owned())]
}

#[test]
fn declared_components_that_are_not_there_are_told_by_the_listing() {
    let text = r#"{"skills":["./skills","./gone"],"hooks":"./hooks.json","apps":"./apps/a.json",
        "mcpServers":"./m.json","interface":{"logo":"./assets/logo.svg","screenshots":["./skills/x.png"]}}"#;
    let memory = memory_with(&uri(ROOT), &[(CODEX, text), ("skills/a/SKILL.md", "")]);
    let found = look_at(&memory);
    let fields: Vec<_> = codes(&found.diagnostics);
    assert_eq!(
        fields,
        [
            ("component_missing", "skills[1]"),
            ("component_missing", "hooks[0]"),
            ("component_missing", "apps"),
            ("component_missing", "interface.logo"),
        ],
        "files of MCP servers are told of when they are read"
    );
    assert_eq!(
        found.diagnostics[0].to_string(),
        "`skills[1]`: what is declared is not there: file:///plugins/p/gone in environment `env-1`"
    );
    assert_eq!(found.plugin.unwrap().diagnostics(), []);
}

#[test]
fn default_places_are_known_to_be_missing_and_are_not_told() {
    let memory = memory_with(&uri(ROOT), &[(CODEX, "{}"), ("skills/a/SKILL.md", "")]);
    let found = look_at(&memory);
    assert_eq!(found.diagnostics, []);
    let plugin = found.plugin.unwrap();
    let at = |path: &str| PluginResourceLocator::new(env("env-1"), uri(ROOT).join(path).unwrap());
    assert!(!plugin.is_missing(&at("skills")));
    assert!(plugin.is_missing(&at(".mcp.json")));
    assert!(plugin.is_missing(&at("hooks/hooks.json")));
    assert_eq!(plugin.skill_roots().len(), 1);
    let bare = look_at(&memory_with(&uri(ROOT), &[(CODEX, "{}")]));
    assert_eq!(bare.plugin.unwrap().skill_roots(), []);
}

#[test]
fn something_else_in_the_place_of_a_manifest_is_told() {
    let claude = (".claude-plugin/plugin.json", "{}");
    let place = ".codex-plugin/plugin.json";
    let fifo = told_of(&[claude], "/plugins/p/.codex-plugin/plugin.json |");
    assert_eq!(fifo, (true, one("manifest_not_regular", place)));
    let directory = told_of(&[claude], "/plugins/p/.codex-plugin/plugin.json/");
    assert_eq!(directory, (true, one("manifest_not_regular", place)));
    let link = told_of(&[claude], "/plugins/p/.codex-plugin/plugin.json -> nowhere");
    assert_eq!(link, (true, one("broken_link", place)));
    let own = told_of(&[claude], "/plugins/p/plugin.json/");
    assert_eq!(own, (true, one("manifest_not_regular", "plugin.json")));
}

#[test]
fn links_without_a_target_are_told() {
    let (_, told) = told_of(
        &[(CODEX, r#"{"apps":"./apps"}"#)],
        "/plugins/p/.claude-plugin -> nowhere\n/plugins/p/.mcp.json -> gone\n/plugins/p/apps -> gone",
    );
    let expected = [("broken_link", "apps"), ("broken_link", ".mcp.json")];
    assert_eq!(told, expected.map(|(code, path)| (code, path.to_owned())));
    // A location behind the manifest is not looked at.
    let (found, told) = told_of(&[], "/plugins/p/.claude-plugin -> nowhere");
    assert_eq!((found, told), (false, one("broken_link", ".claude-plugin")));
}

#[test]
fn what_looks_like_a_plugin_and_is_none_says_so() {
    let (found, told) = told_of(&[("plugin.json", r#"{"name":"p"}"#)], "");
    assert_eq!((found, told), (false, one("not_a_manifest", "plugin.json")));
    let (found, told) = told_of(&[(".claude-plugin/marketplace.json", "{}")], "");
    assert_eq!(
        (found, told),
        (false, one("manifest_missing", ".claude-plugin"))
    );
    // Beside a manifest neither matters.
    let (found, told) = told_of(
        &[
            ("plugin.json", "{}"),
            (".claude-plugin/x", ""),
            (".cursor-plugin/plugin.json", "{}"),
        ],
        "",
    );
    assert_eq!((found, told), (true, vec![]));
}

#[test]
fn a_root_that_cannot_be_listed_is_asked_about_place_by_place() {
    use codex_file_system::Operation;
    use codex_file_system_testkit::{Fault, Faulty};

    let memory = memory_with(
        &uri(ROOT),
        &[(".cursor-plugin/plugin.json", r#"{"apps":"./a"}"#)],
    );
    let denied = Fault::error(std::io::ErrorKind::PermissionDenied).of(Operation::ReadDirectory);
    let plugin = Scene::new(Faulty::new(memory).on(denied)).resolve(&uri(ROOT));
    assert!(plugin.unwrap().is_some());
}

#[test]
fn a_plugin_survives_serialization_and_its_locators_stay_below_the_root() {
    let text = r#"{"name":"demo","skills":["./skills","./gone"],"mcpServers":{"a":{"command":"x"}},
        "interface":{"logo":"./l.svg"},"keywords":"x"}"#
        .replace(",\"keywords\":\"x\"", "");
    let memory = memory_with(&uri(ROOT), &[(CODEX, &text), ("skills/a/SKILL.md", "")]);
    let plugin = look_at(&memory).plugin.unwrap();
    let saved = serde_json::to_string(&plugin).unwrap();
    let resumed: ResolvedPlugin = serde_json::from_str(&saved).unwrap();
    assert_eq!(resumed, plugin);
    assert_eq!(resumed.skill_roots(), plugin.skill_roots());
    let forged = saved.replace("file:///plugins/p/l.svg", "file:///etc/l.svg");
    let refused = serde_json::from_str::<ResolvedPlugin>(&forged).unwrap_err();
    assert!(refused.to_string().contains("outside root"), "{refused}");
}

#[test]
fn diagnostics_of_a_manifest_are_told_once_and_not_saved() {
    let memory = memory_with(&uri(ROOT), &[(CODEX, r#"{"skills":"bad"}"#)]);
    let plugin = look_at(&memory).plugin.unwrap();
    assert_eq!(plugin.diagnostics().len(), 1);
    let saved = serde_json::to_string(&plugin).unwrap();
    let resumed: ResolvedPlugin = serde_json::from_str(&saved).unwrap();
    assert_eq!(resumed.diagnostics(), []);
}
