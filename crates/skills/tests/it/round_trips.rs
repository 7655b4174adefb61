//! The stated costs of the layouts: calls by kind and dependent round trips, for every window.

use codex_file_system::Window;
use codex_file_system::wrap::Calls;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_skills::{ManifestLocations, SkillLoadOptions, SkillRoot, SkillScope};
use pretty_assertions::assert_eq;

use crate::support::layouts::{ROOT, layout};
use crate::support::without_listing_flags::WithoutListingFlags;
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
        false => load_counted(WithoutListingFlags(fs), &[root], options),
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
        ("flat100", ALL, 101, 100, 18, 1, [29, 15, 8, 5]),
        ("flat100", TWO, 101, 100, 12, 1, [28, 15, 8, 5]),
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
