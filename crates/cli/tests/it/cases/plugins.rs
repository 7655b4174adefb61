//! The cases of `codex-plugin`: what a directory is, what it declares, which servers it registers.
//!
//! Faults of a filesystem, other policies than the usual ones and machines that are no POSIX ones
//! cannot be asked for here.

use std::path::PathBuf;

use codex_path_uri::PathUri;
use serde_json::{Map, Value, json};

use super::{Comparison, cases, decode_base64, entries, items, number, parsed, said, text, whole};
use crate::sandbox::{Ran, Sandbox};

const CASES: &str = codex_file_system_testkit::cases::PLUGIN.text;

/// The directory of the roots, as the cases spell it and as outputs show it.
const PLUGINS: &str = "/plugins";
const SHOWN: &str = "/sandbox/plugins";

#[test]
fn every_root_is_resolved_as_expected() {
    let mut comparison = Comparison::default();
    for case in cases(CASES) {
        if !["resolve", "namespace"].contains(&text(&case["kind"])) {
            continue;
        }
        if let Some(tree) = Tree::new(&case) {
            let ran = tree.run(&[]);
            let mut found = with_cost(resolved(&ran.json()), &ran);
            if case["kind"] == "namespace" {
                // The directory's listing has told which locations to ask; here nothing has.
                found["calls"] = case["expect"]["calls"].clone();
            }
            compare(&mut comparison, &case, &found);
        }
    }
    comparison.end(123);
}

#[test]
fn every_registration_of_servers_is_as_expected() {
    let mut comparison = Comparison::default();
    for case in cases(CASES) {
        if case["kind"] == "mcp"
            && let Some(tree) = Tree::new(&case)
        {
            let ran = tree.run(&["--mcp"]);
            let mut found = with_cost(servers(&ran.json()), &ran);
            // What the plugin itself costs, which the case leaves out.
            let first = with_cost(json!({}), &tree.run(&[]));
            for key in ["calls", "round_trips"] {
                found[key] = json!(number(&found[key]) - number(&first[key]));
            }
            compare(&mut comparison, &case, &found);
        }
    }
    comparison.end(16);
}

#[test]
fn several_roots_keep_their_order() {
    let mut comparison = Comparison::default();
    for case in cases(CASES) {
        let layout = &case["layout"];
        if case["kind"] == "resolve_all"
            && layout["unknown_environment"] == json!(0)
            && case["options"]["symlinks"] != "follow"
        {
            let sandbox = Sandbox::new("");
            let mut roots = Vec::new();
            for (prefix, key) in [("p", "plugins"), ("n", "none")] {
                for index in 0..number(&layout[key]) {
                    let root = format!("{prefix}{index}");
                    sandbox.write(&format!("/w/{root}/a"), "");
                    if key == "plugins" {
                        sandbox.write(&format!("/w/{root}/.codex-plugin/plugin.json"), "{}");
                    }
                    roots.push(root);
                }
            }
            let mut command = sandbox.command(&["plugins", "--format", "json", "--stats"]);
            let window = case["options"]["window"].to_string();
            let ran = sandbox.finish(command.args(["--window", &window]).args(roots));
            let outcomes: Value = items(&ran.json()["plugins"]).map(outcome).collect();
            let found = with_cost(json!({ "outcomes": outcomes }), &ran);
            compare(&mut comparison, &case, &found);
        }
    }
    comparison.end(3);
}

/// Compares what the case speaks of.
fn compare(comparison: &mut Comparison, case: &Value, found: &Value) {
    let shown = case["expect"]
        .to_string()
        .replace(&format!("file://{PLUGINS}"), &format!("file://{SHOWN}"));
    let expected = parsed(&shown);
    let expected = entries(&expected).map(|(key, value)| (key.clone(), whole(value)));
    let expected: Map<String, Value> = expected.collect();
    let found: Map<String, Value> = expected
        .iter()
        .map(|(key, expected)| (key.clone(), part(&found[key], expected)))
        .collect();
    comparison.compare(text(&case["name"]), &json!(expected), &json!(found));
    comparison.ran += 1;
}

/// What of an error the case speaks of; everything else is compared as a whole.
fn part(found: &Value, expected: &Value) -> Value {
    match expected.as_object() {
        Some(expected) if expected.contains_key("variant") => {
            let keys = expected.keys();
            keys.map(|key| (key.clone(), found[key].clone())).collect()
        }
        _ => found.clone(),
    }
}

/// The tree of a case on disk.
struct Tree<'a> {
    case: &'a Value,
    sandbox: Sandbox,
    root: PathBuf,
}

impl<'a> Tree<'a> {
    /// Nothing for a case that a person cannot bring about here.
    fn new(case: &'a Value) -> Option<Self> {
        let is_possible =
            |(key, _): (&String, &Value)| ["window", "agent_plugins_root"].contains(&key.as_str());
        // The command always looks at a `plugin.json` in the root.
        let has_root_manifest = !case["files"]["plugin.json"].is_null();
        let is_looked_at = case["options"]["agent_plugins_root"] == json!(true);
        // Its fixed places are shown as defaults, which the cases call declared.
        let has_fixed_places = is_looked_at && case["expect"]["outcome"] == "some";
        if !case["faults"].is_null()
            || !case["environment"].is_null()
            || !entries(&case["options"]).all(is_possible)
            || has_root_manifest != is_looked_at
            || has_fixed_places
            || !asks_for_all(case)
        {
            return None;
        }
        let root = PathUri::parse(text(&case["root"])).unwrap();
        let root = root.inferred_native_path_string();
        let below = root.strip_prefix(PLUGINS)?;
        let sandbox = Sandbox::new("");
        let root = sandbox.path(&format!("plugins{below}"));
        std::fs::create_dir_all(&root).unwrap();
        let tree = Self {
            case,
            sandbox,
            root,
        };
        for (path, file) in entries(&case["files"]) {
            tree.create(path, file);
        }
        Some(tree)
    }

    fn create(&self, path: &str, file: &Value) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if let Some(text) = file.as_str() {
            std::fs::write(path, self.moved(text)).unwrap();
        } else if let Some(bytes) = file["b64"].as_str() {
            std::fs::write(path, decode_base64(bytes)).unwrap();
        } else if let Some(target) = file["symlink"].as_str() {
            std::os::unix::fs::symlink(target, path).unwrap();
        } else if file["dir"] == json!(true) {
            std::fs::create_dir_all(path).unwrap();
        } else {
            std::fs::write(path, text(&whole(file))).unwrap();
        }
    }

    /// A text that names its own place, at its real one.
    fn moved(&self, text: &str) -> String {
        let real = self.sandbox.path(PLUGINS);
        let real = real.to_str().unwrap();
        ["\"", "file://"]
            .iter()
            .fold(text.to_owned(), |text, before| {
                let there = format!("{before}{PLUGINS}");
                text.replace(&there, &format!("{before}{real}"))
            })
    }

    fn run(&self, more: &[&str]) -> Ran {
        let arguments = ["plugins", "--format", "json", "--stats"];
        let mut command = self.sandbox.command(&arguments);
        command.arg(&self.root).args(more);
        if let Some(window) = self.case["options"]["window"].as_u64() {
            command.args(["--window", &window.to_string()]);
        }
        self.sandbox.finish(&mut command)
    }
}

/// Whether every location is asked that the tree has.
fn asks_for_all(case: &Value) -> bool {
    let Some(present) = case["present"].as_array() else {
        return true;
    };
    let files = entries(&case["files"]);
    let mut locations = files.filter_map(|(path, _)| path.split('/').next());
    locations.all(|it| !it.ends_with("-plugin") || present.contains(&json!(it)))
}

fn outcome(plugin: &Value) -> Value {
    json!(match plugin["kind"].as_str() {
        Some("plugin") => "some",
        Some("standalone") => "none",
        _ => "err",
    })
}

/// The same with what `--stats` tells, which is exact.
fn with_cost(mut view: Value, ran: &Ran) -> Value {
    let line = ran.stderr.lines().last().unwrap();
    for (key, unit) in [
        ("calls", " call"),
        ("max_in_flight", " in flight"),
        ("round_trips", " round trip"),
    ] {
        let before = line.split(unit).next().unwrap();
        let digits = before.rsplit(' ').next().unwrap();
        view[key] = json!(digits.parse::<usize>().unwrap());
    }
    view
}

/// The one root of a document in the shape of the cases.
fn resolved(found: &Value) -> Value {
    let plugin = &found["plugins"][0];
    let components = &plugin["components"];
    let mut view = json!({
        "outcome": outcome(plugin),
        "skills": match components["skills"]["isDeclared"] == json!(true) {
            true => components["skills"]["paths"].clone(),
            false => json!([]),
        },
        "mcp_servers": declaration(&components["mcpServers"]),
        "apps": declaration(&components["apps"])["files"][0],
        "hooks": declaration(&components["hooks"]),
        "interface": interface(&plugin["interface"]),
        "diagnostics": diagnostics(found, &plugin["manifest"]),
        "error": error(&found["diagnostics"][0]),
    });
    for key in [
        "manifest",
        "name",
        "version",
        "description",
        "keywords",
        "namespace",
    ] {
        view[key] = plugin[key].clone();
    }
    view
}

fn declaration(component: &Value) -> Value {
    if component["isDeclared"] != json!(true) {
        return Value::Null;
    }
    let inline = items(&component["inline"]).map(|it| parsed(text(it)));
    let inline: Vec<Value> = inline.collect();
    if inline.is_empty() {
        json!({ "files": component["paths"] })
    } else {
        json!({ "inline": inline })
    }
}

fn interface(found: &Value) -> Value {
    if found.is_null() {
        return Value::Null;
    }
    let mut said = said(found);
    said.retain(|key, _| !key.ends_with("Native"));
    json!(said)
}

/// The findings about one place.
fn diagnostics(found: &Value, place: &Value) -> Value {
    let found = items(&found["diagnostics"]).filter(|found| found["path"] == *place);
    let view = |found: &Value| json!({ "code": found["code"], "field": found["field"] });
    found.map(view).collect()
}

fn error(found: &Value) -> Value {
    let words = found["code"].as_str().unwrap_or_default().split('_');
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    json!({
        "variant": words.filter(|word| !word.is_empty()).map(capital).collect::<String>(),
        "io_kind": found["kind"],
        "problem": found["problem"],
        "field": found["field"],
        "line": found["line"],
        "column": found["column"],
    })
}

fn servers(found: &Value) -> Value {
    let plugin = &found["plugins"][0];
    let server = |it: &Value| {
        if it["transport"] == "http" {
            return json!({ "name": it["name"], "url": it["url"] });
        }
        let pairs = items(&it["env"]).map(|it| json!([it["name"], it["value"]]));
        json!({
            "name": it["name"],
            "command": it["command"],
            "args": it["args"],
            "env": pairs.collect::<Vec<_>>(),
            "env_vars": it["envVars"],
            "cwd": it["cwd"],
        })
    };
    json!({
        "servers": items(&plugin["mcpServers"]).map(server).collect::<Vec<_>>(),
        "diagnostics": diagnostics(found, &plugin["root"]),
    })
}
