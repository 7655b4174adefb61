//! What listing the considered directories adds to a report, and what it costs.

use std::sync::Arc;

use codex_agents_md::{
    InstructionDetails, InstructionsOptions, InstructionsOutcome, TurnEnvironmentSnapshot,
    add_listings,
};
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system::{Severity, Window};
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
    paused(add_listings(
        &mut outcome.report,
        snapshot,
        Window::new(8).unwrap(),
    ));
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
    let details = InstructionDetails::Names {
        names: names(&["CLAUDE.md", "other.md"]).unwrap(),
    };
    let diagnostics = outcome.report.listing_diagnostics();
    let expected = ("shadowed_candidate", Some(uri("/r/AGENTS.md")), details);
    assert_eq!(found(&diagnostics), [expected]);
    assert_eq!(diagnostics[0].severity, Severity::Info);
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
    let details = InstructionDetails::Names {
        names: variants.unwrap(),
    };
    let expected = ("case_variant_present", Some(uri("/r")), details);
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
fn it_costs_one_listing_per_directory_in_windows_over_all_environments() {
    let (one, two) = (
        metered("/r/.git/\n/r/a/b/c/d/"),
        metered("/v/.git/\n/v/a/b/"),
    );
    let snapshot = turns([
        turn("one", Arc::clone(&one), uri("/r/a/b/c/d")),
        turn("two", Arc::clone(&two), uri("/v/a/b")),
    ]);
    for (window, expected) in [(1, 8), (3, 3), (8, 1), (64, 1)] {
        let mut outcome = load(&snapshot);
        one.reset();
        two.reset();
        let window = Window::new(window).unwrap();
        let ((), round_trips) = timed(add_listings(&mut outcome.report, &snapshot, window));
        assert_eq!(round_trips, expected, "{window:?}");
        assert_eq!(
            one.calls(),
            Calls {
                read_directory: 5,
                ..Calls::default()
            }
        );
        assert_eq!(
            two.calls(),
            Calls {
                read_directory: 3,
                ..Calls::default()
            }
        );
        assert!(one.peak_in_flight().max(two.peak_in_flight()) <= window.get());
        let listings = outcome
            .report
            .environments
            .iter()
            .map(|report| report.calls.listings);
        assert_eq!(listings.collect::<Vec<_>>(), [5, 3]);
    }
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
