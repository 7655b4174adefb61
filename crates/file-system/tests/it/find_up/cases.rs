//! Every case of `find-up.json` and `find-up-more.json`, with windows 1 and 8, on a filesystem in memory that counts,
//! delays and fails as the case says.

use std::io;
use std::time::Duration;

use codex_file_system::error::{kind_from_name, kind_name};
use codex_file_system::{
    ExecutorFileSystem, FileSystemError, FindUpErrorPolicy, FindUpOptions, FindUpOutcome,
    FindUpStop, MarkerKind, Window, find_git_root, find_nearest_ancestor_with_markers,
    find_nearest_native_ancestor_with_markers, find_up, find_up_native,
};
use codex_file_system_testkit::cases::{self, CaseFile, check_each, read_cases};
use codex_file_system_testkit::meter::Metered;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{AbsolutePathBuf, PathUri};
use pretty_assertions::assert_eq;
use serde::Deserialize;

use crate::support::{Table, delayed, ms, on_paused_clock, table_over};

const FILES: [CaseFile; 2] = [
    cases::FIND_UP,
    CaseFile {
        name: "find-up-more.json",
        text: include_str!("../../data/find-up-more.json"),
        cases: 97,
    },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    flavor: CaseFlavor,
    api: Api,
    tree: Vec<String>,
    start: String,
    markers: Vec<String>,
    policy: Policy,
    ceiling: Option<PathUri>,
    #[serde(default)]
    kind: Kind,
    #[serde(default)]
    faults: Vec<CaseFault>,
    #[serde(default)]
    latencies: Vec<CaseLatency>,
    expect: Expect,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CaseFlavor {
    Posix,
    Windows,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Api {
    Uri,
    Native,
    Git,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Policy {
    Propagate,
    Ignore,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Any,
    File,
    Directory,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFault {
    path: PathUri,
    kind: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseLatency {
    path: PathUri,
    ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    root: Option<String>,
    marker: Option<PathUri>,
    error: Option<ExpectedError>,
    ignored_errors: Vec<ExpectedError>,
    stopped: Option<String>,
    consumed: Vec<PathUri>,
    window_1: ExpectedCost,
    window_8: ExpectedCost,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedError {
    path: Option<PathUri>,
    kind: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedCost {
    calls: usize,
    peak_in_flight: usize,
    elapsed_ms: u64,
    round_trips: Option<u64>,
}

/// All that a case says of one search.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    answer: Answer,
    /// The probes whose results were used, in order.
    consumed: Vec<PathUri>,
    calls: usize,
    peak_in_flight: usize,
    elapsed: Duration,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Answer {
    root: Option<String>,
    marker: Option<PathUri>,
    error: Option<ExpectedError>,
    ignored_errors: Vec<ExpectedError>,
    stopped: Option<String>,
    /// How many results were used; unknown after an error.
    consumed: Option<usize>,
}

/// The cases that can be run on this host.
fn cases() -> impl Iterator<Item = cases::Case<Case>> {
    let is_for_this_host = |case: &cases::Case<Case>| case.body.is_for_this_host();
    read_cases(&FILES).into_iter().filter(is_for_this_host)
}

#[test]
fn every_case_holds_for_windows_one_and_eight() {
    check_each(cases(), if cfg!(unix) { 178 } else { 165 }, |case| {
        let case = &case.body;
        for (window, cost) in [(1, &case.expect.window_1), (8, &case.expect.window_8)] {
            let said = case.search(Window::new(window).unwrap());
            assert_eq!(said, case.expected(cost), "window {window}");
        }
    });
}

#[test]
fn the_simple_functions_find_the_same_roots() {
    let is_simple =
        |case: &cases::Case<Case>| case.body.ceiling.is_none() && case.body.kind == Kind::Any;
    check_each(
        cases().filter(is_simple),
        if cfg!(unix) { 151 } else { 139 },
        |case| {
            assert_eq!(case.body.simple_search(), case.body.root_or_error());
        },
    );
}

impl Case {
    /// A native search takes a path of this host.
    fn is_for_this_host(&self) -> bool {
        self.api != Api::Native || cfg!(unix) == (self.flavor == CaseFlavor::Posix)
    }

    fn filesystem(&self) -> Table {
        let flavor = match self.flavor {
            CaseFlavor::Posix => Flavor::Posix,
            CaseFlavor::Windows => Flavor::Windows,
        };
        let memory = MemoryFileSystem::from_tree(flavor, &self.tree.join("\n")).unwrap();
        let faults = self.faults.iter();
        let faults = faults.map(|fault| (fault.path.clone(), Err(kind_from_name(&fault.kind))));
        table_over(memory, faults)
    }

    fn policy(&self) -> FindUpErrorPolicy {
        match self.policy {
            Policy::Propagate => FindUpErrorPolicy::Propagate,
            Policy::Ignore => FindUpErrorPolicy::Ignore,
        }
    }

    fn options(&self, window: Window) -> FindUpOptions {
        let mut options = FindUpOptions::new(self.policy()).with_window(window);
        options.ceiling.clone_from(&self.ceiling);
        options.kind = match self.kind {
            Kind::Any => MarkerKind::Any,
            Kind::File => MarkerKind::File,
            Kind::Directory => MarkerKind::Directory,
        };
        options
    }

    /// One search with delays, for the costs, and one without, which asks exactly what it uses.
    fn search(&self, window: Window) -> Said {
        let options = self.options(window);
        let slow = delayed(self.filesystem(), 50);
        let slow = self.latencies.iter().fold(slow, |slow, latency| {
            slow.with_path(latency.path.clone(), ms(latency.ms))
        });
        let fs = Metered::with_delay(slow, Duration::ZERO);
        let (answer, elapsed) = on_paused_clock(self.answer(&fs, &options));
        let at_once = self.filesystem();
        let (answer_at_once, _) = on_paused_clock(self.answer(&at_once, &options));
        assert_eq!(answer, answer_at_once);
        Said {
            answer,
            consumed: at_once.alteration().asked(),
            calls: fs.cost().total(),
            peak_in_flight: fs.cost().most_in_flight,
            elapsed,
        }
    }

    async fn answer(&self, fs: &impl ExecutorFileSystem, options: &FindUpOptions) -> Answer {
        if self.api == Api::Native {
            let start = AbsolutePathBuf::try_from(self.start.as_str()).unwrap();
            let outcome = find_up_native(fs, &start, &self.markers, options, None).await;
            Answer::new(outcome, |root| root.display().to_string())
        } else {
            let start = self.start.parse().unwrap();
            let outcome = find_up(fs, &start, &self.markers, options, None).await;
            Answer::new(outcome, |root| root.to_string())
        }
    }

    fn expected(&self, cost: &ExpectedCost) -> Said {
        let expect = &self.expect;
        if let Some(round_trips) = cost.round_trips {
            assert_eq!(cost.elapsed_ms, round_trips * 50);
        }
        Said {
            answer: Answer {
                root: expect.root.clone(),
                marker: expect.marker.clone(),
                error: expect.error.clone(),
                ignored_errors: expect.ignored_errors.clone(),
                stopped: expect.stopped.clone(),
                consumed: expect.stopped.as_ref().map(|_| expect.consumed.len()),
            },
            consumed: expect.consumed.clone(),
            calls: cost.calls,
            peak_in_flight: cost.peak_in_flight,
            elapsed: ms(cost.elapsed_ms),
        }
    }

    /// The root by the function without options.
    fn simple_search(&self) -> Result<Option<String>, String> {
        let fs = self.filesystem();
        let (markers, policy) = (&self.markers, self.policy());
        let (root, _) = on_paused_clock(async {
            if self.api == Api::Native {
                let start = AbsolutePathBuf::try_from(self.start.as_str()).unwrap();
                let root =
                    find_nearest_native_ancestor_with_markers(&fs, &start, markers, policy, None);
                return root.await.map(|root| Some(root?.display().to_string()));
            }
            let start = self.start.parse().unwrap();
            if self.api == Api::Git {
                return Ok(find_git_root(&fs, &start, None)
                    .await
                    .map(|root| root.to_string()));
            }
            let root = find_nearest_ancestor_with_markers(&fs, &start, markers, policy, None);
            root.await.map(|root| Some(root?.to_string()))
        });
        root.map_err(|error| kind_name(error.kind()).to_owned())
    }

    fn root_or_error(&self) -> Result<Option<String>, String> {
        match &self.expect.error {
            Some(error) => Err(error.kind.clone()),
            None => Ok(self.expect.root.clone()),
        }
    }
}

impl Answer {
    fn new<P>(outcome: io::Result<FindUpOutcome<P>>, text: impl FnOnce(P) -> String) -> Self {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                let path = FileSystemError::find(&error).map(|payload| payload.path.clone());
                let kind = kind_name(error.kind()).to_owned();
                return Self {
                    error: Some(ExpectedError { path, kind }),
                    ..Self::default()
                };
            }
        };
        let ignored = outcome.ignored_errors.into_iter();
        let ignored_errors = ignored.map(|probe| ExpectedError {
            path: Some(probe.path),
            kind: kind_name(probe.error.kind()).to_owned(),
        });
        let stopped = match outcome.stopped {
            FindUpStop::Found => "found",
            FindUpStop::FilesystemRoot => "filesystem_root",
            FindUpStop::Ceiling => "ceiling",
            FindUpStop::NoMarkers => "no_markers",
        };
        Self {
            root: outcome.ancestor.map(text),
            marker: outcome.marker,
            error: None,
            ignored_errors: ignored_errors.collect(),
            stopped: Some(stopped.to_owned()),
            consumed: Some(outcome.probes_consumed),
        }
    }
}
