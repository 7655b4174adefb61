//! Runs every case of `tests/data`, group by group.
//!
//! A group without a test here fails [`every_group_is_run`], so that no case is passed over.

#[cfg(unix)]
mod host;
mod issues;
mod joining;
mod lexical;
mod native;
mod parsing;

use std::collections::BTreeSet;

use codex_path_uri::{PathConvention, PathUri, PathUriError, Repair};
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};

/// The groups that some test of this module runs.
const GROUPS: [&str; 18] = [
    "absolute_path_buf",
    "containment",
    "from_abs_path_posix_host",
    "from_native",
    "home_relative_suffix",
    "infer_absolute",
    "join",
    "join_name",
    "join_native_bytes",
    "join_then_native",
    "navigate",
    "order",
    "parse",
    "parse_with_convention",
    "public_issues",
    "render",
    "serde",
    "to_abs_path_posix_host",
];

const FILES: [&str; 2] = [
    include_str!("../data/path-uri.json"),
    include_str!("../data/path-uri-more.json"),
];

fn all() -> Vec<Value> {
    FILES.into_iter().flat_map(cases_of).collect()
}

fn cases_of(file: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(file).expect("valid JSON");
    file["cases"].as_array().expect("a list of cases").clone()
}

/// The keys under which cases state what is expected; all others are inputs or notes.
const EXPECTATIONS: [&str; 5] = ["strict", "lenient", "expect", "uri", "round_trip"];

/// Calls `actual` on each case of a group and compares its answer with all that the case states.
fn run(group: &str, actual: impl Fn(&Value) -> Value) {
    let cases: Vec<Value> = all()
        .into_iter()
        .filter(|case| case["group"] == group)
        .collect();
    assert!(!cases.is_empty(), "no case in group {group}");
    for case in cases {
        let answer = actual(&case);
        let stated: Vec<&str> = EXPECTATIONS
            .into_iter()
            .filter(|key| case.get(key).is_some())
            .collect();
        assert!(!stated.is_empty(), "case {case} states nothing");
        let select = |from: &Value| -> Map<String, Value> {
            stated
                .iter()
                .map(|key| ((*key).to_owned(), from[key].clone()))
                .collect()
        };
        assert_eq!(select(&answer), select(&case), "case {case}");
    }
}

#[test]
fn every_group_is_run() {
    let found: BTreeSet<String> = all()
        .iter()
        .map(|case| text(case, "group").to_owned())
        .collect();
    let run: BTreeSet<String> = GROUPS.map(str::to_owned).into();
    assert_eq!(found, run);
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key]
        .as_str()
        .unwrap_or_else(|| panic!("case without {key}: {case}"))
}

fn bytes(case: &Value, key: &str) -> Vec<u8> {
    let hex = text(case, key);
    (0..hex.len() / 2)
        .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("hexadecimal digits"))
        .collect()
}

fn convention(case: &Value, key: &str) -> PathConvention {
    serde_json::from_value(case[key].clone()).expect("a convention")
}

fn convention_json(convention: Option<PathConvention>) -> Value {
    serde_json::to_value(convention).expect("a convention")
}

fn error(error: &PathUriError) -> Value {
    json!({ "error": error.code() })
}

fn uri_or_error(result: Result<PathUri, PathUriError>) -> Value {
    result.map_or_else(|failed| error(&failed), |uri| json!(uri.as_str()))
}

fn text_or_error(result: Result<String, PathUriError>) -> Value {
    result.map_or_else(|failed| error(&failed), Value::from)
}

fn text_and_convention(uri: &PathUri) -> Value {
    json!({ "text": uri.as_str(), "convention": convention_json(uri.convention()) })
}

fn repair_codes(repairs: &[Repair]) -> Vec<&'static str> {
    repairs.iter().map(|repair| repair.rule.code()).collect()
}

/// Parses strictly, or states under which key the case reports that this fails.
fn parsed(case: &Value, key: &str) -> Result<PathUri, Value> {
    PathUri::parse(text(case, key))
        .map_err(|error| json!({ "expect": { "parse_error": error.code() } }))
}
