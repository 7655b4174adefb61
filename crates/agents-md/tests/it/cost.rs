//! What a load costs: calls and dependent round trips, asserted for equality on a filesystem that
//! counts and that delays every call by one unit of virtual time. Each phase is as long as its
//! span is open.

use std::sync::Arc;

use codex_agents_md::{InstructionsOptions, load_project_instructions_with};
use codex_config::Config;
use codex_file_system::Window;
use codex_file_system::wrap::Calls;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde::Deserialize;

use crate::case_file::cases;
use crate::recorder::Recorder;
use crate::support::{config, metered, one_turn, timed, units, uri};

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
    expected_candidate_calls: u64,
    expected_read_calls: u64,
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
        let (config, options) = (self.config(), self.options());
        let load = load_project_instructions_with(&config, None, &snapshot, &options);
        let (outcome, actual) = phases(load);

        let calls = outcome.report.environments[0].calls;
        assert_eq!(calls.marker_probes, self.expected_marker_calls, "{name}");
        assert_eq!(
            calls.candidate_probes, self.expected_candidate_calls,
            "{name}"
        );
        assert_eq!(calls.reads, self.expected_read_calls, "{name}");
        let expected = Calls {
            get_metadata: self.expected_marker_calls + self.expected_candidate_calls,
            read_file: self.expected_read_calls,
            ..Calls::default()
        };
        assert_eq!(metered.calls(), expected, "{name}");
        assert_eq!(actual, self.expected_round_trips, "{name}");
        assert!(metered.peak_in_flight() <= self.candidate_window.max(self.read_window).max(8));
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

    fn options(&self) -> InstructionsOptions {
        InstructionsOptions::default()
            .with_candidate_window(Window::new(self.candidate_window).unwrap())
            .with_read_window(Window::new(self.read_window).unwrap())
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

/// Runs a load and tells how many round trips each phase took.
fn phases<T>(load: impl Future<Output = T>) -> (T, RoundTrips) {
    let recorder = Recorder::default();
    let (output, total) = tracing::subscriber::with_default(recorder.clone(), || timed(load));
    let spans = recorder.spans();
    let phase = |name| {
        let span = spans.iter().find(|span| span.name == name);
        units(span.map(|span| span.open_for).unwrap_or_default())
    };
    let (markers, candidates, reads) = (phase("root_search"), phase("candidates"), phase("reads"));
    (
        output,
        RoundTrips {
            markers,
            candidates,
            reads,
            total,
        },
    )
}

fn marker_names(count: usize) -> Vec<String> {
    (0..count)
        .map(|marker| format!(".marker{marker}"))
        .collect()
}

/// Three documents in `repo`, `repo/crates` and `repo/crates/core`, seven ancestors.
#[test]
fn three_documents_cost_sixteen_calls_and_four_round_trips() {
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
        get_metadata: 7 + 6,
        read_file: 3,
        ..Calls::default()
    };
    assert_eq!(fs.calls(), expected);
    assert_eq!(
        actual,
        RoundTrips {
            markers: 1,
            candidates: 2,
            reads: 1,
            total: 4
        }
    );
}

#[test]
fn markers_that_find_nothing_are_asked_for_in_every_ancestor_once() {
    let fs = metered("/a/b/c/");
    let snapshot = one_turn(Arc::clone(&fs), uri("/a/b/c"));
    let config = config("project_root_markers = ['x', 'y', 'z', './x', 'x/']");
    let options = InstructionsOptions::default();
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let (outcome, actual) = phases(load);
    let calls = outcome.report.environments[0].calls;
    assert_eq!(
        (calls.marker_probes, calls.candidate_probes, calls.reads),
        (4 * 3, 2, 0)
    );
    assert_eq!(
        actual,
        RoundTrips {
            markers: 2,
            candidates: 2,
            reads: 0,
            total: 4
        }
    );
}

#[test]
fn disabled_traversal_asks_for_no_marker() {
    let fs = metered("/r/.git/\n/r/AGENTS.md = root\n/r/a/AGENTS.md = a");
    let snapshot = one_turn(Arc::clone(&fs), uri("/r/a"));
    let (config, options) = (
        config("project_root_markers = []"),
        InstructionsOptions::default(),
    );
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let (outcome, actual) = phases(load);
    assert_eq!(outcome.loaded.unwrap().text(), "a");
    assert_eq!(
        actual,
        RoundTrips {
            markers: 0,
            candidates: 2,
            reads: 1,
            total: 3
        }
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// A directory is asked once the directory a window ahead of it has been judged; in it one
    /// name is asked after the other.
    #[test]
    fn candidates_take_as_many_round_trips_as_the_formula_says(
        asked in prop::collection::vec(1..=5_usize, 1..20),
        window in prop_oneof![1..=8_usize, Just(32)],
    ) {
        const NAMES: [&str; 4] = ["AGENTS.override.md", "AGENTS.md", "n2.md", "n3.md"];
        let mut lines = vec!["/r/.git/".to_owned()];
        for (depth, asked) in asked.iter().enumerate() {
            let directory = format!("/r{}", "/d".repeat(depth));
            lines.push(format!("{directory}/"));
            // The fifth answer is that there is none.
            if let Some(name) = NAMES.get(asked - 1) {
                lines.push(format!("{directory}/{name} = x"));
            }
        }
        let asked: Vec<u64> = asked.iter().map(|asked| (*asked).min(NAMES.len()) as u64).collect();
        let mut ends: Vec<u64> = Vec::new();
        for (index, asked) in asked.iter().enumerate() {
            let judged = ends.iter().take((index + 1).saturating_sub(window));
            ends.push(judged.max().copied().unwrap_or(0) + asked);
        }

        let fs = metered(&lines.join("\n"));
        let cwd = format!("/r{}", "/d".repeat(asked.len() - 1));
        let snapshot = one_turn(Arc::clone(&fs), uri(&cwd));
        let config = config("project_doc_fallback_filenames = ['n2.md', 'n3.md']");
        let options =
            InstructionsOptions::default().with_candidate_window(Window::new(window).unwrap());
        let load = load_project_instructions_with(&config, None, &snapshot, &options);
        let (outcome, actual) = phases(load);
        prop_assert_eq!(actual.candidates, ends.into_iter().max().unwrap());
        let calls = outcome.report.environments[0].calls;
        prop_assert_eq!(calls.candidate_probes, asked.iter().sum::<u64>());
        prop_assert!(fs.peak_in_flight() <= window.max(8));
    }
}
