//! The report as a whole, and what a root's reason says.

use std::sync::Arc;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionsOptions, UserInstructions, add_listings,
    load_project_instructions_with,
};
use codex_config::RootReason;
use codex_path_uri::AbsolutePathBuf;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{config, load, memory, one_turn, paused, policy, turn, turns, uri};

fn row(columns: Value) -> Value {
    let mut row = json!({
        "document": null,
        "rawBytes": 0,
        "keptBytes": 0,
        "lostBytes": 0,
        "replacementCharacters": 0,
        "splitsCharacter": false,
        "passedOver": [],
        "error": null,
        "shadowed": null,
        "caseVariants": null,
    });
    row.as_object_mut()
        .unwrap()
        .extend(columns.as_object().unwrap().clone());
    row
}

#[cfg(unix)]
#[test]
fn a_report_as_json_tells_everything_about_each_directory() {
    let tree = "
        /r/.git/
        /r/AGENTS.override.md/
        /r/AGENTS.md = root
        /r/none/empty/AGENTS.md =
        /r/none/empty/e/AGENTS.md !000 = 12345
        /r/none/empty/e/cut/AGENTS.md = %FFabc%C3%A9x
        /r/none/empty/e/cut/over/AGENTS.md = 1234567";
    let cwd = "/r/none/empty/e/cut/over";
    let config = config("project_doc_max_bytes = 9\nproject_doc_fallback_filenames = ['x.md']");
    let source = uri("/home/AGENTS.md");
    let user = Some(UserInstructions {
        text: "user".to_owned(),
        source,
    });
    let snapshot = one_turn(memory(tree), uri(cwd));
    let options = policy(DocumentErrorPolicy::KeepReadable);
    let outcome = paused(load_project_instructions_with(
        &config, user, &snapshot, &options,
    ));

    let origin = |line, column| {
        json!({ "layer": {
            "source": { "user": { "file": "file:///home/config.toml", "profile": null } },
            "position": { "line": line, "column": column },
        } })
    };
    let below = "file:///r/none/empty";
    let directories = [
        row(json!({
            "directory": "file:///r", "document": "file:///r/AGENTS.md", "state": "loaded",
            "rawBytes": 4, "keptBytes": 4, "budgetLeft": 5,
            "passedOver": [{ "name": "AGENTS.override.md", "reason": "not_a_file" }],
        })),
        row(json!({ "directory": "file:///r/none", "state": "none", "budgetLeft": 5 })),
        row(json!({
            "directory": below, "document": format!("{below}/AGENTS.md"), "state": "blank",
            "budgetLeft": 5,
        })),
        row(json!({
            "directory": format!("{below}/e"), "document": format!("{below}/e/AGENTS.md"),
            "state": "error", "rawBytes": 5, "budgetLeft": 5, "error": "PermissionDenied",
        })),
        row(json!({
            "directory": format!("{below}/e/cut"), "document": format!("{below}/e/cut/AGENTS.md"),
            "state": "cut", "rawBytes": 7, "keptBytes": 5, "lostBytes": 2, "budgetLeft": 0,
            "replacementCharacters": 1, "splitsCharacter": true,
        })),
        row(json!({
            "directory": format!("{below}/e/cut/over"),
            "document": format!("{below}/e/cut/over/AGENTS.md"),
            "state": "over_budget", "rawBytes": 7, "lostBytes": 7, "budgetLeft": 0,
        })),
    ];
    let expected = json!({
        "schemaVersion": 1,
        "user": { "source": "file:///home/AGENTS.md", "bytes": 4 },
        "environments": [{
            "environmentId": "local",
            "cwd": format!("file://{cwd}"),
            "status": "loaded",
            "root": "file:///r",
            "rootReason": { "marker": { "marker": ".git", "probe": 6 } },
            "markers": [".git"],
            "markersSource": "default",
            "maxBytes": 9,
            "maxBytesOrigin": origin(1, 25),
            "names": ["AGENTS.override.md", "AGENTS.md", "x.md"],
            "fallbackNamesOrigin": origin(2, 34),
            "directories": directories,
            "rawBytes": 23,
            "keptBytes": 9,
            "lostBytes": 9,
            "budgetLeft": 0,
            "calls": { "markerProbes": 6, "candidateProbes": 1, "reads": 13, "listings": 0 },
        }],
    });
    assert_eq!(serde_json::to_value(&outcome.report).unwrap(), expected);
}

#[test]
fn the_root_says_which_marker_decided_or_why_there_is_none() {
    let tree = "/r/.hg/\n/r/a/";
    let reason = |toml| {
        let outcome = load(toml, memory(tree), "/r/a");
        let report = outcome.report.environments.into_iter().next().unwrap();
        (report.root, report.root_reason.unwrap())
    };
    let marker = RootReason::Marker {
        marker: ".hg".to_owned(),
        probe: 4,
    };
    assert_eq!(
        reason("project_root_markers = ['.git', '.hg']"),
        (Some(uri("/r")), marker)
    );
    assert_eq!(reason(""), (None, RootReason::NoMarkerFound));
    assert_eq!(
        reason("project_root_markers = []"),
        (None, RootReason::TraversalDisabled)
    );
}

#[test]
fn a_report_of_nothing_is_empty() {
    let options = InstructionsOptions::default();
    let config = config("");
    let outcome = paused(load_project_instructions_with(
        &config,
        None,
        &turns([]),
        &options,
    ));
    let expected = json!({ "schemaVersion": 1, "user": null, "environments": [] });
    assert_eq!(serde_json::to_value(&outcome.report).unwrap(), expected);
    assert!(outcome.loaded.is_none() && outcome.environments.is_empty());
}

#[cfg(unix)]
#[test]
fn every_loader_can_move_between_threads() {
    fn assert_send<T: Send>(future: T) {
        drop(future);
    }
    let fs = memory("/r/");
    let (config, options) = (config(""), InstructionsOptions::default());
    let snapshot = turns([turn("local", Arc::clone(&fs), uri("/r"))]);
    let home = AbsolutePathBuf::try_from("/home").unwrap();
    assert_send(load_project_instructions_with(
        &config, None, &snapshot, &options,
    ));
    assert_send(codex_agents_md::load_user_instructions(&*fs, &home));
    let mut report = paused(load_project_instructions_with(
        &config, None, &snapshot, &options,
    ))
    .report;
    assert_send(add_listings(&mut report, &snapshot));
}
