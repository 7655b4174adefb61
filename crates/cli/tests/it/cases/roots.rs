//! The cases of find-up in `codex-file-system`, through `root`.
//!
//! Failures that only a test can bring about, other policies, a ceiling, and markers that
//! configuration refuses cannot be asked for here.

use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{Comparison, cases, items, text};
use crate::sandbox::{Ran, Sandbox};

const CASES: &str = codex_file_system_testkit::cases::FIND_UP.text;

#[test]
fn every_search_finds_the_expected_root_with_the_expected_probes() {
    let mut comparison = Comparison::default();
    for case in cases(CASES).iter().filter(|case| can_be_asked(case)) {
        let tree: Vec<&str> = items(&case["tree"]).map(text).collect();
        let sandbox = Sandbox::new(&tree.join("\n"));
        let ran = search(&sandbox, case);
        let (expected, found) = if is_directory(&sandbox, case) {
            (expected(case), found(case, &ran))
        } else {
            (json!(2), json!(ran.code))
        };
        comparison.compare(text(&case["name"]), &expected, &found);
        comparison.ran += 1;
    }
    comparison.end(46);
}

fn can_be_asked(case: &Value) -> bool {
    let is_name = |marker: &Value| {
        let marker = text(marker);
        !["", "."].contains(&marker) && !marker.contains(['/', '\0'])
    };
    // Whoever runs the tests may be let in everywhere.
    let is_locked = items(&case["tree"]).any(|line| text(line).contains(" !"));
    case["flavor"] == "posix"
        && (case["api"] == "git" || case["api"] == "uri" && case["policy"] == "propagate")
        && ["faults", "ceiling", "kind"]
            .iter()
            .all(|key| case[*key].is_null())
        && items(&case["markers"]).all(is_name)
        && !is_locked
}

/// A URI of the case where its tree is.
fn there(uri: &Value) -> Value {
    let Some(path) = uri.as_str().and_then(|uri| uri.strip_prefix("file://")) else {
        return Value::Null;
    };
    json!(format!("file:///sandbox{}", path.trim_end_matches('/')))
}

/// The start directory where the tree is.
fn start(sandbox: &Sandbox, case: &Value) -> PathUri {
    let base = PathUri::from_host_native_path(sandbox.path("")).unwrap();
    let below = text(&case["start"]).trim_start_matches("file:///");
    let uri = format!("{}/{below}", base.as_str().trim_end_matches('/'));
    PathUri::parse(uri.trim_end_matches('/')).unwrap()
}

fn is_directory(sandbox: &Sandbox, case: &Value) -> bool {
    let start = start(sandbox, case).to_abs_path().unwrap();
    start.as_path().is_dir()
}

fn search(sandbox: &Sandbox, case: &Value) -> Ran {
    let mut command = sandbox.command(&["root", "--explain", "--format", "json"]);
    command
        .arg("-c")
        .arg(format!("project_root_markers={}", case["markers"]));
    command.arg("--cwd").arg(start(sandbox, case).as_str());
    sandbox.finish(&mut command)
}

/// Root, marker, and the probes with the last one's outcome; the Git root, where that is asked for.
fn expected(case: &Value) -> Value {
    let expect = &case["expect"];
    if case["api"] == "git" {
        return there(&expect["root"]);
    }
    let probes: Vec<Value> = items(&expect["consumed"]).map(there).collect();
    let last = match expect["error"]["kind"].as_str() {
        Some(kind) => kind,
        None if expect["stopped"] == "found" => "found",
        None => "absent",
    };
    json!({
        "root": there(&expect["root"]),
        "marker": there(&expect["marker"]),
        "probes": probes,
        "last": last,
    })
}

fn found(case: &Value, ran: &Ran) -> Value {
    let found = ran.json();
    if case["api"] == "git" {
        return found["gitRoot"].clone();
    }
    let mut probes: Vec<&Value> = items(&found["probes"]).collect();
    if case["expect"]["stopped"] == "filesystem_root" {
        // The tree lies below directories of this machine, which are asked, too.
        let beyond = probes.split_off(items(&case["expect"]["consumed"]).count());
        assert!(beyond.iter().all(|probe| probe["outcome"] == "absent"));
    }
    let last = probes
        .last()
        .map_or(json!("absent"), |probe| probe["outcome"].clone());
    let marker = probes.last().filter(|probe| probe["outcome"] == "found");
    let all_others = probes.iter().rev().skip(1);
    assert_eq!(
        all_others
            .filter(|probe| probe["outcome"] != "absent")
            .count(),
        0
    );
    json!({
        "root": found["root"],
        "marker": marker.map(|probe| probe["path"].clone()),
        "probes": probes.iter().map(|probe| &probe["path"]).collect::<Vec<_>>(),
        "last": last,
    })
}
