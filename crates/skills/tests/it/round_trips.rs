//! The stated costs of the layouts: calls by kind and dependent round trips, for every window.

use codex_file_system::Window;
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_skills::{ManifestLocations, SkillLoadOptions, SkillRoot, SkillScope};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::layouts::{ROOT, layout};
use crate::support::seed::{probe_from_every_plugin, probe_from_every_skill};
use crate::support::without_listing_flags::without_listing_flags;
use crate::support::{Cost, load_counted, local, uri};

/// Round trips at windows 8, 16, 32 and 64.
type Trips = [u64; 4];

fn cost(name: &str, options: &SkillLoadOptions, canonical: bool, has_flags: bool) -> Cost {
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &layout(name, ROOT)).unwrap();
    let path = uri(&format!("file://{ROOT}"));
    let root = SkillRoot {
        canonical: canonical.then(|| path.clone()),
        ..SkillRoot::new(local(), path, SkillScope::Environment)
    };
    let (outcome, cost) = match has_flags {
        true => load_counted(fs, &[root], options),
        false => load_counted(without_listing_flags(fs), &[root], options),
    };
    assert_eq!(outcome.diagnostics, []);
    assert_eq!(outcome.roots[0].calls, cost.calls);
    cost
}

fn check(
    name: &str,
    locations: ManifestLocations,
    canonical: bool,
    has_flags: bool,
    calls: Calls,
    trips: Trips,
) {
    for (window, trips) in [
        (1, calls.total()),
        (8, trips[0]),
        (16, trips[1]),
        (32, trips[2]),
        (64, trips[3]),
    ] {
        let options = SkillLoadOptions {
            window: Window::new(window).unwrap(),
            manifest_locations: locations,
            ..SkillLoadOptions::default()
        };
        let cost = cost(name, &options, canonical, has_flags);
        assert_eq!(
            (cost.calls, cost.round_trips),
            (calls, trips),
            "{name} at window {window}"
        );
        assert!(
            cost.peak <= window,
            "{name}: {} in flight at window {window}",
            cost.peak
        );
    }
}

fn calls(lists: u64, reads: u64, stats: u64, canonical: u64) -> Calls {
    Calls {
        read_directory: lists,
        read_file: reads,
        get_metadata: stats,
        canonicalize: canonical,
        ..Calls::default()
    }
}

const ALL: ManifestLocations = ManifestLocations::ALL;
const TWO: ManifestLocations = ManifestLocations::FIRST_TWO;

#[test]
fn layouts_with_three_manifest_locations() {
    for (name, lists, reads, stats, trips) in [
        ("1x100", 102, 101, 0, [28, 15, 9, 6]),
        ("2x50", 106, 102, 0, [30, 17, 11, 8]),
        ("10x10", 122, 110, 0, [31, 18, 11, 8]),
        ("50x2", 202, 150, 0, [46, 24, 13, 8]),
        ("10x10+10", 133, 120, 18, [36, 19, 11, 8]),
        ("nested", 11, 5, 18, [8, 8, 8, 8]),
        ("flat100", 101, 100, 18, [29, 15, 8, 5]),
        ("empty", 1, 0, 0, [1, 1, 1, 1]),
    ] {
        check(name, ALL, true, true, calls(lists, reads, stats, 0), trips);
    }
}

#[test]
fn layouts_with_two_manifest_locations() {
    for (name, lists, reads, stats, trips) in [
        ("1x100", 102, 101, 0, [28, 15, 9, 6]),
        ("2x50", 106, 102, 0, [30, 17, 11, 8]),
        ("10x10", 122, 110, 0, [31, 18, 11, 8]),
        ("50x2", 202, 150, 0, [46, 24, 13, 8]),
        ("10x10+10", 133, 120, 12, [35, 19, 11, 8]),
        ("nested", 11, 5, 12, [8, 8, 8, 8]),
        ("flat100", 101, 100, 12, [28, 15, 8, 5]),
        ("empty", 1, 0, 0, [1, 1, 1, 1]),
    ] {
        check(name, TWO, true, true, calls(lists, reads, stats, 0), trips);
    }
}

#[test]
fn layouts_without_link_flags() {
    for (name, lists, reads, stats, trips) in [
        ("1x100", 102, 101, 101, [41, 22, 13, 8]),
        ("2x50", 106, 102, 105, [45, 26, 17, 12]),
        ("10x10", 122, 110, 121, [47, 27, 17, 12]),
        ("50x2", 202, 150, 201, [72, 38, 21, 13]),
        ("10x10+10", 133, 120, 150, [53, 28, 17, 12]),
        ("nested", 11, 5, 28, [14, 14, 14, 14]),
        ("flat100", 101, 100, 118, [41, 21, 11, 6]),
        ("empty", 1, 0, 0, [1, 1, 1, 1]),
    ] {
        check(name, ALL, true, false, calls(lists, reads, stats, 0), trips);
    }
}

#[test]
fn the_canonical_root_is_asked_only_where_a_fallback_needs_it() {
    for (name, locations, lists, reads, stats, asked, trips) in [
        ("1x100", ALL, 102, 101, 0, 0, [28, 15, 9, 6]),
        ("10x10+10", ALL, 133, 120, 18, 1, [36, 19, 12, 8]),
        ("10x10+10", TWO, 133, 120, 12, 1, [35, 19, 11, 8]),
        ("nested", ALL, 11, 5, 18, 1, [8, 8, 8, 8]),
        ("nested", TWO, 11, 5, 12, 1, [8, 8, 8, 8]),
        ("flat100", ALL, 101, 100, 18, 1, [29, 16, 8, 5]),
        ("flat100", TWO, 101, 100, 12, 1, [29, 16, 8, 5]),
        ("empty", ALL, 1, 0, 0, 0, [1, 1, 1, 1]),
    ] {
        check(
            name,
            locations,
            false,
            true,
            calls(lists, reads, stats, asked),
            trips,
        );
    }
}

#[test]
fn other_ways_of_finding_skills_ask_more() {
    for (name, from_every_skill, from_every_plugin, here) in [
        ("1x100", 1_304, 506, 203),
        ("2x50", 1_312, 530, 208),
        ("10x10", 1_344, 578, 232),
        ("50x2", 1_504, 818, 352),
        ("10x10+10", 1_596, 630, 265),
    ] {
        let fs = MemoryFileSystem::from_tree(Flavor::Posix, &layout(name, ROOT)).unwrap();
        let root = uri(&format!("file://{ROOT}"));
        let counting = Counting::new(fs);
        block_on(probe_from_every_skill(&counting, &root));
        assert_eq!(counting.calls().total(), from_every_skill, "{name}");
        counting.reset();
        block_on(probe_from_every_plugin(&counting, &root));
        assert_eq!(counting.calls().total(), from_every_plugin, "{name}");
        let options = SkillLoadOptions {
            manifest_locations: TWO,
            ..SkillLoadOptions::default()
        };
        assert_eq!(
            cost(name, &options, true, true).calls.total(),
            here,
            "{name}"
        );
    }
}

#[test]
fn seventeen_times_fewer_round_trips_than_one_call_after_another() {
    for (name, from_every_plugin) in [
        ("1x100", 506),
        ("2x50", 530),
        ("10x10", 578),
        ("50x2", 818),
        ("10x10+10", 630),
    ] {
        let options = SkillLoadOptions {
            window: Window::new(8).unwrap(),
            ..SkillLoadOptions::default()
        };
        let round_trips = cost(name, &options, true, true).round_trips;
        assert!(
            round_trips * 17 <= from_every_plugin,
            "{name}: {round_trips}"
        );
    }
}
