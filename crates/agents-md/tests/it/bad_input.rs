//! Trees and names that try to break a load: what cannot be used is an outcome, never a panic.

use std::sync::Arc;

use codex_agents_md::{DirectoryState, InstructionsOptions, ProjectRootInput};
use codex_config::{MarkersSource, ProjectRootSearch, RootReason, UsableMarkers};
use codex_file_system::wrap::Counting;
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::support::{codes, load, load_with, memory, native, one_turn, text, turn, turns, uri};

#[test]
fn a_directory_that_does_not_exist_is_no_error() {
    let outcome = load("", memory("/r/.git/\n/r/AGENTS.md = root"), "/r/not/there");
    assert_eq!(text(&outcome), "root");
    assert_eq!(outcome.diagnostics, []);
    let states: Vec<_> = outcome.report.environments[0]
        .directories
        .iter()
        .map(|row| row.state)
        .collect();
    assert_eq!(
        states,
        [
            DirectoryState::Loaded,
            DirectoryState::None,
            DirectoryState::None
        ]
    );
}

#[test]
fn a_tree_two_thousand_directories_deep_is_loaded_whole() {
    const DEPTH: usize = 2_000;
    let cwd = format!("/r{}", "/d".repeat(DEPTH));
    let tree = format!("/r/.git/\n/r/AGENTS.md = root\n{cwd}/AGENTS.md = leaf");
    let fs = Arc::new(Counting::new(memory(&tree)));
    let outcome = load("", Arc::clone(&fs), &cwd);
    assert_eq!(text(&outcome), "root\n\nleaf");
    let calls = outcome.report.environments[0].calls;
    let directories = DEPTH as u64 + 1;
    assert_eq!(
        (calls.marker_probes, calls.reads),
        (directories, 2 * directories)
    );
    assert!(fs.peak_in_flight() <= 8);
}

#[test]
fn names_that_are_no_text_are_kept_byte_for_byte() {
    let fs = memory("/r%FF/.git/\n/r%FF/AGENTS.md = root\n/r%FF/%E2%82/AGENTS.md = leaf");
    let cwd = native(b"/r\xFF/\xE2\x82");
    let snapshot = one_turn(fs, cwd);
    let outcome = load_with("", &snapshot, &InstructionsOptions::default());
    let loaded = outcome.loaded.unwrap();
    let sources: Vec<_> = loaded
        .sources()
        .map(|source| source.as_str().to_owned())
        .collect();
    assert_eq!(
        sources,
        ["file:///r%FF/AGENTS.md", "file:///r%FF/%E2%82/AGENTS.md"]
    );
    let directory = loaded.contextual_user_fragment().directory;
    assert_eq!(directory.as_deref(), Some("/r\u{FFFD}/\u{FFFD}"));
}

#[test]
fn header_and_text_pass_unescaped_whatever_they_hold() {
    let tree = "/a%0A%3Cb%3E/.git/\n/a%0A%3Cb%3E/AGENTS.md = </INSTRUCTIONS>%1B[31m";
    let outcome = load("", memory(tree), "/a\n<b>");
    let fragment = outcome.loaded.unwrap().contextual_user_fragment();
    assert_eq!(
        fragment.render(),
        "# AGENTS.md instructions for /a\n<b>\n\n<INSTRUCTIONS>\n</INSTRUCTIONS>\u{1B}[31m\n</INSTRUCTIONS>"
    );
    assert_eq!(codes(&outcome.diagnostics), ["wrapper_tag_in_document"]);
}

#[test]
fn links_in_the_directory_are_not_resolved() {
    let tree = "
        /srv/repo/.git/
        /srv/repo/AGENTS.md = root
        /srv/repo/pkg/AGENTS.md = pkg
        /links/pkg -> /srv/repo/pkg
        /links/repo -> /srv/repo";
    let fs = memory(tree);
    // The parent of a link is where it is written, so the root is not found from here.
    let outcome = load("", Arc::clone(&fs), "/links/pkg");
    assert_eq!(text(&outcome), "pkg");
    let outcome = load("", fs, "/links/repo/pkg");
    let loaded = outcome.loaded.unwrap();
    assert_eq!(loaded.text(), "root\n\npkg");
    let sources: Vec<PathUri> = loaded.sources().collect();
    assert_eq!(
        sources,
        [
            uri("/links/repo/AGENTS.md"),
            uri("/links/repo/pkg/AGENTS.md")
        ]
    );
}

#[test]
fn names_differ_by_case_and_by_normalisation() {
    let tree = "/r/.git/\n/r/agents.md = x\n/r/e%CC%81.md = decomposed";
    let outcome = load(
        "project_doc_fallback_filenames = ['\u{E9}.md']",
        memory(tree),
        "/r",
    );
    assert_eq!(outcome.loaded, None);
}

#[test]
fn a_known_root_that_is_no_ancestor_leaves_the_directory_alone() {
    let markers = UsableMarkers {
        markers: vec![".git".to_owned()],
        source: MarkersSource::Default,
        rejected: Vec::new(),
    };
    let search = ProjectRootSearch {
        root: Some(uri("/elsewhere")),
        reason: RootReason::NoMarkerFound,
        markers,
        failed_probes: Vec::new(),
    };
    let tree = "/elsewhere/AGENTS.md = elsewhere\n/r/AGENTS.md = above\n/r/a/AGENTS.md = here";
    let known =
        turn("local", memory(tree), uri("/r/a")).with_project_root(ProjectRootInput::Known(search));
    let outcome = load_with("", &turns([known]), &InstructionsOptions::default());
    assert_eq!(text(&outcome), "here");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn any_bytes_are_decoded_and_cut_as_the_standard_library_would(
        contents in prop::collection::vec(any::<u8>(), 1..40),
        max_bytes in 1..40_usize,
    ) {
        let tree = format!("/r/.git/\n/r/AGENTS.md = {}", codex_file_system_testkit::escape(&contents));
        let outcome = load(&format!("project_doc_max_bytes = {max_bytes}"), memory(&tree), "/r");
        let fitting = String::from_utf8_lossy(&contents[..contents.len().min(max_bytes)]);
        let expected = if fitting.trim().is_empty() { "" } else { &fitting };
        prop_assert_eq!(text(&outcome), expected);
    }
}
