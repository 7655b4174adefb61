//! Which calls a load starts ahead of need, and none once it is dropped.

use std::sync::Arc;

use codex_agents_md::{InstructionsOptions, load_project_instructions_with};
use codex_file_system::Window;
use codex_file_system::wrap::Calls;
use pretty_assertions::assert_eq;
use tokio::time::timeout;

use crate::support::{UNIT, config, load_with, memory, metered, one_turn, paused, uri};

fn in_window(window: usize) -> InstructionsOptions {
    InstructionsOptions {
        window: Window::new(window).unwrap(),
        ..InstructionsOptions::default()
    }
}

const TREE: &str = "
    /r/.git/
    /r/AGENTS.md = a
    /r/d/AGENTS.md = b
    /r/d/d/AGENTS.md = c";

#[test]
fn a_dropped_load_starts_no_further_call_and_leaves_none_in_flight() {
    // Marker probes, then both names of each directory together; each takes one unit.
    let expected = [(3 + 1, 0), (3 + 1, 6)];
    for (units, (get_metadata, read_file_prefix)) in (0..).zip(expected) {
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
            read_file_prefix,
            ..Calls::default()
        };
        assert_eq!(fs.calls(), calls, "dropped after {units} units");
        assert_eq!(fs.in_flight(), 0);
    }
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
    for (window, reads) in [(1, 1), (2, 2), (8, 8)] {
        let fs = metered(tree);
        let snapshot = one_turn(Arc::clone(&fs), uri("/r/d/d/d"));
        let config = config("");
        let options = in_window(window);
        let load = load_project_instructions_with(&config, None, &snapshot, &options);
        let outcome = paused(load);
        assert!(outcome.environments[0].error.is_some());
        assert_eq!(outcome.report.environments[0].calls.reads, reads);
    }
}

#[test]
fn a_filesystem_that_answers_at_once_sees_the_serial_calls_in_any_window() {
    let tree = "/r/.git/\n/r/d/AGENTS.override.md -> AGENTS.override.md\n/r/d/d/d/AGENTS.md = x";
    for window in [1, 8, 64] {
        let snapshot = one_turn(memory(tree), uri("/r/d/d/d"));
        let outcome = load_with("", &snapshot, &in_window(window));
        // Both names of the root, then the one that fails.
        let calls = outcome.report.environments[0].calls;
        assert_eq!(
            (calls.reads, calls.candidate_probes),
            (3, 1),
            "window {window}"
        );
    }
}
