//! `uri`: spellings, parents, repairs and refusals.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use insta::assert_snapshot;
use pretty_assertions::assert_eq;

use crate::sandbox::Sandbox;

const INPUTS: [&str; 10] = [
    "/a b/c%d",
    r"c:\Users\Ana",
    r"\\SERVER\Share\x",
    r"\\.\COM1",
    "file:///C%3A/u/../v",
    "FILE:/x",
    " file:///a b ",
    "file:///%41?q",
    "http://example.com/x",
    "/C:/x",
];

#[test]
fn the_table_is_one_block_for_each_argument() {
    let sandbox = Sandbox::new("");
    let table = [&["uri", "--format", "table"], &INPUTS[..]].concat();
    assert_snapshot!("uri_table", sandbox.run(&table).all());
}

#[test]
fn a_pipe_gets_one_row_for_each_argument() {
    let sandbox = Sandbox::new("");
    assert_snapshot!(
        "uri_rows",
        sandbox.run(&[&["uri"], &INPUTS[..]].concat()).all()
    );
}

#[test]
fn json_holds_one_object_for_each_argument() {
    let sandbox = Sandbox::new("");
    let inputs = [r"c:\x", "file:/x", "http://x"];
    let json = [&["uri", "--format", "json"], &inputs[..]].concat();
    assert_snapshot!("uri_json", sandbox.run(&json).all());
    let jsonl = [&["uri", "--format", "jsonl"], &inputs[..]].concat();
    assert_snapshot!("uri_jsonl", sandbox.run(&jsonl).all());
}

#[test]
fn a_very_deep_path_shows_its_nearest_parents_and_counts_the_others() {
    let sandbox = Sandbox::new("");
    let deep = "/a".repeat(60_000);
    let run = sandbox.run(&["uri", &deep, "--format", "json", "--check"]);
    assert_eq!(
        run.stderr,
        "note: 59936 parents of argument 1, up to the root, are left out [parents_left_out]\n"
    );
    assert_eq!(run.code, Some(0));
    let path = &run.json()["paths"][0];
    assert_eq!(path["ancestors"].as_array().map(Vec::len), Some(64));
    assert_eq!(path["ancestorsLeftOut"], 59_936);
}

#[test]
fn a_relative_path_is_one_of_this_machine() {
    let sandbox = Sandbox::new("");
    for relative in ["sub/../f.txt", "./f.txt", "f.txt"] {
        let json = sandbox.run(&["uri", relative, "--format", "json"]).json();
        assert_eq!(json["paths"][0]["uri"], "file:///sandbox/w/f.txt");
    }
    // Not a drive: this machine's paths have none.
    let json = sandbox.run(&["uri", "c:f", "--format", "json"]).json();
    assert_eq!(json["paths"][0]["uri"], "file:///sandbox/w/c:f");
}

#[test]
fn bytes_that_are_no_text_are_exact_in_the_uri() {
    let sandbox = Sandbox::new("");
    let arguments = [OsStr::new("uri"), OsStr::from_bytes(b"/a/\xff")];
    let row = "/a/\u{fffd}\tfile:///a/%FF\tPOSIX\t/a/\u{fffd}\tfile:///a file:///\t\t\n";
    assert_eq!(
        sandbox.finish(&mut sandbox.command(&arguments)).clean(),
        row
    );
}

#[test]
fn a_refusal_is_a_result_and_a_finding() {
    let sandbox = Sandbox::new("");
    assert_eq!(sandbox.run(&["uri", "http://x"]).code, Some(0));
    assert_eq!(sandbox.run(&["uri", "http://x", "--check"]).code, Some(1));
    assert_eq!(sandbox.run(&["uri", "/x", "--check"]).code, Some(0));
}
