//! The case tables, the shared one and more in its format, through the public API: in memory
//! always, on this host's disk where a case's root can be there.

mod build;
mod run;
mod view;

use pretty_assertions::assert_eq;
use serde_json::Value;

use self::build::Ground;
use crate::support::parse_json;

const TABLES: [&str; 2] = [
    codex_file_system_testkit::cases::PLUGIN.text,
    include_str!("../../data/plugin-more.json"),
];

fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for table in TABLES {
        cases.extend_from_slice(parse_json(table)["cases"].as_array().unwrap());
    }
    cases
}

#[test]
fn every_case_holds_in_memory() {
    for case in cases() {
        let ground = Ground::memory(&case);
        check(&case, &ground, &case["expect"]);
    }
}

#[test]
fn every_case_that_fits_on_disk_holds_there() {
    if cfg!(not(unix)) {
        // The roots of the table that can be on a disk are those of POSIX machines.
        return;
    }
    let mut held = 0;
    for case in cases() {
        let Some(ground) = Ground::disk(&case) else {
            continue;
        };
        // Expected resources move with the root.
        let moved = case["expect"]
            .to_string()
            .replace("file:///plugins", &ground.plugins());
        check(&case, &ground, &parse_json(&moved));
        held += 1;
    }
    assert!(
        held > 260,
        "most cases have a POSIX root below a directory; {held} were held"
    );
}

fn check(case: &Value, ground: &Ground, expected: &Value) {
    let expected = view::expand(expected);
    let actual = run::run(case, ground);
    let name = case["name"].as_str().unwrap();
    assert_eq!(view::project(&actual, &expected), expected, "{name}");
}
