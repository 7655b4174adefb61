//! Strategies for what a search is made of: markers, delays and failures.

use std::io::ErrorKind;
use std::time::Duration;

use codex_path_uri::PathUri;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::faulty::Fault;

/// Lists of up to four markers: names, paths, and texts that lead elsewhere or nowhere.
pub fn marker_lists() -> BoxedStrategy<Vec<String>> {
    let texts = [
        ".git",
        ".hg",
        "AGENTS.md",
        "a",
        "b/c",
        ".git/",
        "../a",
        ".",
        "",
        "*.sln",
        "%2e",
        " e ",
    ];
    vec(select(texts.map(str::to_owned).to_vec()), 0..=4).boxed()
}

/// Delays of 0 to 100 ms. Few different ones, so that calls often end at the same time.
pub fn latencies() -> BoxedStrategy<Duration> {
    prop_oneof![select(vec![0, 10, 50]), 0..=100_u64]
        .prop_map(Duration::from_millis)
        .boxed()
}

/// Scripts of up to four faults on these paths: errors and delays, of every call or of one.
///
/// None of them is silence: a search that must answer needs answers.
pub fn faults(paths: Vec<PathUri>) -> BoxedStrategy<Vec<Fault>> {
    if paths.is_empty() {
        return Just(Vec::new()).boxed();
    }
    let kinds = [
        ErrorKind::NotFound,
        ErrorKind::NotADirectory,
        ErrorKind::PermissionDenied,
        ErrorKind::TimedOut,
        ErrorKind::ConnectionReset,
        ErrorKind::Other,
    ];
    let effect = prop_oneof![
        select(kinds.to_vec()).prop_map(Fault::error),
        latencies().prop_map(Fault::delay),
    ];
    let fault = (effect, select(paths), option::of(1..=2_u64)).prop_map(|(fault, path, nth)| {
        let fault = fault.at(path);
        match nth {
            Some(nth) => fault.nth(nth),
            None => fault,
        }
    });
    vec(fault, 0..=4).boxed()
}
