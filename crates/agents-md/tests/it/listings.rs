//! What listing the considered directories adds to a report, and what it costs.

use std::sync::Arc;

use codex_agents_md::{
    InstructionDiagnosticKind as Kind, InstructionsOptions, InstructionsOutcome,
    TurnEnvironmentSnapshot, add_listings,
};
use codex_file_system::Severity;
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;

use crate::support::{
    found, load_with, memory, metered, one_turn, paused, timed, turn, turns, uri,
};

const NAMES: &str = "project_doc_fallback_filenames = ['CLAUDE.md', 'other.md']";

fn load(snapshot: &TurnEnvironmentSnapshot) -> InstructionsOutcome {
    load_with(NAMES, snapshot, &InstructionsOptions::default())
}

fn list(outcome: &mut InstructionsOutcome, snapshot: &TurnEnvironmentSnapshot) {
    paused(add_listings(&mut outcome.report, snapshot));
}

type Names = Option<Vec<String>>;

/// Shadowed names and case variants of each row.
fn listed(outcome: &InstructionsOutcome) -> Vec<(Names, Names)> {
    let rows = &outcome.report.environments[0].directories;
    rows.iter()
        .map(|row| (row.shadowed.clone(), row.case_variants.clone()))
        .collect()
}

fn names(names: &[&str]) -> Names {
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn nothing_is_known_before_listing_and_nothing_is_listed_unasked() {
    let fs = Arc::new(Counting::new(memory(
        "/r/.git/\n/r/AGENTS.md = x\n/r/CLAUDE.md = y",
    )));
    let outcome = load(&one_turn(Arc::clone(&fs), uri("/r")));
    assert_eq!(fs.calls().read_directory, 0);
    assert_eq!(listed(&outcome), [(None, None)]);
    assert_eq!(outcome.report.listing_diagnostics(), []);
}

#[test]
fn later_names_that_are_files_are_hidden_by_the_document() {
    let tree = "
        /r/.git/
        /r/AGENTS.md = x
        /r/CLAUDE.md = y
        /r/other.md -> CLAUDE.md
        /r/a/CLAUDE.md = y
        /r/a/other.md/
        /r/a/b/";
    let snapshot = one_turn(memory(tree), uri("/r/a/b"));
    let mut outcome = load(&snapshot);
    list(&mut outcome, &snapshot);
    assert_eq!(
        listed(&outcome),
        [
            (names(&["CLAUDE.md", "other.md"]), names(&[])),
            (names(&[]), names(&[])),
            (names(&[]), names(&[])),
        ]
    );
    let details = Kind::ShadowedCandidate {
        names: names(&["CLAUDE.md", "other.md"]).unwrap(),
    };
    let diagnostics = outcome.report.listing_diagnostics();
    let expected = (Some(uri("/r/AGENTS.md")), details);
    assert_eq!(found(&diagnostics), [expected]);
    assert_eq!(diagnostics[0].severity(), Severity::Info);
}

#[test]
fn a_name_that_is_wrong_in_case_only_is_pointed_out() {
    let tree = "/r/.git/\n/r/agents.md = x\n/r/Agents.MD/\n/r/claude.md = y\n/r/readme.md = z";
    let snapshot = one_turn(memory(tree), uri("/r"));
    let mut outcome = load(&snapshot);
    assert_eq!(outcome.loaded, None);
    list(&mut outcome, &snapshot);
    let variants = names(&["Agents.MD", "agents.md", "claude.md"]);
    assert_eq!(listed(&outcome), [(names(&[]), variants.clone())]);
    let details = Kind::CaseVariantPresent {
        names: variants.unwrap(),
    };
    let expected = (Some(uri("/r")), details);
    let diagnostics = outcome.report.listing_diagnostics();
    assert_eq!(found(&diagnostics), [expected]);
    assert_eq!(
        diagnostics[0].to_string(),
        "names in `file:///r` differ from a document name in case only: \
         [\"Agents.MD\", \"agents.md\", \"claude.md\"] in environment `local`"
    );
}

#[test]
fn a_configured_name_is_no_variant_of_another() {
    let toml = "project_doc_fallback_filenames = ['agents.md']";
    let snapshot = one_turn(
        memory("/r/.git/\n/r/AGENTS.md = x\n/r/agents.md = y"),
        uri("/r"),
    );
    let mut outcome = load_with(toml, &snapshot, &InstructionsOptions::default());
    list(&mut outcome, &snapshot);
    assert_eq!(listed(&outcome), [(names(&["agents.md"]), names(&[]))]);
}

#[test]
fn a_document_that_is_stored_under_another_case_is_no_variant_of_itself() {
    let tree = "C:/r/.git/\nC:/r/agents.md = x";
    let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap());
    let snapshot = one_turn(fs, uri(r"C:\r"));
    let mut outcome = load(&snapshot);
    assert!(outcome.loaded.is_some());
    list(&mut outcome, &snapshot);
    assert_eq!(listed(&outcome), [(names(&[]), names(&[]))]);
}

#[test]
fn a_directory_that_cannot_be_listed_stays_unknown() {
    let tree = "/r/.git/\n/r/AGENTS.md = x\n/r/CLAUDE.md = y\n/r/ !100\n/r/a/";
    let snapshot = one_turn(memory(tree), uri("/r/a/missing"));
    let mut outcome = load(&snapshot);
    list(&mut outcome, &snapshot);
    assert_eq!(
        listed(&outcome),
        [(None, None), (names(&[]), names(&[])), (None, None)]
    );
    assert_eq!(outcome.report.environments[0].calls.listings, 3);
}

#[test]
fn it_costs_one_listing_per_directory_and_one_round_trip_over_all_environments() {
    let (one, two) = (
        metered("/r/.git/\n/r/a/b/c/d/"),
        metered("/v/.git/\n/v/a/b/"),
    );
    let snapshot = turns([
        turn("one", Arc::clone(&one), uri("/r/a/b/c/d")),
        turn("two", Arc::clone(&two), uri("/v/a/b")),
    ]);
    let mut outcome = load(&snapshot);
    one.reset();
    two.reset();
    let ((), round_trips) = timed(add_listings(&mut outcome.report, &snapshot));
    assert_eq!(round_trips, 1);
    for (machine, read_directory) in [(&one, 5), (&two, 3)] {
        let expected = Calls {
            read_directory,
            ..Calls::default()
        };
        assert_eq!(machine.calls(), expected);
    }
    let reports = outcome.report.environments.iter();
    let listings: Vec<_> = reports.map(|report| report.calls.listings).collect();
    assert_eq!(listings, [5, 3]);
}

#[test]
fn files_of_other_programs_are_pointed_out_where_there_is_no_document() {
    let tree = "/r/.git/\n/r/AGENTS.md = x\n/r/CLAUDE.md = c\n/r/a/CLAUDE.md = c\n/r/a/GEMINI.md/";
    let snapshot = one_turn(memory(tree), uri("/r/a"));
    let mut outcome = load_with("", &snapshot, &InstructionsOptions::default());
    list(&mut outcome, &snapshot);
    let diagnostics = outcome.report.listing_diagnostics();
    let kind = Kind::OtherInstructionsPresent {
        names: vec!["CLAUDE.md".to_owned()],
    };
    assert_eq!(found(&diagnostics), [(Some(uri("/r/a")), kind)]);
    assert_eq!(
        diagnostics[0].advice().unwrap(),
        "to load such files, set project_doc_fallback_filenames = [\"CLAUDE.md\"]"
    );
}

#[test]
fn an_environment_that_is_not_the_reports_is_left_alone() {
    let fs = Arc::new(Counting::new(memory("/r/.git/\n/r/AGENTS.md = x")));
    let mut outcome = load(&one_turn(Arc::clone(&fs), uri("/r")));
    fs.reset();
    list(
        &mut outcome,
        &turns([turn("other", Arc::clone(&fs), uri("/r"))]),
    );
    list(
        &mut outcome,
        &turns([turn("local", Arc::clone(&fs), uri("/r/a"))]),
    );
    list(&mut outcome, &turns([]));
    assert_eq!(fs.calls(), Calls::default());
    assert_eq!(listed(&outcome), [(None, None)]);
}
