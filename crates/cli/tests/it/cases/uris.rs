//! The cases of `codex-path-uri` that are one text or one path, through `uri`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use codex_path_uri::PathConvention;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Comparison, cases, items, text};
use crate::sandbox::Sandbox;

const CASES: &str = codex_file_system_testkit::cases::PATH_URI.text;

/// Asks about the inputs of one group at once, and compares what `view` makes of each answer with
/// what it makes of the case.
fn check(
    group: &str,
    number: usize,
    input: impl Fn(&Value) -> Option<OsString>,
    view: impl Fn(&Value, &Value) -> (Value, Value),
) {
    let cases = cases(CASES)
        .into_iter()
        .filter(|case| case["group"] == group);
    let cases = cases.filter_map(|case| Some((input(&case)?, case)));
    let cases: Vec<(OsString, Value)> = cases.collect();
    let sandbox = Sandbox::new("");
    let mut command = sandbox.command(&["uri", "--format", "json"]);
    command.arg("--").args(cases.iter().map(|(input, _)| input));
    let found = sandbox.finish(&mut command).json();
    let mut comparison = Comparison::default();
    for ((_, case), found) in cases.iter().zip(items(&found["paths"])) {
        let (expected, found) = view(case, found);
        comparison.compare(text(&case["id"]), &expected, &found);
        comparison.ran += 1;
    }
    comparison.end(number);
}

/// A text that can be an argument.
fn argument(text: &Value) -> Option<OsString> {
    let text = text.as_str().filter(|text| !text.contains('\0'))?;
    Some(OsString::from(text))
}

/// The native text of a case that nobody would take for one of another convention.
fn unmistakable(case: &Value, key: &str) -> Option<OsString> {
    let convention = PathConvention::infer_absolute(case[key].as_str()?)?;
    let is_meant = case["convention"].is_null() || case["convention"] == json!(convention);
    argument(&case[key]).filter(|_| is_meant)
}

/// A URI or the rule that refuses it.
fn uri_or_rule(expected: &Value, found: &Value) -> (Value, Value) {
    match expected["error"].as_str() {
        Some(rule) => (json!(rule), found["refusal"]["rule"].clone()),
        None => {
            let uri = expected.get("text").unwrap_or(expected);
            (uri.clone(), found["uri"].clone())
        }
    }
}

#[test]
fn every_uri_is_read_with_the_expected_repairs() {
    let is_uri = |text: &str| text.contains("://") || text.to_lowercase().starts_with("file:");
    check(
        "parse",
        53,
        |case| {
            let is_asked = !case["lenient"].is_null() && is_uri(text(&case["input"]));
            argument(&case["input"]).filter(|_| is_asked)
        },
        |case, found| {
            let lenient = &case["lenient"];
            if lenient["error"].is_string() {
                return uri_or_rule(lenient, found);
            }
            let repairs = items(&found["repairs"]).map(|repair| repair["rule"].clone());
            let repairs: Vec<Value> = repairs.collect();
            let found = json!({
                "text": found["uri"],
                "convention": found["convention"],
                "repairs": repairs,
            });
            (lenient.clone(), found)
        },
    );
}

#[test]
fn every_native_path_has_the_expected_uri() {
    check(
        "from_native",
        32,
        |case| unmistakable(case, "native"),
        |case, found| uri_or_rule(&case["expect"], found),
    );
    check(
        "infer_absolute",
        7,
        |case| unmistakable(case, "text"),
        |case, found| uri_or_rule(&case["expect"]["from_native"], found),
    );
}

#[test]
fn every_path_of_this_machine_has_the_expected_uri() {
    let bytes = |hex: &str| -> Option<OsString> {
        let digits = (0..hex.len()).step_by(2);
        let bytes = digits.map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok());
        Some(OsString::from_vec(bytes.collect::<Option<Vec<u8>>>()?))
    };
    let is_argument = |path: &OsString| !path.as_encoded_bytes().contains(&0);
    check(
        "from_abs_path_posix_host",
        12,
        |case| bytes(text(&case["native_hex"])).filter(is_argument),
        |case, found| (case["uri"].clone(), found["uri"].clone()),
    );
}

#[test]
fn every_path_has_the_expected_parents_and_native_spelling() {
    let is_read = |case: &Value| case["expect"]["parse_error"].is_null();
    check(
        "navigate",
        20,
        |case| argument(&case["input"]).filter(|_| is_read(case)),
        |case, found| {
            let itself = std::iter::once(&found["uri"]);
            let ancestors = itself.chain(items(&found["ancestors"]));
            let ancestors: Vec<&Value> = ancestors.collect();
            (case["expect"]["ancestors"].clone(), json!(ancestors))
        },
    );
    check(
        "render",
        19,
        |case| argument(&case["input"]).filter(|_| is_read(case)),
        |case, found| {
            let expected = &case["expect"]["inferred_native_path_string"];
            (expected.clone(), found["uriNative"].clone())
        },
    );
}

#[test]
fn an_empty_argument_is_no_path() {
    let sandbox = Sandbox::new("");
    let found = sandbox.run(&["uri", "", "--format", "json"]);
    assert_eq!(found.json()["paths"][0]["refusal"]["rule"], "not_absolute");
    assert_eq!(sandbox.run(&["uri", "", "--check"]).code, Some(1));
}
