//! `--stats`, `--latency` and `--window`: exact counts, on this machine.

use pretty_assertions::assert_eq;

use crate::sandbox::Sandbox;

/// The root is probe 3 of 10 or more; documents in the root and in the start directory.
const DEEP: &str = "\
/w/1/2/3/4/5/6/7/repo/.git/
/w/1/2/3/4/5/6/7/repo/AGENTS.md = 0123456789
/w/1/2/3/4/5/6/7/repo/a/b/AGENTS.md = 0123456789
/home/AGENTS.md = user";

const START: &str = "1/2/3/4/5/6/7/repo/a/b";

/// The line of `--stats` up to the time.
fn stats(arguments: &[&str]) -> String {
    let sandbox = Sandbox::new(DEEP);
    let ran = sandbox.run(&[&["instructions", START, "--stats"], arguments].concat());
    let line = ran.stderr.lines().last().unwrap();
    let (counts, time) = line.rsplit_once(", ").unwrap();
    assert!(time.ends_with(" ms"), "{line}");
    counts.to_owned()
}

#[test]
fn stats_count_calls_in_flight_and_round_trips_exactly() {
    // Start directory, 3 configuration files, 2 user-level names and their text; 8 markers;
    // 2 names in each of 3 directories; 2 documents. Round trips: base, markers, 2 names,
    // documents; the user-level text comes with the markers.
    let expected = "stats: 23 calls (get_metadata 17, read_file 6), 9 in flight at most, \
                    5 round trips, 24 bytes read";
    assert_eq!(stats(&["--text"]), expected);
}

#[test]
fn listings_are_made_for_the_table_and_json_only() {
    for format in ["table", "json", "jsonl"] {
        assert!(
            stats(&["--format", format]).contains(", read_directory 3)"),
            "{format}"
        );
    }
    for other in ["--text", "--sources", "--check"] {
        assert!(!stats(&[other]).contains("read_directory"), "{other}");
    }
}

#[test]
fn a_window_of_one_is_the_serial_algorithm() {
    // Of the markers, only the 3 that count are asked for.
    let expected = "stats: 18 calls (get_metadata 12, read_file 6), 1 in flight at most, \
                    18 round trips, 24 bytes read";
    assert_eq!(stats(&["--text", "--window", "1"]), expected);
}

#[test]
fn latency_changes_no_count() {
    assert_eq!(stats(&["--text", "--latency", "1"]), stats(&["--text"]));
}

#[test]
fn a_window_bounds_what_is_in_flight() {
    assert!(stats(&["--text", "--window", "4"]).contains(", 4 in flight at most, "));
}

#[test]
fn one_session_start_makes_no_call_twice() {
    let sandbox = Sandbox::new(DEEP);
    let trusted = "[projects.\"{SANDBOX}/w/1/2/3/4/5/6/7/repo\"]\ntrust_level = \"trusted\"\n";
    sandbox.write("/home/config.toml", trusted);
    for markers in [
        "['.git']",
        "['.git', '.hg']",
        "['.hg', '.git']",
        "['.hg', 'CLAUDE.md']",
    ] {
        let markers = format!("project_root_markers={markers}");
        let arguments = [
            "instructions",
            START,
            "--format",
            "table",
            "-vv",
            "-c",
            &markers,
        ];
        let ran = sandbox.run(&arguments);
        let calls = ran
            .stderr
            .lines()
            .filter_map(|line| Some(line.split_once("call=")?.1));
        let mut calls: Vec<&str> = calls
            .filter_map(|call| Some(call.split_once(" environment=")?.0))
            .collect();
        let made = calls.len();
        calls.sort_unstable();
        calls.dedup();
        assert_eq!(
            (calls.len(), made > 15),
            (made, true),
            "{markers}: {}",
            ran.stderr
        );
    }
}

#[test]
fn configuration_is_not_asked_for_twice() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/.codex/config.toml = \n");
    let ran = sandbox.run(&["config", "r", "--window", "1", "--stats"]);
    // Start directory, one marker, the disabled project file; three files of the base layers.
    let expected =
        "stats: 6 calls (get_metadata 3, read_file 3), 1 in flight at most, 6 round trips";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn the_git_root_is_looked_for_only_where_the_trust_table_speaks() {
    let markers = [
        "--text",
        "--window",
        "1",
        "-c",
        "project_root_markers=['AGENTS.md']",
    ];
    let metadata = |more: &[&str]| {
        let stats = stats(&[&markers[..], more].concat());
        let (_, count) = stats.split_once("get_metadata ").unwrap();
        count.split(',').next().unwrap().parse::<u32>().unwrap()
    };
    let entry = "projects={\"/elsewhere\"={trust_level=\"trusted\"}}";
    // The marker is in the start directory; `.git` two directories above it.
    assert_eq!(metadata(&["-c", entry]), metadata(&[]) + 3);
    let nothing = "projects={\"/elsewhere\"={}}";
    assert_eq!(metadata(&["-c", nothing]), metadata(&[]));
}

#[test]
fn a_bad_argument_costs_no_call() {
    let sandbox = Sandbox::new(DEEP);
    for command in ["instructions", "root", "config"] {
        let ran = sandbox.run(&[command, "missing", "--stats", "-c", "bad"]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.contains("stats: 0 calls, "), "{}", ran.stderr);
        assert!(ran.stderr.contains("error: -c: `bad`: "), "{}", ran.stderr);
    }
}

#[test]
fn what_asks_nothing_costs_nothing() {
    let ran = Sandbox::new("").run(&["uri", "/x", "--stats"]);
    let expected = "stats: 0 calls, 0 in flight at most, 0 round trips, 0 bytes read, ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}
