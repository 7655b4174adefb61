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
    // Together: start directory, 3 configuration files, 2 user-level names, 8 markers. Then, when the
    // root is known: 3 project layers that do not apply and 2 names in each of 3 directories.
    let expected = "stats: 23 calls (get_metadata 12, read_file_prefix 11), 14 in flight at most, \
                    2 round trips, 24 bytes read";
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
    let expected = "stats: 18 calls (get_metadata 7, read_file_prefix 11), 1 in flight at most, \
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
        let mut calls = calls(&ran.stderr);
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

/// Skills in two roots of a project, one of a plugin; user and machine have none.
const SKILLS: &str = r#"
/w/repo/.git/
/w/repo/.agents/skills/a/SKILL.md = ---%0Adescription: A%0A---%0A
/w/repo/.agents/skills/p/.codex-plugin/plugin.json = {}
/w/repo/.agents/skills/p/b/SKILL.md = ---%0Adescription: B%0A---%0A
/w/repo/sub/.agents/skills/c/SKILL.md = ---%0Adescription: C%0A---%0A"#;

fn skill_calls(arguments: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new(SKILLS);
    let ran = sandbox.run(&[&["skills", "repo/sub", "-vv"], arguments].concat());
    calls(&ran.stderr)
}

/// The calls that a trace tells of, each as its kind and path.
fn calls(trace: &str) -> Vec<String> {
    let calls = trace
        .lines()
        .filter_map(|line| line.split_once("call="))
        .map(|(_, call)| call);
    let calls = calls.filter_map(|call| Some(call.split_once(" environment=")?.0.to_owned()));
    calls.collect()
}

#[test]
fn skills_share_one_session_start_and_make_no_call_twice() {
    for arguments in [
        &["--format", "table"][..],
        &["--catalog"],
        &["--root", "repo"],
    ] {
        let mut calls = skill_calls(arguments);
        let made = calls.len();
        calls.sort_unstable();
        calls.dedup();
        assert_eq!((calls.len(), made > 20), (made, true), "{arguments:?}");
    }
}

#[test]
fn the_root_search_is_shared_by_configuration_and_skills() {
    let calls = skill_calls(&[]);
    let probes = calls
        .iter()
        .filter(|call| call.contains("/repo/") && call.ends_with("/.git"));
    assert_eq!(probes.count(), 2, "{calls:?}");
}

#[test]
fn stats_count_the_calls_of_skills_exactly() {
    let sandbox = Sandbox::new(SKILLS);
    let ran = sandbox.run(&["skills", "repo/sub", "--window", "1", "--stats"]);
    let root = sandbox.path("/w/repo/.agents/skills");
    // Start directory, 2 markers and 2 project layers; 3 configuration files. Listings: 6 roots that are not there,
    // the 2 others, and 4 directories below them. Three skills and a manifest are read; both
    // roots are resolved. Two skills have no manifest at or below their root, so 3 locations are
    // asked for in each directory above: `sub`, its `.agents`, and those above the other root.
    let above = root.ancestors().skip(1).count() + 2;
    let metadata = 5 + 3 * above;
    let total = metadata + 7 + 12 + 2;
    let expected = format!(
        "stats: {total} calls (get_metadata {metadata}, read_file_prefix 7, read_directory 12, canonicalize 2), "
    );
    assert!(
        ran.stderr.starts_with(&expected),
        "{}{expected}",
        ran.stderr
    );
}

#[test]
fn reading_a_file_costs_its_own_calls_only() {
    let sandbox = Sandbox::new(SKILLS);
    let made = |arguments: &[&str]| calls(&sandbox.run_in("/w/repo", arguments).stderr).len();
    let list = made(&["skills", "-vv"]);
    assert_eq!(made(&["skills", "read", "a", "-vv"]), list + 1);
    assert_eq!(made(&["skills", "read", "a", "SKILL.md", "-vv"]), list + 3);
}

#[test]
fn plugins_are_resolved_together_in_two_round_trips() {
    let tree = "/w/a/.codex-plugin/plugin.json = {}\n/w/b/.codex-plugin/plugin.json = {}\n/w/c/";
    let sandbox = Sandbox::new(tree);
    let ran = sandbox.run(&["plugins", "a", "b", "c", "--mcp", "--stats"]);
    // A listing, metadata and the canonical path of each directory, then of each manifest, which is read.
    let expected = "stats: 15 calls (get_metadata 5, read_file_prefix 2, read_directory 3, canonicalize 5), \
                    9 in flight at most, 2 round trips, ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn the_lint_reads_every_skill_once_and_together() {
    let sandbox = Sandbox::new(SKILLS);
    let lint = |paths: &[&str]| {
        let ran = sandbox.run(&[&["skills", "validate", "--stats"], paths].concat());
        ran.stderr
    };
    let said = lint(&["repo/.agents/skills/a", "repo/.agents/skills/p/b"]);
    let expected = "stats: 2 calls (read_file 2), 2 in flight at most, 1 round trip, ";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn configuration_is_not_asked_for_twice() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/.codex/config.toml = \n");
    let ran = sandbox.run(&["config", "r", "--window", "1", "--stats"]);
    // Start directory, one marker, the disabled project file; three files of the base layers.
    let expected =
        "stats: 6 calls (get_metadata 3, read_file_prefix 3), 1 in flight at most, 6 round trips";
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
    for command in ["instructions", "root", "config", "skills"] {
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
