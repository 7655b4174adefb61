//! The window and the order of answers change nothing.

use std::time::Duration;

use codex_file_system::wrap::{Calls, Latency};
use codex_file_system::{TokioTimer, Window};
use codex_file_system_testkit::MemoryFileSystem;
use codex_path_uri::PathUri;
use codex_skills::{
    ScanLimit, SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScanLimits, SkillScope,
};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::trees::{Tree, trees};
use super::{cases, limits, load, path, roots, without_calls};
use crate::support::without_listing_flags::without_listing_flags;
use crate::support::{asked, local};

/// Paths that answer later than others, by so many milliseconds.
type Delays = Vec<(PathUri, u16)>;

fn delayed(fs: MemoryFileSystem, delays: &Delays) -> Latency<MemoryFileSystem> {
    let base = Duration::from_millis(7);
    let latency = Latency::new(fs, TokioTimer, base, Duration::ZERO);
    delays.iter().fold(latency, |latency, (path, millis)| {
        latency.with_path(path.clone(), Duration::from_millis(u64::from(*millis)))
    })
}

/// Every path that a serial load asks about.
fn asked_paths(tree: &Tree, roots: &[SkillRoot]) -> Vec<PathUri> {
    let asked = asked(&tree.plant(), roots, &SkillLoadOptions::default());
    asked.into_iter().map(|(_, path)| path).collect()
}

fn sum(outcome: &SkillLoadOutcome) -> Calls {
    outcome
        .roots
        .iter()
        .fold(Calls::default(), |sum, root| Calls {
            get_metadata: sum.get_metadata + root.calls.get_metadata,
            read_file: sum.read_file + root.calls.read_file,
            read_directory: sum.read_directory + root.calls.read_directory,
            canonicalize: sum.canonicalize + root.calls.canonicalize,
            ..sum
        })
}

/// Whether answers in flight were discarded: what they cost depends on the window.
fn discards_answers(outcome: &SkillLoadOutcome) -> bool {
    let mut limits = outcome.diagnostics.iter().map(|found| found.limit);
    limits.any(|limit| limit == Some(ScanLimit::Entries))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn window_and_order_of_answers_change_nothing(
        tree in trees(),
        roots in roots(),
        limits in limits(),
        delays in vec((any::<Index>(), 0..60u16), 0..30),
        has_flags in any::<bool>(),
    ) {
        let paths = asked_paths(&tree, &roots);
        let delays = delays.iter().filter(|_| !paths.is_empty());
        let delays = delays.map(|(index, millis)| (index.get(&paths).clone(), *millis));
        check(&tree, &roots, limits, &delays.collect(), has_flags);
    }
}

/// A tree that once failed, with each path in turn the slowest.
fn check_row(tree: &[&str], roots: &[&str], limits: SkillScanLimits) {
    let tree = Tree::of(tree);
    let roots = roots.iter().map(|root| path(root));
    let roots: Vec<_> = roots
        .map(|root| SkillRoot::new(local(), root, SkillScope::Repo))
        .collect();
    for slowest in asked_paths(&tree, &roots) {
        for has_flags in [false, true] {
            check(
                &tree,
                &roots,
                limits,
                &vec![(slowest.clone(), 60)],
                has_flags,
            );
        }
    }
}

#[test]
fn a_refused_manifest_is_spelled_by_the_canonical_root_whenever_that_is_told() {
    let tree = [
        "/t/a/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/.codex-plugin/plugin.json = nonsense",
        "/t/l -> /t",
    ];
    check_row(&tree, &["/t/l"], SkillScanLimits::default());
}

#[test]
fn a_manifest_without_a_name_is_called_after_the_canonical_root_whenever_that_is_told() {
    let tree = [
        "/t/a/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/.codex-plugin/plugin.json = {}",
        "/t/l -> /t",
    ];
    check_row(&tree, &["/t/l"], SkillScanLimits::default());
}

#[test]
fn a_link_that_has_no_turn_before_the_walk_stops_does_not_spell_the_root() {
    let tree = [
        "/t/b/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/b/.codex-plugin/plugin.json = {\"name\":\"n1\"}",
        "/t/b/a/x = x",
        "/t/b/l -> /t/c",
        "/t/c/",
        "/t/a -> /t/b",
    ];
    let limits = SkillScanLimits {
        max_entries: 4,
        ..SkillScanLimits::default()
    };
    check_row(&tree, &["/t/a"], limits);
}

#[test]
fn nothing_is_asked_above_a_root_whose_manifest_is_needed_and_still_probed() {
    let tree = [
        "/t/b/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/.codex-plugin/plugin.json = {\"name\":\"n1\"}",
        "/t/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/.codex-plugin/plugin.json = {\"name\":\"n2\"}",
        "/t/l -> ..",
    ];
    check_row(&tree, &["/t/b", "/t"], SkillScanLimits::default());
}

fn check(
    tree: &Tree,
    roots: &[SkillRoot],
    limits: SkillScanLimits,
    delays: &Delays,
    has_flags: bool,
) {
    let load = |window: usize, delays: &Delays| {
        let fs = delayed(tree.plant(), delays);
        let options = SkillLoadOptions {
            limits,
            window: Window::new(window).unwrap(),
            ..SkillLoadOptions::default()
        };
        match has_flags {
            true => load(fs, roots, &options),
            false => load(without_listing_flags(fs), roots, &options),
        }
    };
    let serial = load(1, &Delays::new());
    assert_eq!(sum(&serial.outcome), serial.calls);
    for window in [1, 2, 8, 32, 64] {
        let loaded = load(window, delays);
        assert!(
            loaded.peak <= window,
            "{} in flight at window {window}",
            loaded.peak
        );
        if discards_answers(&serial.outcome) {
            // What was asked ahead in vain counts for no root.
            assert!(loaded.calls.total() >= serial.calls.total());
            assert_eq!(sum(&loaded.outcome), serial.calls, "window {window}");
            let expected = without_calls(serial.outcome.clone());
            assert_eq!(without_calls(loaded.outcome), expected, "window {window}");
        } else {
            assert_eq!(loaded.outcome, serial.outcome, "window {window}");
            assert_eq!(loaded.calls, serial.calls, "window {window}");
        }
    }
}
