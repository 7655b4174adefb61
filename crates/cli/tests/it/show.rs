//! `show`: everything that a session starts with.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const REPO: &str = "\
/home/AGENTS.md = Be brief.%0A
/home/config.toml = project_doc_max_bytes = 30%0A
/w/repo/.git/
/w/repo/AGENTS.md = Root rules apply.%0A
/w/repo/core/AGENTS.md = Core is frozen since May.%0A
/w/repo/.agents/skills/deploy/SKILL.md = ---%0Aname: deploy%0Adescription: Ships it.%0A---%0A
/user/.agents/skills/notes/SKILL.md = ---%0Aname: notes%0Adescription: Takes notes.%0A---%0A
/w/release/.codex-plugin/plugin.json = {\"name\": \"release\"}
/w/release/.mcp.json = {\"mcpServers\": {\"log\": {\"command\": \"log\"}}}";

const ASKED: [&str; 4] = ["show", "repo/core", "--root", "release"];

#[test]
fn the_page_shows_sources_by_kind_with_their_size_and_what_was_lost_first() {
    let sandbox = Sandbox::new(REPO);
    let page = sandbox.run(&[&ASKED[..], &["--format", "table"]].concat());
    assert_snapshot!("page", page.all());
}

#[test]
fn the_text_is_the_instructions_and_then_the_catalog() {
    let sandbox = Sandbox::new(REPO);
    let text = sandbox.run(&["show", "repo/core", "--text"]).stdout;
    let instructions = sandbox.run(&["instructions", "repo/core", "--text"]).stdout;
    let catalog = sandbox.run(&["skills", "repo/core", "--catalog"]).stdout;
    assert_eq!(text, format!("{instructions}\n{catalog}"));
}

#[test]
fn the_document_has_every_part() {
    let sandbox = Sandbox::new(REPO);
    let document = sandbox.run(&[&ASKED[..], &["--json"]].concat()).json();
    let names = |list: &str, key: &str| {
        let items = document[list].as_array().unwrap().iter();
        let names = items.map(|item| item[key].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names("environments", "rootNative").len(), 1);
    let kinds = [
        "user_instructions",
        "document",
        "document",
        "skill",
        "skill",
    ];
    assert_eq!(names("sources", "kind"), kinds);
    assert_eq!(names("skills", "name"), ["deploy", "notes"]);
    assert_eq!(names("plugins", "name"), ["release"]);
    assert_eq!(document["mcpServers"].as_array().unwrap().len(), 1);
    assert_eq!(names("diagnostics", "code")[0], "document_truncated");
}

#[test]
fn the_size_is_that_of_the_text() {
    let sandbox = Sandbox::new(REPO);
    // Paths are part of the text, so nothing is replaced in them here.
    let run = |option: &str| {
        sandbox
            .command(&["show", "repo", option])
            .output()
            .unwrap()
            .stdout
    };
    let document: Value = serde_json::from_slice(&run("--json")).unwrap();
    assert_eq!(document["size"]["bytes"], json!(run("--text").len()));
}

#[test]
fn a_loss_ends_the_run_with_1_where_it_is_checked() {
    let sandbox = Sandbox::new(REPO);
    assert_eq!(sandbox.run(&["show", "repo/core", "--check"]).code, Some(1));
    assert_eq!(sandbox.run(&["show", "repo", "--check"]).code, Some(0));
}

#[test]
fn a_watch_tells_what_changed_at_every_line_and_ends_with_the_input() {
    let sandbox = Sandbox::new(REPO);
    let mut command = sandbox.command(&["show", "repo", "--watch"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = command.spawn().unwrap();
    let mut input = running.stdin.take().unwrap();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    let mut line = || lines.next().unwrap().unwrap();
    while !line().starts_with("lost first") {}

    input.write_all(b"\n").unwrap();
    assert!(line().starts_with("nothing changed, "));

    sandbox.write("/w/repo/AGENTS.md", "Other rules.");
    input.write_all(b"\n").unwrap();
    let changed = sandbox.shown(&line());
    assert_eq!(
        changed,
        "changed: document /sandbox/w/repo/AGENTS.md in `local`"
    );
    assert!(line().ends_with(" calls"));

    // A file that is half written is told; the watch goes on with what it knew.
    sandbox.write("/home/config.toml", "half = ");
    input.write_all(b"\n").unwrap();
    let mut told = BufReader::new(running.stderr.take().unwrap()).lines();
    assert!(told.next().unwrap().unwrap().starts_with("error: "));
    drop(input);
    assert_eq!(running.wait().unwrap().code(), Some(0));
}

#[test]
fn an_interval_refreshes_without_being_asked() {
    let sandbox = Sandbox::new(REPO);
    let mut command = sandbox.command(&["show", "repo", "--watch", "--interval", "1"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = command.spawn().unwrap();
    let input = running.stdin.take();
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("nothing changed, ")));
    drop((input, lines));
    assert!(running.wait().unwrap().code().is_some());
}
