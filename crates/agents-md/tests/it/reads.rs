//! Which documents are read, how far, and how many at a time.

use std::io::ErrorKind;
use std::sync::Arc;

use codex_agents_md::{DirectoryRow, DirectoryState, InstructionsOptions};
use codex_file_system::MAX_READ_FILE_BYTES;
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::scripted::{Script, scripted, scripted_hiding_sizes};
use crate::support::{codes, load, load_with, memory, one_turn, text, uri};

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
        get_metadata: 3,
        read_file_prefix: 6,
        ..Calls::default()
    };
    assert_eq!(fs.calls(), expected);
    // One byte more than the budget tells that the document does not fit.
    assert_eq!(fs.bytes_read(), 4 + 32_769 + 4);
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
fn of_documents_over_budget_nothing_is_used_not_even_a_failure() {
    let tree = nested(&["= 12345".into(), "= 6".into(), "!000 = secret".into()]);
    let outcome = load("project_doc_max_bytes = 5", memory(&tree), "/r/d/d");
    assert_eq!(text(&outcome), "12345");
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
    let tree = nested(&["=  %20%20%20%20%20".into(), "= abc".into(), "= def".into()]);
    let outcome = load("project_doc_max_bytes = 6", memory(&tree), "/r/d/d");
    assert_eq!(text(&outcome), "abc\n\ndef");
}

#[test]
fn the_length_of_a_cut_document_is_asked_for_where_its_read_does_not_tell_it() {
    let fs = Arc::new(scripted_hiding_sizes([
        (uri("/.git"), Script::file(b"")),
        (uri("/AGENTS.md"), Script::file(b"0123456789")),
    ]));
    let outcome = load("project_doc_max_bytes = 6", Arc::clone(&fs), "/");
    let row = &outcome.report.environments[0].directories[0];
    assert_eq!(columns(row), (DirectoryState::Cut, 10, 6, 4, 0));
    assert_eq!(outcome.report.environments[0].calls.candidate_probes, 1);
}

#[test]
fn what_metadata_claims_about_a_document_says_nothing() {
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
fn the_size_of_a_document_over_budget_is_that_of_its_read() {
    let tree = nested(&["= one".into(), "= two".into()]);
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree)
        .unwrap()
        .without_sizes();
    let outcome = load("project_doc_max_bytes = 3", Arc::new(fs), "/r/d");
    assert_eq!(codes(&outcome.diagnostics), ["document_over_budget"]);
    assert_eq!(
        outcome.diagnostics[0].to_string(),
        "the project document `file:///r/d/AGENTS.md` is not used because the budget is spent: \
         all of it lost, 3 bytes in environment `local`"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

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
