//! Every window finds what a loop without any window finds, whatever the latencies and faults.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::time::Duration;

use codex_file_system::error::filesystem_loop;
use codex_file_system::wrap::{Counting, Latency};
use codex_file_system::{
    FileKind, FileSystemError, FindUpErrorPolicy, FindUpOptions, FindUpOutcome, FindUpStop,
    MarkerKind, TokioTimer, Window, find_up,
};
use codex_path_uri::PathUri;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::{Table, ms, on_paused_clock, table, uri};

type Answer = Result<FileKind, ErrorKind>;

#[derive(Clone, Debug)]
struct Search {
    start: PathUri,
    markers: Vec<&'static str>,
    options: FindUpOptions,
    answers: Vec<(PathUri, Answer, u64)>,
}

/// What a search says, in a form that can be compared.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Found {
        ancestor: PathUri,
        marker: PathUri,
        consumed: usize,
        ignored: Vec<Failure>,
    },
    Nothing {
        stopped: FindUpStop,
        consumed: usize,
        ignored: Vec<Failure>,
    },
    Failed(Failure),
}

type Failure = (PathUri, ErrorKind);

/// The rule as one loop.
fn naive(search: &Search, table: &Table) -> Said {
    let FindUpOptions {
        error_policy,
        ceiling,
        kind,
        ..
    } = &search.options;
    if search.markers.is_empty() {
        return Said::Nothing {
            stopped: FindUpStop::NoMarkers,
            consumed: 0,
            ignored: vec![],
        };
    }
    let (mut asked, mut ignored) = (HashSet::new(), Vec::new());
    let mut stopped = FindUpStop::FilesystemRoot;
    for ancestor in search.start.ancestors() {
        for marker in &search.markers {
            let marker = ancestor.join(marker).unwrap();
            if !asked.insert(marker.clone()) {
                continue;
            }
            let counts = |found| match kind {
                MarkerKind::Any => true,
                MarkerKind::File => found == FileKind::File,
                MarkerKind::Directory => found == FileKind::Directory,
            };
            match table.alteration().answers.get(&marker).copied() {
                None | Some(Err(ErrorKind::NotFound)) => {}
                Some(Ok(found)) if counts(found) => {
                    let consumed = asked.len();
                    return Said::Found {
                        ancestor,
                        marker,
                        consumed,
                        ignored,
                    };
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => match error_policy {
                    FindUpErrorPolicy::Propagate => return Said::Failed((marker, error)),
                    FindUpErrorPolicy::Ignore => ignored.push((marker, error)),
                },
            }
        }
        if ceiling.as_ref() == Some(&ancestor) {
            stopped = FindUpStop::Ceiling;
            break;
        }
    }
    Said::Nothing {
        stopped,
        consumed: asked.len(),
        ignored,
    }
}

fn said(outcome: std::io::Result<FindUpOutcome>) -> Said {
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            let path = FileSystemError::find(&error).unwrap().path.clone();
            return Said::Failed((path, error.kind()));
        }
    };
    let consumed = outcome.probes_consumed;
    let ignored = outcome.ignored_errors.into_iter();
    let ignored = ignored
        .map(|probe| (probe.path, probe.error.kind()))
        .collect();
    match (outcome.ancestor, outcome.marker) {
        (Some(ancestor), Some(marker)) => Said::Found {
            ancestor,
            marker,
            consumed,
            ignored,
        },
        _ => Said::Nothing {
            stopped: outcome.stopped,
            consumed,
            ignored,
        },
    }
}

fn searches() -> impl Strategy<Value = Search> {
    let markers = [
        ".git", ".hg", "m", "b/m", "../m", ".", "", "a/", "/b/m", ".git/",
    ];
    let markers = prop::collection::vec(select(markers.to_vec()), 0..5);
    let names = prop::collection::vec(select(vec!["a", "b", "m"]), 0..9);
    let policy = select(vec![
        FindUpErrorPolicy::Propagate,
        FindUpErrorPolicy::Ignore,
    ]);
    let kind = select(vec![
        MarkerKind::Any,
        MarkerKind::File,
        MarkerKind::Directory,
    ]);
    let answer = prop_oneof![
        12 => Just(Err(ErrorKind::NotFound)),
        2 => select(vec![FileKind::File, FileKind::Directory, FileKind::Other]).prop_map(Ok),
        1 => select(vec![
            ErrorKind::PermissionDenied,
            ErrorKind::NotADirectory,
            ErrorKind::TimedOut,
            filesystem_loop(),
        ])
        .prop_map(Err),
    ];
    let answers = prop::collection::vec((answer, 0..20_u64), 45);
    (names, markers, policy, kind, 0..12_usize, answers).prop_map(
        |(names, markers, policy, kind, ceiling, answers)| {
            let start = uri("file:///").join(&names.join("/")).unwrap();
            let mut options = FindUpOptions::new(policy).with_kind(kind);
            options.ceiling = start
                .ancestors()
                .chain([uri("file:///elsewhere")])
                .nth(ceiling);
            let probes = start.ancestors().flat_map(|at| {
                markers
                    .iter()
                    .map(move |marker| at.join(marker).unwrap())
                    .collect::<Vec<_>>()
            });
            let answers = probes
                .zip(answers)
                .map(|(probe, (answer, milliseconds))| (probe, answer, milliseconds))
                .collect();
            Search {
                start,
                markers,
                options,
                answers,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_window_says_what_the_loop_says(search in searches()) {
        for window in 1..=8 {
            let table = table(search.answers.iter().cloned().map(|(p, a, _)| (p, a)));
            let expected = naive(&search, &table);
            let mut fs = Latency::new(table, TokioTimer, Duration::ZERO, Duration::ZERO);
            for (probe, _, milliseconds) in &search.answers {
                fs = fs.with_path(probe.clone(), ms(*milliseconds));
            }
            let fs = Counting::new(fs);
            let options = search.options.clone().with_window(Window::new(window).unwrap());
            let (outcome, _) =
                on_paused_clock(find_up(&fs, &search.start, &search.markers, &options, None));
            if let Ok(outcome) = &outcome {
                let most = outcome.probes_consumed + window - 1;
                prop_assert!(outcome.probes_started <= most);
                prop_assert_eq!(outcome.probes_started as u64, fs.calls().total());
            }
            prop_assert!(fs.peak_in_flight() <= window);
            prop_assert_eq!(said(outcome), expected);
        }
    }

    #[test]
    fn a_filesystem_that_answers_at_once_sees_the_serial_calls(search in searches()) {
        for window in [1, 8] {
            let table = table(search.answers.iter().cloned().map(|(p, a, _)| (p, a)));
            let expected = naive(&search, &table);
            let options = search.options.clone().with_window(Window::new(window).unwrap());
            let (outcome, _) =
                on_paused_clock(find_up(&table, &search.start, &search.markers, &options, None));
            if let Ok(outcome) = &outcome {
                prop_assert_eq!(outcome.probes_started, outcome.probes_consumed);
            }
            let asked = table.alteration().asked();
            prop_assert_eq!(asked.iter().collect::<HashSet<_>>().len(), asked.len());
            prop_assert_eq!(said(outcome), expected);
        }
    }
}
