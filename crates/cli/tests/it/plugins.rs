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
    let expected = [&["plugins"][..], &["plugin"; 6], &["diagnostic"; 5]].concat();
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
    assert_eq!(codes, [Some(0), Some(0), Some(1), Some(1), Some(1)]);
}

#[test]
fn no_configuration_is_read() {
    let sandbox = Sandbox::new("/home/config.toml = x = =%0A\n/w/p/");
    assert_eq!(
        sandbox.run(&["plugins", "p"]).clean(),
        "root\t/sandbox/w/p\tstandalone\t\t\t\n"
    );
}
