//! Every case of `tests/data`, through the public API: those stated with the rules in `skills.json`,
//! combinations and limits of them in `corners.json`, in the same shape.
//!
//! Each case runs on the in-memory filesystem, and on the local one if its tree can be built there
//! and nothing expected depends on how long the base directory is spelled.

mod build;
mod run;
mod view;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Table {
    cases: Vec<Case>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    kind: String,
    expected: Value,
    #[serde(default)]
    files: BTreeMap<String, Value>,
    #[serde(default)]
    generate: Vec<Generated>,
    #[serde(default)]
    env_roots: Vec<String>,
    #[serde(default)]
    extra_roots: Vec<String>,
    manifest_locations: Option<String>,
    config: Option<String>,
    config_top: Option<String>,
    cwd: Option<String>,
    text: Option<String>,
    directory: Option<String>,
    layout: Option<String>,
    root_canonical_given: Option<bool>,
    #[serde(default, deserialize_with = "present")]
    is_symlink: Option<Value>,
    skill: Option<String>,
    resource: Option<String>,
    environment: Option<String>,
    entrypoint: Option<String>,
    /// What the case is about; not checked.
    #[serde(rename = "note")]
    _note: Option<String>,
    /// What the reference gives instead; not checked.
    #[serde(rename = "reference")]
    _reference: Option<Value>,
}

#[derive(Clone, Deserialize)]
struct Generated {
    pattern: String,
    text: String,
    from: usize,
    to: usize,
}

/// Tells a value of null from no value.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

const TABLES: [&str; 2] = [
    codex_file_system_testkit::cases::SKILLS.text,
    include_str!("../../data/corners.json"),
];

fn cases(kind: &str) -> impl Iterator<Item = Case> {
    let tables = TABLES.iter().map(|table| serde_json::from_str(table));
    let cases = tables.flat_map(|table: Result<Table, _>| table.unwrap().cases);
    cases.filter(move |case| case.kind == kind)
}

/// Runs every case of a kind and reports all that differ.
fn check(kind: &str, expected: usize, run: impl Fn(&Case) -> (Value, Value)) {
    let mut ran = 0;
    let mut failures = Vec::new();
    for case in cases(kind) {
        ran += 1;
        let (actual, wanted) = run(&case);
        if actual != wanted {
            let diff = pretty_assertions::Comparison::new(&actual, &wanted).to_string();
            failures.push(format!("{}: actual / wanted\n{diff}", case.name));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {ran} fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(ran >= expected, "only {ran} cases of kind {kind}");
}

#[test]
fn list_in_memory() {
    check("list", 296, |case| run::list(case, &build::in_memory(case)));
}

#[cfg(unix)]
#[test]
fn list_on_disk() {
    check("list", 296, |case| match case.generate.is_empty() {
        true => run::list(case, &build::on_disk(case)),
        // Thousands of files take long to create, and the limits do not know the filesystem.
        false => (Value::Null, Value::Null),
    });
}

#[test]
fn catalog_in_memory() {
    check("catalog", 31, |case| {
        run::catalog(case, &build::in_memory(case))
    });
}

#[cfg(unix)]
#[test]
fn catalog_on_disk() {
    check("catalog", 31, |case| match case.generate.is_empty() {
        true => run::catalog(case, &build::on_disk(case)),
        // The budget depends on the spelling of the base directory.
        false => (Value::Null, Value::Null),
    });
}

#[test]
fn mention_in_memory() {
    check("mention", 30, |case| {
        run::mention(case, &build::in_memory(case))
    });
}

#[cfg(unix)]
#[test]
fn mention_on_disk() {
    check("mention", 30, |case| {
        run::mention(case, &build::on_disk(case))
    });
}

#[test]
fn read_in_memory() {
    check("read", 22, |case| run::read(case, &build::in_memory(case)));
}

#[cfg(unix)]
#[test]
fn read_on_disk() {
    check("read", 22, |case| run::read(case, &build::on_disk(case)));
}

#[test]
fn validate() {
    check("validate", 29, run::validate);
}

#[test]
fn calls() {
    check("calls", 25, run::calls);
}
