//! What a load costs: calls and dependent round trips, asserted for equality on a filesystem that
//! counts and that delays every call by one unit of virtual time. Each phase is as long as its
//! span is open.

use std::sync::Arc;

use codex_agents_md::{InstructionsOptions, load_project_instructions_with};
use codex_config::Config;
use codex_file_system::Window;
use codex_file_system::wrap::Calls;
use pretty_assertions::assert_eq;
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
    assert_eq!(cases.len(), 40);
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
        let recorder = Recorder::default();
        let (outcome, round_trips) = tracing::subscriber::with_default(recorder.clone(), || {
            timed(load_project_instructions_with(
                &config, None, &snapshot, &options,
            ))
        });

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
        let phase = |name| {
            let spans = recorder.spans();
            units(
                spans
                    .iter()
                    .find(|span| span.name == name)
                    .unwrap()
                    .open_for,
            )
        };
        let actual = RoundTrips {
            markers: phase("root_search"),
            candidates: phase("candidates"),
            reads: phase("reads"),
            total: round_trips,
        };
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

fn marker_names(count: usize) -> Vec<String> {
    (0..count)
        .map(|marker| format!(".marker{marker}"))
        .collect()
}
