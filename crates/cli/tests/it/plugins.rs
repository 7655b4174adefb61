//! `plugins`: what is shown of directories that may hold plugins, in every shape.

use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// A plugin that declares much and some of it badly, one that declares nothing, a directory without
/// a manifest, and one whose manifest is refused.
const PLUGINS: &str = r#"
/w/demo/.claude-plugin/plugin.json = {"name": "demo", "version": "1.2.0", "description": "Shows it.", "keywords": ["a"], "skills": ["./skills", "more"], "mcpServers": {"git": {"command": "git-mcp", "args": ["--stdio"], "env": {"A": "b"}, "cwd": "tools"}, "web": {"url": "http://x"}}, "hooks": {"Stop": []}, "interface": {"displayName": "The demo", "logo": "./assets/logo.svg"}}
/w/plain/.codex-plugin/plugin.json = {}
/w/plain/.mcp.json = {"mcpServers": {"db": {"command": "db-mcp"}}}
/w/alone/skills/
/w/broken/.codex-plugin/plugin.json = {"name": }
/w/odd/.codex-plugin/plugin.json = {"name": "../x", "apps": "./apps.json"}"#;

const ALL: [&str; 7] = [
    "plugins", "demo", "plain", "alone", "broken", "missing", "odd",
];

fn run(arguments: &[&str]) -> Ran {
    Sandbox::new(PLUGINS).run(&[&ALL[..], arguments].concat())
}

#[test]
fn the_table_shows_what_each_directory_is_and_declares() {
    assert_snapshot!("table", run(&["--format", "table", "--mcp"]).all());
}

#[test]
fn a_pipe_gets_rows_of_roots_components_and_servers() {
    assert_snapshot!("rows", run(&["--mcp"]).stdout);
}

#[test]
fn json_is_one_object_with_everything_that_was_found() {
    let sandbox = Sandbox::new(PLUGINS);
    let arguments = [
        "plugins", "demo", "alone", "missing", "--mcp", "--format", "json",
    ];
    assert_snapshot!("json", sandbox.run(&arguments).stdout);
}

#[test]
fn jsonl_has_one_line_per_directory_and_finding() {
    let lines = run(&["--format", "jsonl"]).stdout;
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let types: Vec<String> = lines
        .map(|line| line["type"].as_str().unwrap().to_owned())
        .collect();
    let expected = [&["plugins"][..], &["plugin"; 6], &["diagnostic"; 8]].concat();
    assert_eq!(types, expected);
}

#[test]
fn mcp_servers_are_read_on_request_only() {
    let json = |more: &[&str]| run(&[&["--format", "json"], more].concat()).json();
    assert_eq!(json(&[])["plugins"][1]["mcpServers"], Value::Null);
    let servers = &json(&["--mcp"])["plugins"][1]["mcpServers"];
    assert_eq!(servers[0]["command"], "db-mcp");
    assert_eq!(
        servers[0]["source"]["file"]["pathNative"],
        "/sandbox/w/plain/.mcp.json"
    );
}

#[test]
fn check_turns_what_is_dropped_or_refused_into_an_exit_code() {
    let sandbox = Sandbox::new(PLUGINS);
    let code = |root: &str| sandbox.run(&["plugins", root, "--check"]).code;
    let codes = ["plain", "alone", "demo", "broken", "missing"].map(code);
    assert_eq!(codes, [Some(0), Some(0), Some(1), Some(1), Some(2)]);
}

#[test]
fn no_configuration_is_read() {
    let sandbox = Sandbox::new("/home/config.toml = x = =%0A\n/w/p/");
    assert_eq!(
        sandbox.run(&["plugins", "p"]).clean(),
        "root\t/sandbox/w/p\tstandalone\t\t\t\n"
    );
}

#[test]
fn a_directory_that_is_not_there_is_a_usage_error() {
    let sandbox = Sandbox::new(PLUGINS);
    for roots in [
        &["missing"][..],
        &["demo/.claude-plugin/plugin.json"],
        &["missing", "nope"],
    ] {
        let ran = sandbox.run(&[&["plugins"], roots].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{roots:?}");
        assert!(
            ran.stderr.contains("name an existing directory"),
            "{}",
            ran.stderr
        );
    }
    // Beside one that is there it is a diagnostic.
    let ran = sandbox.run(&["plugins", "plain", "missing"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("[inspect_root]"), "{}", ran.stderr);
}

const INSTALLED: &str = r#"
/home/config.toml = [plugins."git@team"]%0Aenabled = true%0A[plugins."off@team"]%0Aenabled = false%0A[plugins."gone@team"]%0A
/home/plugins/cache/team/git/1.9.0/.codex-plugin/plugin.json = {"name": "old"}
/home/plugins/cache/team/git/1.10.0/.codex-plugin/plugin.json = {"name": "git", "version": "1.10.0"}
/home/plugins/cache/team/git/1.10.0/.mcp.json = {"mcpServers": {"git": {"command": "${PLUGIN_ROOT}/bin"}}}
/home/plugins/cache/team/git/1.10.0/skills/s/SKILL.md ="#;

#[test]
fn without_a_path_the_installed_plugins_are_listed() {
    let sandbox = Sandbox::new(INSTALLED);
    let ran = sandbox.run(&["plugins", "--mcp", "--format", "json"]);
    let found = ran.json();
    let plugin = &found["plugins"][0];
    assert_eq!(
        plugin["installed"],
        serde_json::json!({"id": "git@team", "version": "1.10.0"})
    );
    assert_eq!(plugin["namespace"], "git");
    assert_eq!(
        plugin["mcpServers"][0]["resolved"]["command"],
        "/sandbox/home/plugins/cache/team/git/1.10.0/bin"
    );
    assert_eq!(found["disabled"], serde_json::json!(["off@team"]));
    let codes: Vec<_> = found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["code"])
        .collect();
    assert_eq!(codes, ["plugin_not_installed"]);
    assert_snapshot!(
        "installed",
        sandbox.run(&["plugins", "--format", "table"]).all()
    );
    let nothing = Sandbox::new("/home/config.toml =").run(&["plugins", "--format", "table"]);
    assert!(
        nothing.stdout.starts_with("no plugin is enabled"),
        "{}",
        nothing.stdout
    );
}

#[test]
fn servers_of_one_name_are_both_shown_under_longer_names() {
    let sandbox = Sandbox::new(
        "/w/a/.codex-plugin/plugin.json = {}\n/w/a/.mcp.json = {\"git\": {\"command\": \"x\"}}\n\
         /w/b/.codex-plugin/plugin.json = {}\n/w/b/.mcp.json = {\"git\": {\"command\": \"y\"}}",
    );
    let ran = sandbox.run(&["plugins", "a", "b", "--mcp"]);
    let servers: Vec<_> = ran
        .stdout
        .lines()
        .filter(|it| it.starts_with("server"))
        .collect();
    assert_eq!(
        servers,
        [
            "server\t/sandbox/w/a\ta:git\tx\t/sandbox/w/a",
            "server\t/sandbox/w/b\tb:git\ty\t/sandbox/w/b"
        ]
    );
    assert_eq!(
        ran.stderr.matches("[mcp_name_shared]").count(),
        2,
        "{}",
        ran.stderr
    );
}

#[test]
fn what_is_no_plugin_although_it_looks_like_one_says_so() {
    let sandbox = Sandbox::new(
        "/w/a/plugin.json = {\"name\": \"a\"}\n/w/b/.claude-plugin/marketplace.json = {}\n/w/c/plugin.json = {\"$schema\": \"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json\", \"name\": \"c\"}",
    );
    let ran = sandbox.run(&["plugins", "a", "b", "c"]);
    assert!(
        ran.stderr.contains("the file is no manifest") && ran.stderr.contains("[not_a_manifest]"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("/w/b/.claude-plugin") && ran.stderr.contains("[manifest_missing]"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("root\t/sandbox/w/c\tplugin\tc\t"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_is_declared_and_not_there_is_told_and_only_what_is_there_is_shown() {
    let sandbox = Sandbox::new(
        "/w/p/.codex-plugin/plugin.json = {\"skills\": \"./gone\", \"interface\": {\"logo\": \"./l.svg\"}}\n/w/p/.mcp.json = {\"servers\": {\"a\": {\"command\": \"x\"}}}",
    );
    let ran = sandbox.run(&["plugins", "p", "--mcp"]);
    let components: Vec<_> = ran
        .stdout
        .lines()
        .filter(|it| it.starts_with("component"))
        .collect();
    assert_eq!(
        components.len(),
        2,
        "declared skills and `.mcp.json`: {components:?}"
    );
    assert_eq!(
        ran.stderr.matches("[component_missing]").count(),
        2,
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("expected `mcpServers`, found `servers`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_fifo_in_place_of_a_manifest_or_of_servers_is_told() {
    let sandbox = Sandbox::new(
        "/w/p/.claude-plugin/plugin.json = {}\n/w/p/.codex-plugin/plugin.json |\n/w/p/.mcp.json |",
    );
    let ran = sandbox.run(&["plugins", "p", "--mcp", "--check"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("[manifest_not_regular]"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("[mcp_config_unreadable]"),
        "{}",
        ran.stderr
    );
}
