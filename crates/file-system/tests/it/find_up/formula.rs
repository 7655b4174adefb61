//! The counts of the ordered window: round trips, time, started probes and calls in flight.

use codex_file_system::wrap::Counting;
use codex_file_system::{
    FileKind, FindUpErrorPolicy, FindUpOptions, MAX_CONCURRENT_PROBES, Window, find_up,
};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use crate::support::{delayed, ms, on_paused_clock, table, uri};

const LATENCY_MS: u64 = 50;

/// What one search cost.
#[derive(Debug, PartialEq, Eq)]
struct Cost {
    started: usize,
    consumed: usize,
    most_in_flight: usize,
    milliseconds: u128,
}

/// A start with this many ancestors, itself included.
fn start(ancestors: usize) -> PathUri {
    (1..ancestors).fold(uri("file:///"), |at, depth| {
        at.join(&format!("d{depth}")).unwrap()
    })
}

/// Searches for `markers` markers, of which the `hit`-th probe succeeds.
fn cost(ancestors: usize, markers: usize, hit: Option<usize>, window: usize) -> Cost {
    let start = start(ancestors);
    let markers: Vec<_> = (0..markers).map(|index| format!("m{index}")).collect();
    let probes = start.ancestors().flat_map(|at| {
        markers
            .iter()
            .map(move |marker| at.join(marker).unwrap())
            .collect::<Vec<_>>()
    });
    let found = hit.and_then(|hit| probes.into_iter().nth(hit - 1));
    let table = table(found.map(|probe| (probe, Ok(FileKind::Directory))));
    let fs = Counting::new(delayed(table, LATENCY_MS));
    let window = Window::new(window).unwrap();
    let options = FindUpOptions::new(FindUpErrorPolicy::Propagate).with_window(window);
    let search = find_up(&fs, &start, &markers, &options, None);
    let (outcome, elapsed) = on_paused_clock(search);
    let outcome = outcome.unwrap();
    assert_eq!(fs.calls().total(), outcome.probes_started as u64);
    assert_eq!(fs.in_flight(), 0);
    Cost {
        started: outcome.probes_started,
        consumed: outcome.probes_consumed,
        most_in_flight: fs.peak_in_flight(),
        milliseconds: elapsed.as_millis(),
    }
}

fn formula(probes: usize, hit: Option<usize>, window: usize) -> Cost {
    let consumed = hit.unwrap_or(probes);
    let width = window.min(MAX_CONCURRENT_PROBES);
    let round_trips = consumed.div_ceil(width);
    Cost {
        started: probes.min(width * round_trips),
        consumed,
        most_in_flight: probes.min(width),
        milliseconds: ms(LATENCY_MS * round_trips as u64).as_millis(),
    }
}

#[test]
fn the_formula_holds_for_every_hit_marker_count_and_window() {
    for markers in 1..=4 {
        for hit in 1..=64_usize {
            let ancestors = hit.div_ceil(markers) + 2;
            for window in 1..=8 {
                assert_eq!(
                    cost(ancestors, markers, Some(hit), window),
                    formula(ancestors * markers, Some(hit), window),
                    "hit at probe {hit}, {markers} markers, window {window}",
                );
            }
        }
    }
}

#[test]
fn the_formula_holds_when_nothing_is_found() {
    for markers in 0..=4 {
        for ancestors in 1..=20 {
            for window in 1..=8 {
                assert_eq!(
                    cost(ancestors, markers, None, window),
                    formula(ancestors * markers, None, window),
                    "{ancestors} ancestors, {markers} markers, window {window}",
                );
            }
        }
    }
}

#[test]
fn the_table_of_costs() {
    let rows = [
        // (hit, probes, [(started, milliseconds) for windows 1, 4 and 8])
        (Some(1), 5, [(1, 50), (4, 50), (5, 50)]),
        (Some(3), 5, [(3, 150), (4, 50), (5, 50)]),
        (Some(3), 20, [(3, 150), (4, 50), (8, 50)]),
        (Some(8), 20, [(8, 400), (8, 100), (8, 50)]),
        (Some(9), 20, [(9, 450), (12, 150), (16, 100)]),
        (Some(12), 20, [(12, 600), (12, 150), (16, 100)]),
        (Some(20), 22, [(20, 1000), (20, 250), (22, 150)]),
        (None, 20, [(20, 1000), (20, 250), (20, 150)]),
    ];
    for (hit, probes, costs) in rows {
        let measured = [1, 4, 8].map(|window| {
            let cost = cost(probes, 1, hit, window);
            (cost.started, cost.milliseconds)
        });
        assert_eq!(measured, costs, "hit at {hit:?} of {probes}");
    }
}

#[test]
fn a_window_above_eight_is_eight() {
    for window in [9, 32, 64] {
        assert_eq!(cost(20, 1, None, window), cost(20, 1, None, 8));
    }
}
