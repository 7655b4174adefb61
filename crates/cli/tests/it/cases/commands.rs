//! Cases of the command itself: a tree, arguments, and the answer.
//!
//! How a case is read stands in the file, under `format`.

use serde_json::{Map, Value, json};

use super::{Comparison, cases, entries, items, text, whole};
use crate::sandbox::{Ran, Sandbox};

const CASES: &str = include_str!("../../data/commands.json");

#[test]
fn every_command_answers_as_expected() {
    let mut comparison = Comparison::default();
    for case in cases(CASES) {
        let tree: Vec<&str> = items(&case["tree"]).map(text).collect();
        let sandbox = Sandbox::new(&tree.join("\n"));
        for (path, content) in entries(&case["files"]) {
            sandbox.write(path, text(&whole(content)));
        }
        let ran = run(&sandbox, &case);
        let expected: Map<String, Value> = entries(&case)
            .filter(|(key, _)| ANSWER.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let found = expected.iter().map(|(key, expected)| {
            let found = answer(&ran, key, expected);
            (key.clone(), found)
        });
        let found: Map<String, Value> = found.collect();
        comparison.compare(text(&case["name"]), &json!(expected), &json!(found));
        comparison.ran += 1;
    }
    comparison.end(148);
}

/// What of a case is told by the run.
const ANSWER: [&str; 6] = ["code", "stdout", "rows", "json", "findings", "says"];

fn run(sandbox: &Sandbox, case: &Value) -> Ran {
    let root = sandbox.path("");
    let root = root.to_str().unwrap().trim_end_matches('/');
    let arguments = items(&case["run"]).map(|it| text(it).replace("{SANDBOX}", root));
    let arguments: Vec<String> = arguments.collect();
    // The sandbox's own options stand before the `--` that ends options.
    let end = arguments.iter().position(|it| it == "--");
    let (options, others) = arguments.split_at(end.unwrap_or(arguments.len()));
    let mut command = if case["bare"] == json!(true) {
        sandbox.bare_command()
    } else {
        sandbox.command(options)
    };
    if case["bare"] == json!(true) {
        command.args(options).env("HOME", sandbox.path("/user"));
    }
    sandbox.finish(command.args(others))
}

/// What the run says under this key, as far as `expected` speaks of it.
fn answer(ran: &Ran, key: &str, expected: &Value) -> Value {
    let shown = |value: &Value| text(value).replace("{SANDBOX}", "/sandbox");
    match key {
        "code" => json!(ran.code),
        "stdout" => json!(ran.stdout),
        "rows" => {
            let is_there = |row: &&Value| ran.stdout.lines().any(|line| line == text(row));
            items(expected).filter(is_there).cloned().collect()
        }
        "json" => {
            let document = ran.json();
            let at = |pointer: &String| document.pointer(pointer).cloned().unwrap_or_default();
            let found = entries(expected).map(|(pointer, _)| (pointer.clone(), at(pointer)));
            found.collect::<Map<String, Value>>().into()
        }
        "findings" => ran.stderr.lines().filter_map(code).collect(),
        "says" => {
            let is_said = |said: &&Value| ran.stderr.contains(&shown(said));
            items(expected).filter(is_said).cloned().collect()
        }
        other => panic!("unknown key {other}"),
    }
}

/// The code at the end of a line that tells a finding.
fn code(line: &str) -> Option<&str> {
    let (_, code) = line.strip_suffix(']')?.rsplit_once(" [")?;
    Some(code).filter(|code| !code.contains(' '))
}
