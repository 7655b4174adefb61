//! Which calls a load starts ahead of need, and none once it is dropped.

use std::sync::Arc;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionsOptions, load_project_instructions,
    load_project_instructions_with,
};
use codex_file_system::Window;
use codex_file_system::wrap::Calls;
use pretty_assertions::assert_eq;
use tokio::time::timeout;

use crate::support::{UNIT, config, load_with, memory, metered, one_turn, paused, timed, uri};

const TREE: &str = "
    /r/.git/
    /r/AGENTS.md = a
    /r/d/AGENTS.md = b
    /r/d/d/AGENTS.md = c";

#[test]
fn a_dropped_load_starts_no_further_call_and_leaves_none_in_flight() {
    // Marker probes, then two rounds of candidates, then reads; each takes one unit.
    let expected = [(3 + 1, 0), (4 + 3, 0), (4 + 6, 0), (4 + 6, 3)];
    for (units, (get_metadata, read_file)) in (0..).zip(expected) {
        let fs = metered(TREE);
        let snapshot = one_turn(Arc::clone(&fs), uri("/r/d/d"));
        let (config, options) = (config(""), InstructionsOptions::default());
        paused(async {
            let load = load_project_instructions_with(&config, None, &snapshot, &options);
            assert!(timeout(UNIT * units + UNIT / 2, load).await.is_err());
            tokio::time::sleep(UNIT * 100).await;
        });
        let calls = Calls {
            get_metadata,
            read_file,
            ..Calls::default()
        };
        assert_eq!(fs.calls(), calls, "dropped after {units} units");
        assert_eq!(fs.in_flight(), 0);
    }
}

#[test]
fn without_options_every_window_is_eight_and_a_failure_ends_its_environment() {
    let options = InstructionsOptions::default();
    assert_eq!(
        options.document_errors,
        DocumentErrorPolicy::FailEnvironment
    );
    for window in [
        options.candidate_window,
        options.read_window,
        options.environment_window,
    ] {
        assert_eq!(window.get(), 8);
    }

    // Nine directories in windows of eight: markers, two names each, reads.
    let directories = (0..9).map(|depth| format!("/r{}/AGENTS.md = x", "/d".repeat(depth)));
    let tree = directories.collect::<Vec<_>>().join("\n") + "\n/r/.git/";
    let fs = metered(&tree);
    let snapshot = one_turn(Arc::clone(&fs), uri(&format!("/r{}", "/d".repeat(8))));
    let config = config("");
    let (outcome, round_trips) = timed(load_project_instructions(&config, None, &snapshot));
    assert_eq!(outcome.loaded.unwrap().entries().len(), 9);
    assert_eq!((round_trips, fs.peak_in_flight()), (2 + 4 + 2, 8));
}

#[test]
fn a_load_that_is_never_polled_makes_no_call() {
    let fs = metered(TREE);
    let snapshot = one_turn(Arc::clone(&fs), uri("/r/d/d"));
    let (config, options) = (config(""), InstructionsOptions::default());
    drop(load_project_instructions_with(
        &config, None, &snapshot, &options,
    ));
    assert_eq!(fs.calls(), Calls::default());
}

#[test]
fn a_window_of_one_asks_nothing_behind_a_failure() {
    let tree = "/r/.git/\n/r/AGENTS.override.md -> AGENTS.override.md\n/r/d/d/d/AGENTS.md = x";
    for (window, asked) in [(1, 1), (2, 2), (8, 4)] {
        let fs = metered(tree);
        let snapshot = one_turn(Arc::clone(&fs), uri("/r/d/d/d"));
        let options =
            InstructionsOptions::default().with_candidate_window(Window::new(window).unwrap());
        let config = config("");
        let load = load_project_instructions_with(&config, None, &snapshot, &options);
        let outcome = paused(load);
        assert!(outcome.environments[0].error.is_some());
        assert_eq!(outcome.report.environments[0].calls.candidate_probes, asked);
    }
}

#[test]
fn a_filesystem_that_answers_at_once_sees_the_serial_calls_in_any_window() {
    let tree = "/r/.git/\n/r/d/AGENTS.override.md -> AGENTS.override.md\n/r/d/d/d/AGENTS.md = x";
    for window in [1, 8, 64] {
        let snapshot = one_turn(memory(tree), uri("/r/d/d/d"));
        let options =
            InstructionsOptions::default().with_candidate_window(Window::new(window).unwrap());
        let outcome = load_with("", &snapshot, &options);
        // Both names of the root, then the one that fails.
        let calls = outcome.report.environments[0].calls;
        assert_eq!(
            (calls.marker_probes, calls.candidate_probes),
            (4, 3),
            "window {window}"
        );
    }
}

#[test]
fn a_read_that_the_budget_may_not_admit_is_not_started_ahead_of_need() {
    // Two documents of four bytes fit a budget of eight; the third would not.
    let tree = "
        /r/.git/
        /r/AGENTS.md = 1234
        /r/d/AGENTS.md = 5678
        /r/d/d/AGENTS.md = 9";
    let fs = metered(tree);
    let snapshot = one_turn(Arc::clone(&fs), uri("/r/d/d"));
    let toml = "project_doc_max_bytes = 8";
    let outcome = load_with(toml, &snapshot, &InstructionsOptions::default());
    assert_eq!(fs.calls().read_file, 2);
    assert_eq!(outcome.report.environments[0].calls.reads, 2);
}
