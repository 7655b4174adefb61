//! Which documents are read, how far, and how many at a time.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use codex_agents_md::{
    DirectoryRow, DirectoryState, InstructionsOptions, load_project_instructions_with,
};
use codex_file_system::wrap::{Calls, Counting, Latency};
use codex_file_system::{MAX_READ_FILE_BYTES, TokioTimer, Window};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::scripted::{Script, scripted, scripted_hiding_sizes};
use crate::support::{
    UNIT, codes, config, load, load_with, memory, metered, one_turn, text, timed, uri,
};

/// A root and nested directories, one document each, root first.
fn nested(documents: &[String]) -> String {
    let mut lines = vec!["/r/.git/".to_owned()];
    for (depth, document) in documents.iter().enumerate() {
        lines.push(format!("/r{}/AGENTS.md {document}", "/d".repeat(depth)));
    }
    lines.join("\n")
}

fn cwd(documents: usize) -> String {
    format!("/r{}", "/d".repeat(documents - 1))
}

fn columns(row: &DirectoryRow) -> (DirectoryState, u64, u64, u64, u64) {
    (
        row.state,
        row.raw_bytes,
        row.kept_bytes,
        row.lost_bytes,
        row.budget_left,
    )
}

#[test]
fn a_huge_document_is_read_only_as_far_as_it_fits() {
    const HUGE: u64 = 100_000_000;
    let tree = nested(&["= root".into(), format!("=*{HUGE}"), "= leaf".into()]);
    let fs = Arc::new(Counting::new(memory(&tree)));
    let outcome = load("", Arc::clone(&fs), "/r/d/d");
    let expected = Calls {
        get_metadata: 9,
        read_file: 1,
        read_file_prefix: 1,
        ..Calls::default()
    };
    assert_eq!(fs.calls(), expected);
    // What remains when the read is issued bounds it, whatever the document before it leaves.
    assert_eq!(fs.bytes_read(), 4 + 32_768);
    let rows: Vec<_> = outcome.report.environments[0]
        .directories
        .iter()
        .map(columns)
        .collect();
    let kept = 32_768 - 4;
    assert_eq!(
        rows,
        [
            (DirectoryState::Loaded, 4, 4, 0, kept),
            (DirectoryState::Cut, HUGE, kept, HUGE - kept, 0),
            (DirectoryState::OverBudget, 4, 0, 4, 0),
        ]
    );
    assert_eq!(codes(&outcome.diagnostics)[0], "document_truncated");
}

#[test]
fn a_document_above_the_limit_of_whole_reads_cannot_be_read_in_part() {
    let tree = nested(&[format!("=~{}", MAX_READ_FILE_BYTES + 1)]);
    let outcome = load("", memory(&tree), "/r");
    let error = outcome.environments[0].error.as_ref().unwrap();
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
}

#[test]
fn documents_over_budget_are_never_opened() {
    let tree = nested(&["= 12345".into(), "= 6".into(), "!000 = secret".into()]);
    let fs = Arc::new(Counting::new(memory(&tree)));
    let outcome = load("project_doc_max_bytes = 5", Arc::clone(&fs), "/r/d/d");
    assert_eq!(text(&outcome), "12345");
    assert_eq!(fs.calls().read_file, 1);
    assert_eq!(
        codes(&outcome.diagnostics),
        ["document_over_budget", "document_over_budget"]
    );
}

#[test]
fn an_empty_document_over_budget_loses_nothing_and_is_not_reported() {
    let tree = nested(&["= 12345".into(), "=".into()]);
    let outcome = load("project_doc_max_bytes = 5", memory(&tree), "/r/d");
    assert_eq!(codes(&outcome.diagnostics), [""; 0]);
    let row = &outcome.report.environments[0].directories[1];
    assert_eq!(columns(row), (DirectoryState::OverBudget, 0, 0, 0, 0));
}

#[test]
fn a_blank_document_gives_its_room_to_those_behind_it() {
    // The blank root claims the whole budget, so nothing is read beside it.
    let tree = nested(&["=  %20%20%20%20%20".into(), "= abc".into(), "= def".into()]);
    let fs = metered(&tree);
    let snapshot = one_turn(Arc::clone(&fs), uri("/r/d/d"));
    let config = config("project_doc_max_bytes = 6");
    let options = InstructionsOptions::default();
    let (outcome, round_trips) = timed(load_project_instructions_with(
        &config, None, &snapshot, &options,
    ));
    assert_eq!(text(&outcome), "abc\n\ndef");
    // Markers, two names, the root's read, and the two behind it together.
    assert_eq!(round_trips, 1 + 2 + 1 + 1);
    assert_eq!(fs.calls().read_file, 3);
}

#[test]
fn a_document_that_shrank_gives_its_room_to_those_behind_it() {
    let fs = Arc::new(scripted([
        (uri("/.git"), Script::file(b"")),
        (uri("/AGENTS.md"), Script::file(b"ab").claiming(Some(50))),
        (uri("/d/AGENTS.md"), Script::file(b"cd")),
    ]));
    let outcome = load("project_doc_max_bytes = 10", fs, "/d");
    assert_eq!(text(&outcome), "ab\n\ncd");
    assert_eq!(codes(&outcome.diagnostics), [""; 0]);
}

#[test]
fn a_bounded_read_asks_for_what_remains_and_is_told_what_size_metadata_gave() {
    let fs = Arc::new(scripted([
        (uri("/.git"), Script::file(b"")),
        (uri("/AGENTS.md"), Script::file(b"ab")),
        (uri("/d/AGENTS.md"), Script::file(b"c").claiming(None)),
        (uri("/d/d/AGENTS.md"), Script::file(b"0123456789")),
    ]));
    let outcome = load("project_doc_max_bytes = 8", Arc::clone(&fs), "/d/d");
    assert_eq!(text(&outcome), "ab\n\nc\n\n01234");
    // The first bounded read goes out beside the read of the root.
    assert_eq!(fs.alteration().bounds(), [(8, None), (5, Some(10))]);
}

#[test]
fn a_document_that_grew_is_cut_to_what_remains() {
    let fs = Arc::new(scripted([
        (uri("/.git"), Script::file(b"")),
        (
            uri("/AGENTS.md"),
            Script::file(b"0123456789").claiming(Some(2)),
        ),
    ]));
    let outcome = load("project_doc_max_bytes = 6", fs, "/");
    assert_eq!(text(&outcome), "012345");
    let row = &outcome.report.environments[0].directories[0];
    assert_eq!(columns(row), (DirectoryState::Cut, 10, 6, 4, 0));
}

#[test]
fn the_length_of_a_document_that_does_not_fit_is_what_its_metadata_said() {
    // In a wide window the second read is issued while ten bytes remain and gives all of it; in
    // a window of one, while six remain, and gives no more than these.
    for window in [1, 8] {
        let fs = Arc::new(scripted([
            (uri("/.git"), Script::file(b"")),
            (uri("/AGENTS.md"), Script::file(b"0123")),
            (
                uri("/d/AGENTS.md"),
                Script::file(b"0123456789").claiming(Some(8)),
            ),
        ]));
        let options = InstructionsOptions::default().with_read_window(Window::new(window).unwrap());
        let snapshot = one_turn(Arc::clone(&fs), uri("/d"));
        let outcome = load_with("project_doc_max_bytes = 10", &snapshot, &options);
        assert_eq!(text(&outcome), "0123\n\n012345");
        let row = &outcome.report.environments[0].directories[1];
        let expected = (DirectoryState::Cut, 8, 6, 2, 0);
        assert_eq!(columns(row), expected, "window {window}");
        assert_eq!(fs.alteration().bounds().len(), usize::from(window == 1));
    }
}

#[test]
fn without_sizes_each_read_waits_for_the_one_before_it_and_the_text_is_the_same() {
    let tree = nested(&["= one".into(), "= two".into(), "= three".into()]);
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree)
        .unwrap()
        .without_sizes();
    let fs = Arc::new(Counting::new(Latency::new(
        fs,
        TokioTimer,
        UNIT,
        Duration::ZERO,
    )));
    let snapshot = one_turn(Arc::clone(&fs), uri("/r/d/d"));
    let (config, options) = (
        config("project_doc_max_bytes = 8"),
        InstructionsOptions::default(),
    );
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let (outcome, round_trips) = timed(load);
    assert_eq!(text(&outcome), "one\n\ntwo\n\nth");
    // Markers, two names, and three reads of which each may need all that is left.
    assert_eq!(round_trips, 1 + 2 + 3);
    // The length of a cut document is known from its bounded read.
    let row = &outcome.report.environments[0].directories[2];
    assert_eq!(columns(row), (DirectoryState::Cut, 5, 2, 3, 0));
    assert_eq!((fs.calls().read_file_prefix, fs.calls().read_file), (3, 0));
}

#[test]
fn a_cut_document_of_which_nothing_tells_the_length_lost_at_least_one_byte() {
    let fs = scripted_hiding_sizes([
        (uri("/.git"), Script::file(b"")),
        (
            uri("/AGENTS.md"),
            Script::file(b"0123456789").claiming(None),
        ),
    ]);
    let outcome = load("project_doc_max_bytes = 4", Arc::new(fs), "/");
    assert_eq!(text(&outcome), "0123");
    let row = &outcome.report.environments[0].directories[0];
    assert_eq!(columns(row), (DirectoryState::Cut, 5, 4, 1, 0));
    assert_eq!(codes(&outcome.diagnostics), ["document_truncated"]);
}

#[test]
fn a_document_over_budget_whose_size_is_unknown_is_still_reported() {
    let tree = nested(&["= one".into(), "= two".into()]);
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree)
        .unwrap()
        .without_sizes();
    let outcome = load("project_doc_max_bytes = 3", Arc::new(fs), "/r/d");
    assert_eq!(codes(&outcome.diagnostics), ["document_over_budget"]);
    assert_eq!(
        outcome.diagnostics[0].to_string(),
        "the project document `file:///r/d/AGENTS.md` is not read because the budget is spent: \
         all of it lost in environment `local`"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn reads_take_as_many_round_trips_as_windows_full(documents in 1..20_usize, window in 1..=20_usize) {
        let tree = nested(&vec!["= text".to_owned(); documents]);
        let fs = metered(&tree);
        let snapshot = one_turn(Arc::clone(&fs), uri(&cwd(documents)));
        let options = InstructionsOptions::default()
            .with_candidate_window(Window::new(64).unwrap())
            .with_read_window(Window::new(window).unwrap());
        let config = config("");
        let load = load_project_instructions_with(&config, None, &snapshot, &options);
        let (_, round_trips) = timed(load);
        let markers = documents.div_ceil(8);
        let reads = documents.div_ceil(window);
        prop_assert_eq!(round_trips as usize, markers + 2 + reads);
        prop_assert_eq!(fs.calls().read_file as usize, documents);
    }

    #[test]
    fn every_budget_splits_the_documents_into_kept_and_lost_bytes(
        sizes in prop::collection::vec(0..12_usize, 1..8),
        max_bytes in 1..60_u64,
    ) {
        let documents: Vec<_> = sizes.iter().map(|size| format!("= {}", "x".repeat(*size))).collect();
        let toml = format!("project_doc_max_bytes = {max_bytes}");
        let snapshot = one_turn(memory(&nested(&documents)), uri(&cwd(sizes.len())));
        let outcome = load_with(&toml, &snapshot, &InstructionsOptions::default());
        let report = &outcome.report.environments[0];
        let total: u64 = sizes.iter().map(|size| *size as u64).sum();
        prop_assert_eq!(report.raw_bytes, total);
        prop_assert_eq!(report.kept_bytes, total.min(max_bytes));
        prop_assert_eq!(report.lost_bytes, total.saturating_sub(max_bytes));
        prop_assert_eq!(report.budget_left, max_bytes.saturating_sub(total));
        for row in &report.directories {
            prop_assert_eq!(row.raw_bytes, row.kept_bytes + row.lost_bytes);
        }
    }
}
