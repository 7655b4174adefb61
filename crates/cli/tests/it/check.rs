//! `check`: every loss of a repository, once.

use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// A document that two leaves lose a part of, a skill and a plugin that are refused, a link to nothing.
const REPO: &str = "\
/home/config.toml = project_doc_max_bytes = 30%0A
/w/repo/.git/
/w/repo/AGENTS.md = Root rules apply.%0A
/w/repo/core/AGENTS.md = Core is frozen since May.%0A
/w/repo/core/deep/AGENTS.md = Deep.%0A
/w/repo/node_modules/x/AGENTS.md = Not looked at, however long it may be.%0A
/w/repo/my docs/AGENTS.md -> gone
/w/repo/my docs/src/.agents/skills/odd/SKILL.md = no block%0A";

#[test]
fn every_loss_of_every_start_directory_is_reported_once() {
    let sandbox = Sandbox::new(REPO);
    assert_snapshot!(
        "losses",
        sandbox.run(&["check", "repo", "--format", "table"]).all()
    );
}

#[test]
fn a_repository_that_loses_nothing_ends_with_0() {
    let sandbox = Sandbox::new("/w/repo/.git/\n/w/repo/AGENTS.md = Be brief.%0A");
    let ran = sandbox.run(&["check", "repo", "--format", "github"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
}

#[test]
fn losses_of_the_baseline_are_not_counted() {
    let sandbox = Sandbox::new(REPO);
    let all = sandbox.run(&["check", "repo", "--json"]);
    assert_eq!(all.code, Some(1));
    let losses = all.json()["losses"].as_array().unwrap().len();
    sandbox.write("/w/baseline.json", &all.stdout);
    let check = || sandbox.run(&["check", "repo", "--json", "--baseline", "baseline.json"]);

    let known = check();
    assert_eq!((known.code, known.stderr.as_str()), (Some(0), ""));
    let document = known.json();
    let known = document["losses"].as_array().unwrap();
    assert_eq!(known.len(), losses, "a baseline can be written again");
    assert!(known.iter().all(|loss| loss["known"] == json!(true)));

    sandbox.write("/w/repo/.agents/skills/new/SKILL.md", "no block");
    assert_eq!(check().code, Some(1));
}

#[test]
fn a_baseline_that_is_none_is_refused() {
    let sandbox = Sandbox::new(REPO);
    let ran = sandbox.run(&["check", "repo", "--baseline", "repo/AGENTS.md"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
}

#[test]
fn sarif_has_a_rule_for_every_result_and_locations_below_the_root() {
    let sandbox = Sandbox::new(REPO);
    let ran = sandbox.run(&["check", "repo", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&ran.stdout).unwrap();
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert!(
            rules.iter().any(|rule| rule["id"] == result["ruleId"]),
            "{result}"
        );
    }
    let uri = |result: &Value| {
        let location = &result["locations"][0]["physicalLocation"];
        location["artifactLocation"]["uri"]
            .as_str()
            .map(str::to_owned)
    };
    let uris: Vec<_> = results.iter().filter_map(uri).collect();
    assert!(uris.contains(&"my%20docs/AGENTS.md".to_owned()), "{uris:?}");
}

#[test]
fn annotations_escape_what_would_end_a_property() {
    let sandbox = Sandbox::new("/w/repo/.git/\n/w/repo/.agents/skills/a,b/SKILL.md = none");
    let ran = sandbox.run(&["check", "repo", "--format", "github"]);
    let start =
        "::error file=.agents/skills/a%2Cb/SKILL.md,line=1,col=1,title=frontmatter_missing::";
    assert!(ran.stdout.starts_with(start), "{}", ran.stdout);
}

#[test]
fn no_other_command_has_its_formats() {
    let sandbox = Sandbox::new(REPO);
    for command in ["show", "instructions", "skills", "root", "config"] {
        let ran = sandbox.run(&[command, "repo", "--format", "sarif"]);
        assert_eq!(ran.code, Some(2), "{command}");
    }
}
