//! Behaviour of the harness through its public interface. Nothing here depends on how long anything
//! takes.

use std::cell::Cell;

use codex_bench_support::{Bench, Mark, Options};
use pretty_assertions::assert_eq;

fn options(args: &[&str]) -> Options {
    Options::from_args(args.iter().map(ToString::to_string))
}

#[test]
fn unknown_arguments_are_ignored() {
    assert_eq!(options(&["--bench", "--nocapture"]), Options::default());
}

#[test]
fn rounds_are_never_fewer_than_five() {
    assert_eq!(options(&["--rounds", "1"]).rounds, 5);
    assert_eq!(options(&["--rounds", "many"]).rounds, 11);
}

#[test]
fn every_side_of_a_contest_works() {
    let (subject, rival) = (Cell::new(0_u32), Cell::new(0_u32));
    let count = |calls: &Cell<u32>| calls.set(calls.get().wrapping_add(1));
    let mut bench = Bench::new("counts", options(&["--rounds", "5"]));
    bench
        .contest("count", "subject", || count(&subject))
        .against("rival", Mark::None, || count(&rival))
        .run();
    assert!(subject.get() > 0);
    assert!(rival.get() > 0);
    let names: Vec<_> = bench
        .outcomes()
        .iter()
        .map(|outcome| (&*outcome.contest, &*outcome.subject))
        .collect();
    assert_eq!(names, [("count", "subject")]);
}

#[test]
fn a_contest_outside_the_filter_does_not_run() {
    let mut bench = Bench::new("filtered", options(&["join"]));
    let calls = Cell::new(0);
    bench
        .contest("parse", "subject", || calls.set(calls.get() + 1))
        .run();
    assert_eq!((calls.get(), bench.outcomes().len()), (0, 0));
}
