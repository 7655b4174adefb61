//! `--trace`: the calls of a run for Perfetto, as a picture, and in the terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::sandbox::{Ran, Sandbox};

/// The root is probe 3 of more than 8; documents in the root and in the start directory, one of an odd name.
const REPO: &str = "\
/w/1/2/3/r/.git/
/w/1/2/3/r/AGENTS.md = 0123456789
/w/1/2/3/r/a/b&<c>/AGENTS.md = abcdefghij
/home/AGENTS.md = user";

const START: &str = "1/2/3/r/a/b&<c>";

/// Markers are those of the sandbox, however deep the host has put it.
const USUAL: [&str; 6] = ["--text", "--latency", "20", "--window", "3", "--trace"];

fn traced(sandbox: &Sandbox, target: &str) -> Ran {
    sandbox.run(&[&["instructions", START], &USUAL[..], &[target]].concat())
}

/// A place that takes nothing but an empty trace.
fn full(sandbox: &Sandbox) -> &'static str {
    const NAME: &str = "full.svg";
    std::os::unix::fs::symlink("/dev/full", sandbox.path("/w").join(NAME)).unwrap();
    NAME
}

fn read(sandbox: &Sandbox, name: &str) -> String {
    sandbox.shown(&std::fs::read_to_string(sandbox.path("/w").join(name)).unwrap())
}

/// The events of a phase: `X` for slices.
fn events<'a>(document: &'a Value, kind: &str) -> Vec<&'a Value> {
    let events = document["traceEvents"].as_array().unwrap().iter();
    events.filter(|event| event["ph"] == kind).collect()
}

fn number(event: &Value, key: &str) -> f64 {
    event[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key}: {event}"))
}

/// A line whose label, cut to 45 columns, has no directory of this host in it.
fn without_directories(line: &str) -> String {
    let label: String = line.chars().take(45).collect();
    match label.rsplit_once('/') {
        Some((before, name)) => {
            let method = before.split_whitespace().next().unwrap();
            let rest: String = line.chars().skip(45).collect();
            format!("{:<45}{rest}", format!("  {method} …/{}", name.trim_end()))
        }
        None => line.to_owned(),
    }
}

#[test]
fn a_terminal_gets_one_bar_per_call_below_its_phase() {
    let sandbox = Sandbox::new(REPO);
    let arguments = [&["instructions", START], &USUAL[..], &["-"]].concat();
    let output = sandbox.command(&arguments).output().unwrap();
    let shown = String::from_utf8(output.stderr).unwrap();
    let shown: Vec<_> = shown.lines().map(without_directories).collect();
    assert_snapshot!("waterfall", shown.join("\n"));
}

#[test]
fn the_same_latency_gives_the_same_trace() {
    let sandbox = Sandbox::new(REPO);
    assert_eq!(traced(&sandbox, "-"), traced(&sandbox, "-"));
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let sandbox = Sandbox::new(REPO);
    for columns in ["40", "57", "80", "200"] {
        let mut command = sandbox.command(&["root", START, "--trace", "-", "--latency", "1"]);
        let ran = sandbox.finish(command.env("COLUMNS", columns));
        let widest = ran
            .stderr
            .lines()
            .map(|line| line.chars().count())
            .max()
            .unwrap();
        assert!(widest <= columns.parse().unwrap(), "{columns}: {widest}");
    }
}

#[test]
fn chrome_slices_have_all_fields_and_never_overlap_in_a_lane() {
    let sandbox = Sandbox::new(REPO);
    traced(&sandbox, "trace.json").clean();
    let document: Value = serde_json::from_str(&read(&sandbox, "trace.json")).unwrap();
    let slices = events(&document, "X");
    assert!(slices.len() > 15);
    let mut lanes: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    for slice in &slices {
        let lane = (
            slice["pid"].as_u64().unwrap(),
            slice["tid"].as_u64().unwrap(),
        );
        let (start, duration) = (number(slice, "ts"), number(slice, "dur"));
        let free_at = lanes.insert(lane, start + duration).unwrap_or(0.0);
        assert!(free_at <= start, "{slice}");
        assert_eq!(duration, 20_000.0);
        assert!(slice["name"].is_string() && slice["args"]["path"].is_string());
    }
    // A window of three, and the user-level text beside it.
    assert_eq!(
        lanes.keys().map(|(_, lane)| *lane).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    let named = events(&document, "M");
    let names: BTreeSet<_> = named
        .iter()
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    let expected = [
        "environment local",
        "in flight 1",
        "in flight 2",
        "in flight 3",
    ];
    assert_eq!(names, BTreeSet::from(expected));
}

#[test]
fn chrome_arrows_lead_from_an_answer_into_the_phase_that_waited_for_it() {
    let sandbox = Sandbox::new(REPO);
    traced(&sandbox, "trace.json").clean();
    let document: Value = serde_json::from_str(&read(&sandbox, "trace.json")).unwrap();
    let (starts, finishes) = (events(&document, "s"), events(&document, "f"));
    assert_eq!(starts.len(), finishes.len());
    let inside = |event: &Value| {
        let slices = events(&document, "X");
        slices
            .iter()
            .filter(|slice| {
                let (start, at) = (number(slice, "ts"), number(event, "ts"));
                slice["tid"] == event["tid"] && (start..start + number(slice, "dur")).contains(&at)
            })
            .count()
    };
    let mut reached = Vec::new();
    for (start, finish) in starts.iter().zip(&finishes) {
        assert_eq!(
            (&start["id"], &start["name"]),
            (&finish["id"], &finish["name"])
        );
        assert!(number(start, "ts") <= number(finish, "ts"));
        assert_eq!(
            (inside(start), inside(finish), &finish["bp"]),
            (1, 1, &Value::from("e"))
        );
        reached.push(finish["name"].as_str().unwrap());
    }
    for phase in ["markers", "project layers", "documents"] {
        assert!(reached.contains(&phase), "{phase}: {reached:?}");
    }
}

#[test]
fn a_picture_is_xml_with_one_bar_per_call_and_a_legend_with_counts() {
    let sandbox = Sandbox::new(REPO);
    traced(&sandbox, "trace.svg").clean();
    let text = read(&sandbox, "trace.svg");
    let picture = roxmltree::Document::parse(&text).unwrap();
    let elements = || picture.descendants().filter(roxmltree::Node::is_element);
    let bars = elements().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "rect")));
    let bars: Vec<_> = bars
        .filter_map(|bar| bar.first_element_child()?.text())
        .collect();
    let texts: Vec<_> = elements().filter_map(|node| node.text()).collect();
    let total = texts
        .iter()
        .find(|text| text.contains(" calls · "))
        .unwrap();
    assert!(
        total.starts_with(&format!("{} calls · ", bars.len())),
        "{total}"
    );
    // Names are shown as they are, however they had to be escaped.
    let odd =
        "read_file_prefix /sandbox/w/1/2/3/r/a/b&<c>/AGENTS.md\ndocuments, environment local\n";
    assert!(bars.iter().any(|about| about.starts_with(odd)), "{bars:?}");
    for entry in ["configuration ", "markers ", "documents ", "answered "] {
        let counted = elements().any(|node| {
            node.text() == Some(entry)
                && node
                    .first_element_child()
                    .and_then(|count| count.text())
                    .is_some()
        });
        assert!(counted, "{entry}");
    }
    let style = elements()
        .find(|node| node.tag_name().name() == "style")
        .unwrap();
    assert!(style.text().unwrap().contains("prefers-color-scheme: dark"));
    assert!(!text.contains("href") && !text.contains("<script"));
}

#[test]
fn control_characters_of_names_do_not_break_a_picture() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/x%1B%01%0Ay/AGENTS.md = z\n");
    let ran = sandbox.run(&[
        "instructions",
        "r/x\u{1b}\u{1}\ny",
        "--text",
        "--trace",
        "trace.svg",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let text = read(&sandbox, "trace.svg");
    roxmltree::Document::parse(&text).unwrap();
    assert!(text.contains("\\u{1b}\\u{1}\\ny/AGENTS.md"));
}

#[test]
fn a_trace_may_have_any_name_with_the_right_end() {
    let sandbox = Sandbox::new("");
    for name in [&b"\xff.svg"[..], b".svg", b"a.b.SVG"] {
        let name = OsStr::from_bytes(name);
        let arguments = ["uri", "/x", "--trace"].map(OsStr::new);
        let mut command = sandbox.command(&arguments[..2]);
        sandbox
            .finish(command.args(&arguments[2..]).arg(name))
            .clean();
        assert!(sandbox.path("/w").join(name).exists());
    }
}

#[test]
fn bars_without_labels_share_rows() {
    let skills = (0..250).map(|number| {
        format!("/w/r/.agents/skills/s{number}/SKILL.md = ---%0Adescription: D%0A---%0A\n")
    });
    let sandbox = Sandbox::new(&skills.collect::<String>());
    let window = ["--window", "4", "--latency", "1", "--trace", "trace.svg"];
    let catalog = ["-c", "model_context_window=1_000_000"];
    let ran = sandbox.run(&[&["skills", "r"], &window[..], &catalog].concat());
    ran.clean();
    let text = read(&sandbox, "trace.svg");
    let picture = roxmltree::Document::parse(&text).unwrap();
    let titled = |node: &roxmltree::Node<'_, '_>| {
        node.tag_name().name() == "rect" && node.first_element_child().is_some()
    };
    let bars: Vec<_> = picture.descendants().filter(titled).collect();
    assert!(bars.len() > 500, "{}", bars.len());
    let places = bars
        .iter()
        .map(|bar| (bar.attribute("x"), bar.attribute("y")));
    assert_eq!(places.collect::<BTreeSet<_>>().len(), bars.len());
    let rows: BTreeSet<_> = bars.iter().map(|bar| bar.attribute("y")).collect();
    assert!(rows.len() < 60, "{}", rows.len());
}

#[test]
fn what_asks_nothing_gives_an_empty_trace() {
    let sandbox = Sandbox::new("");
    let arguments = |target| ["uri", "/x", "--trace", target];
    assert_eq!(
        sandbox.run(&arguments("-")).stderr,
        "trace: 0 calls, 0 round trips, 0 bytes read, 0\n"
    );
    sandbox.run(&arguments("trace.json")).clean();
    let document: Value = serde_json::from_str(&read(&sandbox, "trace.json")).unwrap();
    assert_eq!(document["traceEvents"], Value::Array(Vec::new()));
    sandbox.run(&arguments("trace.svg")).clean();
    roxmltree::Document::parse(&read(&sandbox, "trace.svg")).unwrap();
}

#[test]
fn every_call_that_counts_is_traced() {
    let sandbox = Sandbox::new(REPO);
    for command in ["instructions", "root", "config"] {
        let ran = sandbox.run(&[command, START, "--stats", "--trace", "-"]);
        let counts = |line: &str| {
            let (_, counts) = line.split_once(": ").unwrap();
            counts.split_once(" calls").unwrap().0.to_owned()
        };
        let mut lines = ran.stderr.lines();
        let stats = lines.find(|line| line.starts_with("stats: ")).map(counts);
        let trace = lines.find(|line| line.starts_with("trace: ")).map(counts);
        assert_eq!(stats, trace, "{command}");
    }
}

#[test]
fn a_trace_shows_the_same_numbers_with_and_without_stats() {
    let sandbox = Sandbox::new(REPO);
    for command in ["instructions", "skills", "root", "config"] {
        let numbers = |more: &[&str]| {
            let arguments = [&[command, START, "--trace", "-"], more].concat();
            let stderr = sandbox.run(&arguments).stderr;
            let mut lines = stderr.lines().filter(|line| line.starts_with("trace: "));
            let (numbers, _time) = lines.next().unwrap().rsplit_once(", ").unwrap();
            numbers.to_owned()
        };
        assert_eq!(numbers(&[]), numbers(&["--stats"]), "{command}");
    }
}

#[test]
fn a_trace_without_a_place_is_refused_before_the_work() {
    let sandbox = Sandbox::new(REPO);
    let ran = sandbox.run(&["root", "1/2/3/r", "--stats", "--trace", "missing/trace.svg"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let expected =
        "error: cannot write the trace to missing/trace.svg; name a file that can be written\n";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn a_trace_that_cannot_be_written_is_a_failure_beside_the_result() {
    let sandbox = Sandbox::new(REPO);
    let ran = sandbox.run(&["root", "1/2/3/r", "--trace", full(&sandbox)]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(2), "/sandbox/w/1/2/3/r\t.git\t/sandbox/w/1/2/3/r\n")
    );
    let expected = "error: cannot write the trace to full.svg; name a file that can be written\n";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn a_trace_that_cannot_be_written_does_not_hide_why_there_is_no_result() {
    let sandbox = Sandbox::new("");
    let target = full(&sandbox);
    let ran = sandbox.run(&["root", "--env", "ws://127.0.0.1:1", "--trace", target]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    for failure in ["error: cannot reach ", "error: cannot write the trace to "] {
        assert!(ran.stderr.contains(failure), "{}", ran.stderr);
    }
}

#[test]
fn a_run_that_fails_is_traced_and_still_fails() {
    let sandbox = Sandbox::new("");
    let ran = sandbox.run(&["root", "missing", "--latency", "1", "--trace", "-"]);
    assert_eq!(ran.code, Some(2));
    // The directory and 3 configuration files, and the markers that are asked for meanwhile.
    let markers = sandbox.path("/w/missing").ancestors().count().min(8);
    let expected = format!("trace: {} calls, 1 round trip, ", 4 + markers);
    assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("error: cannot start in "),
        "{}",
        ran.stderr
    );
}
