//! Every case of how a server starts, through the command: what it announces, or that it refuses.

use std::process::Stdio;

use pretty_assertions::assert_eq;
use rustix::process::Signal;
use serde_json::Value;

use crate::sandbox::Sandbox;
use crate::server::Server;

const CASES: [&str; 2] = [
    codex_file_system_testkit::cases::EXEC_SERVER.text,
    include_str!("../../../exec-server/tests/data/exec-server-more.json"),
];
/// What the cases call files, and what is in them.
const FILES: [(&str, &str); 2] = [
    ("TOKEN_FILE", "right-token\n"),
    ("EIGHT_BYTE_FILE", "8 bytes!"),
];

#[test]
fn every_case_of_a_start_ends_as_expected() {
    let files = CASES.map(|file| serde_json::from_str::<Value>(file).unwrap());
    let cases = files
        .iter()
        .flat_map(|file| file["cases"].as_array().unwrap());
    let cases: Vec<&Value> = cases.filter(|case| case["group"] == "startup").collect();
    assert!(!cases.is_empty());
    let mut failures = Vec::new();
    for case in cases {
        let sandbox = Sandbox::new("");
        for (name, contents) in FILES {
            sandbox.write(&format!("/w/{name}"), contents);
        }
        let arguments = case["args"].as_array().unwrap().iter();
        let arguments: Vec<&str> = arguments
            .map(|argument| argument.as_str().unwrap())
            .collect();
        let found = if case["expect"]["exit"].is_number() {
            refusal(&sandbox, &arguments)
        } else {
            announcement(&sandbox, &arguments)
        };
        if !fits(&case["expect"], &found) {
            let (name, expected) = (&case["name"], &case["expect"]);
            failures.push(format!("{name}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert_eq!(failures, Vec::<String>::new());
}

/// How it ends that does not start. Whatever it says is for standard error.
fn refusal(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let mut command = sandbox.bare_command();
    let ran = sandbox.finish(command.arg("serve").args(arguments).stdin(Stdio::null()));
    assert_eq!(ran.stdout, "", "{arguments:?}");
    assert!(
        ran.stderr.starts_with("error: "),
        "{arguments:?}: {}",
        ran.stderr
    );
    serde_json::json!({"exit": ran.code})
}

/// What it announces. At a socket it serves until it is told to end, on stdio until its input ends.
fn announcement(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let server = Server::start(sandbox, arguments);
    let stdout = server.url.clone();
    let (status, said) = server.end(Signal::TERM);
    assert_eq!(status.code(), Some(0), "{arguments:?}: {said}");
    serde_json::json!({"stdout": stdout})
}

/// Whether every field is there as expected; `*` stands for any text.
fn fits(expected: &Value, found: &Value) -> bool {
    expected
        .as_object()
        .unwrap()
        .iter()
        .all(|(field, expected)| {
            let found = &found[field];
            match expected.as_str().and_then(|text| text.split_once('*')) {
                Some((start, end)) => found
                    .as_str()
                    .and_then(|found| found.strip_prefix(start))
                    .is_some_and(|rest| rest.ends_with(end) && !rest.is_empty()),
                None => expected == found,
            }
        })
}
