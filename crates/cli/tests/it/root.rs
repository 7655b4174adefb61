//! `root`: the project root and how it was found.

use insta::assert_snapshot;
use pretty_assertions::assert_eq;

use crate::sandbox::Sandbox;

const NESTED: &str = "/w/repo/.git/\n/w/repo/pkg/Cargo.toml = \n/w/repo/pkg/src/";

#[test]
fn the_table_names_the_root_and_the_marker_that_decided() {
    let sandbox = Sandbox::new(NESTED);
    let table = ["root", "repo/pkg/src", "--format", "table", "--explain"];
    assert_snapshot!("root_table", sandbox.run(&table).all());
}

#[test]
fn a_pipe_gets_root_marker_and_git_root() {
    let sandbox = Sandbox::new(NESTED);
    let markers = "project_root_markers=['Cargo.toml', '.git']";
    let row = "/sandbox/w/repo/pkg\tCargo.toml\t/sandbox/w/repo\n";
    assert_eq!(
        sandbox
            .run(&["root", "repo/pkg/src", "-c", markers])
            .clean(),
        row
    );
}

#[test]
fn explain_in_a_pipe_gives_the_probes() {
    let sandbox = Sandbox::new(NESTED);
    let rows = "\
1\tabsent\t/sandbox/w/repo/pkg/src/.git
2\tabsent\t/sandbox/w/repo/pkg/.git
3\tfound\t/sandbox/w/repo/.git
";
    assert_eq!(
        sandbox.run(&["root", "repo/pkg/src", "--explain"]).clean(),
        rows
    );
}

#[test]
fn a_probe_that_would_be_asked_twice_takes_no_number() {
    let sandbox = Sandbox::new("/w/a/b/");
    std::fs::create_dir(sandbox.path("/w/a/b/m")).unwrap();
    let markers = "project_root_markers=['b/x', 'x', 'm']";
    let rows =
        "1\tabsent\t/sandbox/w/a/b/b/x\n2\tabsent\t/sandbox/w/a/b/x\n3\tfound\t/sandbox/w/a/b/m\n";
    assert_eq!(
        sandbox
            .run(&["root", "a/b", "--explain", "-c", markers])
            .clean(),
        rows
    );
    // From `a` on, `b/x` is the path that `x` in `b` was.
    let markers = "project_root_markers=['b/x', 'x', 'only-here']";
    sandbox.write("/w/a/only-here", "");
    let ran = sandbox
        .run(&["root", "a/b", "--explain", "-c", markers])
        .clean();
    let numbers: Vec<&str> = ran
        .lines()
        .filter_map(|row| row.split('\t').next())
        .collect();
    assert_eq!(numbers, ["1", "2", "3", "4", "5"]);
    let json = sandbox
        .run(&["root", "a/b", "--format", "json", "-c", markers])
        .json();
    assert_eq!(json["reason"]["marker"]["probe"], 5);
}

#[test]
fn json_holds_the_probes_when_they_are_asked_for() {
    let sandbox = Sandbox::new(NESTED);
    let json = ["root", "repo/pkg", "--format", "json", "--explain"];
    assert_snapshot!("root_json", sandbox.run(&json).all());
    let jsonl = ["root", "repo/pkg", "--format", "jsonl", "--explain"];
    assert_snapshot!("root_jsonl", sandbox.run(&jsonl).all());
}

#[test]
fn no_root_is_no_failure() {
    let sandbox = Sandbox::new("/w/a/");
    let markers = "project_root_markers=['no-such-marker']";
    let ran = sandbox.run(&["root", "a", "--format", "table", "--check", "-c", markers]);
    assert_snapshot!("root_none", ran.all());
    assert_eq!(sandbox.run(&["root", "a", "-c", markers]).clean(), "\t\t\n");
}

#[test]
fn a_failed_probe_is_a_finding_that_names_it() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/a/.git -> .git");
    let ran = sandbox.run(&["root", "r/a", "--format", "table", "--explain"]);
    assert_snapshot!("root_failed", ran.all());
    assert_eq!(sandbox.run(&["root", "r/a", "--check"]).code, Some(1));
}

#[test]
fn markers_that_describe_nothing_are_findings() {
    let sandbox = Sandbox::new("/w/r/.git/");
    let ran = sandbox.run(&["root", "r", "-c", "project_root_markers=['../x', '/etc']"]);
    assert_snapshot!("root_markers", ran.all());
}

#[test]
fn the_git_root_costs_no_probe_that_the_search_has_made() {
    // Every marker list, the probes of the root search, and those that the Git root adds.
    let sandbox =
        Sandbox::new("/w/1/2/3/4/5/6/7/.git/\n/w/1/2/3/4/5/6/7/p/m = \n/w/1/2/3/4/5/6/7/p/s/");
    // With other markers than the usual one, the 8 that are expected at the start come on top.
    for (markers, probes, one_by_one) in [
        // Found by the search: 3 probes count, 8 are in flight.
        ("['.git']", 8, 3),
        // `p/m` is probe 4 of 8; `.git` comes before it, so the search goes on above `p`.
        ("['.git', 'm']", 8 + 4 + 8, 4 + 1),
        // `p/m` is probe 3 of 8; the search goes on at `p`.
        ("['m', '.git']", 8 + 4 + 8, 3 + 2),
        // Nothing is known of `.git`.
        ("['m']", 8 + 8 + 8, 2 + 3),
    ] {
        let markers = format!("project_root_markers={markers}");
        for (more, probes) in [(&[][..], probes), (&["--window", "1"], one_by_one)] {
            let usual = ["root", "1/2/3/4/5/6/7/p/s", "--stats", "-c", &markers];
            let ran = sandbox.run(&[&usual[..], more].concat());
            let expected = format!("get_metadata {},", probes + 1);
            assert!(ran.stderr.contains(&expected), "{markers}: {}", ran.stderr);
            assert!(
                ran.stdout.ends_with("\t/sandbox/w/1/2/3/4/5/6/7\n"),
                "{}",
                ran.stdout
            );
        }
    }
    let none = "project_root_markers=['.git', 'absent']";
    std::fs::remove_dir(sandbox.path("/w/1/2/3/4/5/6/7/.git")).unwrap();
    let depth = sandbox.path("/w/1/2/3/4/5/6/7/p/s").ancestors().count();
    let ran = sandbox.run(&["root", "1/2/3/4/5/6/7/p/s", "--stats", "-c", none]);
    let expected = format!("get_metadata {},", 2 * depth + 1);
    assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
}
