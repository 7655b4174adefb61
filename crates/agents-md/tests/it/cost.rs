//! What a load costs: calls and dependent round trips, asserted for equality on a filesystem that
//! counts and that delays every call by one unit of virtual time. Each phase is as long as its
//! span is open.

use std::sync::Arc;

use codex_agents_md::{
    InstructionsOptions, ProjectRootInput, documents_for, expect_documents,
    load_project_instructions_with,
};
use codex_config::{Config, ValueOrigin, find_project_root, usable_markers};
use codex_file_system::wrap::Calls;
use codex_file_system::{FindUpErrorPolicy, Lookahead, Window};
use codex_path_uri::PathConvention;
use pretty_assertions::assert_eq;
use serde::Deserialize;

use crate::case_file::cases;
use crate::recorder::Recorder;
use crate::support::{config, memory, metered, one_turn, paused, timed, turn, turns, units, uri};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CostCase {
    name: String,
    #[serde(rename = "theme")]
    _theme: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    directories: usize,
    markers: usize,
    names: usize,
    documents: Documents,
    ancestors_above_root: usize,
    marker_window: usize,
    candidate_window: usize,
    read_window: usize,
    expected_marker_calls: u64,
    #[serde(rename = "expected_candidate_calls")]
    _candidate_calls: u64,
    #[serde(rename = "expected_read_calls")]
    _read_calls: u64,
    expected_round_trips: RoundTrips,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Documents {
    Root,
    All,
    Cwd,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundTrips {
    markers: u64,
    candidates: u64,
    reads: u64,
    total: u64,
}

#[test]
fn every_cost_case_costs_what_the_table_says() {
    let cases: Vec<CostCase> = cases(|theme| theme == "cost");
    assert_eq!(cases.len(), 40 + 8);
    for case in &cases {
        assert_eq!(case.marker_window, 8, "find-up's own window");
        case.assert_cost();
    }
}

impl CostCase {
    fn assert_cost(&self) {
        let name = &self.name;
        let metered = metered(&self.tree());
        let snapshot = one_turn(
            Arc::clone(&metered),
            uri(&self.directories()[self.directories - 1]),
        );
        let window = self.candidate_window.max(self.read_window).max(8);
        let (config, options) = (self.config(), in_window(window));
        let load = load_project_instructions_with(&config, None, &snapshot, &options);
        let (outcome, (markers, documents, total)) = phases(load);

        let calls = outcome.report.environments[0].calls;
        assert_eq!(calls.marker_probes, self.expected_marker_calls, "{name}");
        assert_eq!(markers, self.expected_round_trips.markers, "{name}");
        assert_eq!(calls.candidate_probes, 0, "{name}");
        // Every name of every directory, but for those that an earlier one makes needless in time.
        let names = self.directories * self.names;
        let round_trips = names.div_ceil(window) as u64;
        if self.names == 2 {
            assert_eq!(
                (calls.reads, documents),
                (names as u64, round_trips),
                "{name}"
            );
        }
        assert!(
            calls.reads <= names as u64 && documents <= round_trips,
            "{name}"
        );
        let expected = Calls {
            get_metadata: self.expected_marker_calls,
            read_file_prefix: calls.reads,
            ..Calls::default()
        };
        assert_eq!(metered.calls(), expected, "{name}");
        assert_eq!(total, markers + documents, "{name}");
        if window >= 32 {
            assert!(total <= self.expected_round_trips.total, "{name}");
        }
        assert!(metered.peak_in_flight() <= window);
    }

    fn config(&self) -> Config {
        let markers = marker_names(self.markers);
        let names: Vec<String> = (2..self.names)
            .map(|name| format!("fallback{name}.md"))
            .collect();
        config(&format!(
            "project_root_markers = {markers:?}\nproject_doc_fallback_filenames = {names:?}"
        ))
    }

    fn tree(&self) -> String {
        let directories = self.directories();
        let mut lines = vec![format!(
            "{}/{}/",
            directories[0],
            marker_names(self.markers)[0]
        )];
        for (index, directory) in directories.iter().enumerate() {
            let has_document = match self.documents {
                Documents::Root => index == 0,
                Documents::All => true,
                Documents::Cwd => index + 1 == self.directories,
                Documents::None => false,
            };
            if has_document {
                lines.push(format!("{directory}/AGENTS.md = document {index}"));
            }
        }
        lines.push(format!("{}/", directories[self.directories - 1]));
        lines.join("\n")
    }

    /// Native paths, root first.
    fn directories(&self) -> Vec<String> {
        let above = "/above".repeat(self.ancestors_above_root - 1);
        let below = |depth| format!("{above}/root{}", "/below".repeat(depth));
        (0..self.directories).map(below).collect()
    }
}

/// Runs a load and tells how many round trips markers, documents and all of it took.
fn phases<T>(load: impl Future<Output = T>) -> (T, (u64, u64, u64)) {
    let recorder = Recorder::default();
    let (output, total) = tracing::subscriber::with_default(recorder.clone(), || timed(load));
    let spans = recorder.spans();
    let phase = |name| {
        let span = spans.iter().find(|span| span.name == name);
        units(span.map(|span| span.open_for).unwrap_or_default())
    };
    // The root is searched within the span of the documents.
    let markers = phase("root_search");
    (output, (markers, phase("documents") - markers, total))
}

fn in_window(window: usize) -> InstructionsOptions {
    InstructionsOptions {
        window: Window::new(window).unwrap(),
        ..InstructionsOptions::default()
    }
}

fn marker_names(count: usize) -> Vec<String> {
    (0..count)
        .map(|marker| format!(".marker{marker}"))
        .collect()
}

/// Three documents in `repo`, `repo/crates` and `repo/crates/core`, seven ancestors.
#[test]
fn three_documents_cost_thirteen_calls_and_two_round_trips() {
    let tree = "
        /a/b/c/repo/.git/
        /a/b/c/repo/AGENTS.md = one
        /a/b/c/repo/crates/AGENTS.md = two
        /a/b/c/repo/crates/core/AGENTS.md = three";
    let fs = metered(tree);
    let snapshot = one_turn(Arc::clone(&fs), uri("/a/b/c/repo/crates/core"));
    let (config, options) = (config(""), InstructionsOptions::default());
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let (_, actual) = phases(load);
    // All ancestors of the directory fit the window of the root search.
    let expected = Calls {
        get_metadata: 7,
        read_file_prefix: 6,
        ..Calls::default()
    };
    assert_eq!(fs.calls(), expected);
    assert_eq!(actual, (1, 1, 2));
}

#[test]
fn documents_below_a_known_root_take_as_many_round_trips_as_windows_of_names() {
    for (window, documents, round_trips, reads) in [
        (32, 3, 1, 6),
        (32, 5, 1, 10),
        (32, 9, 1, 18),
        (32, 20, 2, 40),
        (64, 20, 1, 40),
        (1, 3, 6, 6),
    ] {
        let cwd = format!("/r{}", "/d".repeat(documents - 1));
        let at = (0..documents).map(|depth| format!("/r{}/AGENTS.md = x", "/d".repeat(depth)));
        let tree = at.collect::<Vec<_>>().join("\n") + "\n/r/.git/";
        let policy = FindUpErrorPolicy::Propagate;
        let markers = usable_markers(None, ValueOrigin::Default, PathConvention::Posix);
        let memory = memory(&tree);
        let search = paused(find_project_root(&*memory, &uri(&cwd), markers, policy)).unwrap();
        let fs = metered(&tree);
        let turn = turn("local", Arc::clone(&fs), uri(&cwd))
            .with_project_root(ProjectRootInput::Known(search));
        let (config, options, snapshot) = (config(""), in_window(window), turns([turn]));
        let load = load_project_instructions_with(&config, None, &snapshot, &options);
        let (outcome, actual) = timed(load);
        assert_eq!(outcome.loaded.unwrap().entries().len(), documents);
        let calls = fs.calls();
        let expected = (round_trips, reads, reads);
        let actual = (actual, calls.read_file_prefix, calls.total());
        assert_eq!(actual, expected, "{documents} in window {window}");
    }
}

#[test]
fn a_session_that_expects_the_documents_waits_for_none_of_them() {
    let fs = metered("/r/.git/\n/r/AGENTS.md = x\n/r/d/AGENTS.md = y");
    let lookahead = Lookahead::new(&*fs, Window::default());
    let names = ["AGENTS.override.md".to_owned(), "AGENTS.md".to_owned()];
    let (_, round_trips) = timed(lookahead.drive(async {
        for directory in ["/r", "/r/d"] {
            expect_documents(&lookahead, &uri(directory), &names, 32_768);
        }
        for path in ["/r/AGENTS.md", "/r/d/AGENTS.md"] {
            lookahead.read_beginning(&uri(path), 32_769).await.unwrap();
        }
    }));
    assert_eq!((round_trips, fs.calls().read_file_prefix), (1, 4));
}

#[test]
fn the_documents_of_a_file_below_cost_only_the_directories_that_the_session_did_not_consider() {
    let fs = metered("/r/.git/\n/r/AGENTS.md = x\n/r/d/e/AGENTS.md = y\n/r/d/e/f.rs =");
    let turn = turn("local", Arc::clone(&fs), uri("/r"));
    let (config, snapshot) = (config(""), turns([turn.clone()]));
    let options = InstructionsOptions::default();
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let session = paused(load).report.environments.remove(0);
    for (file, texts, reads, expected) in [
        ("/r/f.rs", vec!["x"], 0, 0),
        ("/r/d/e/f.rs", vec!["x", "y"], 4, 1),
        ("/elsewhere/f.rs", vec![], 0, 0),
    ] {
        fs.reset();
        let lookahead = Lookahead::new(&*fs, Window::default());
        let (file, policy) = (uri(file), options.document_errors);
        let search = documents_for(&lookahead, &config, &turn, &session, &file, policy);
        let (found, round_trips) = timed(lookahead.drive(search));
        let rows = found.directories.iter();
        assert_eq!(rows.filter_map(|row| row.text()).collect::<Vec<_>>(), texts);
        assert_eq!(
            (fs.calls().total(), round_trips),
            (reads, expected),
            "{file}"
        );
    }
}

#[test]
fn markers_that_find_nothing_are_asked_for_in_every_ancestor_once() {
    let fs = metered("/a/b/c/");
    let snapshot = one_turn(Arc::clone(&fs), uri("/a/b/c"));
    let config = config("project_root_markers = ['x', 'y', 'z', './x', 'x/']");
    let options = in_window(8);
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let (outcome, actual) = phases(load);
    let calls = outcome.report.environments[0].calls;
    assert_eq!((calls.marker_probes, calls.reads), (4 * 3, 2));
    assert_eq!(actual, (2, 1, 3));
}

#[test]
fn disabled_traversal_asks_for_no_marker() {
    let fs = metered("/r/.git/\n/r/AGENTS.md = root\n/r/a/AGENTS.md = a");
    let snapshot = one_turn(Arc::clone(&fs), uri("/r/a"));
    let config = config("project_root_markers = []");
    let options = InstructionsOptions::default();
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let (outcome, actual) = phases(load);
    assert_eq!(outcome.loaded.unwrap().text(), "a");
    assert_eq!(actual, (0, 1, 1));
}
