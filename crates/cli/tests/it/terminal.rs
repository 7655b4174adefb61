//! What a person sees on a terminal.

use insta::assert_snapshot;
use pretty_assertions::assert_eq;

use crate::pseudo_terminal::run_on_terminal;
use crate::sandbox::Sandbox;

const REPO: &str = "\
/w/repo/.git/
/w/repo/AGENTS.md = Root rules apply.%0A
/w/repo/a/b/AGENTS.md = 0123456789";

#[test]
fn a_terminal_gets_a_coloured_table_of_its_width() {
    let sandbox = Sandbox::new(REPO);
    let limit = "project_doc_max_bytes=20";
    let command = sandbox.command(&["instructions", "repo/a/b", "-c", limit]);
    let (shown, code) = run_on_terminal(command, 46);
    assert_eq!(code, Some(0));
    let rows = shown.lines().skip_while(|line| !line.contains("DIRECTORY"));
    let rows: Vec<&str> = rows.take_while(|line| !line.is_empty()).collect();
    assert_snapshot!("coloured", rows.join("\n").replace('\u{1b}', "<ESC>"));
}

#[test]
fn a_dumb_terminal_gets_no_colours() {
    let sandbox = Sandbox::new(REPO);
    let mut command = sandbox.command(&["root", "repo"]);
    command.env("TERM", "dumb");
    assert!(!run_on_terminal(command, 80).0.contains('\u{1b}'));
}

#[test]
fn after_exact_text_the_prompt_begins_its_own_line() {
    let sandbox = Sandbox::new(REPO);
    let (shown, _) = run_on_terminal(sandbox.command(&["instructions", "repo", "--text"]), 80);
    assert!(shown.ends_with("\n</INSTRUCTIONS>\n"), "{shown}");
}

#[test]
fn who_waits_is_shown_one_line_of_progress_that_is_wiped() {
    let sandbox = Sandbox::new(REPO);
    let arguments = ["root", "repo", "--latency", "500", "--color", "never"];
    let (shown, _) = run_on_terminal(sandbox.command(&arguments), 80);
    let result = shown.find("directory  ").unwrap();
    let (progress, result) = shown.split_at(result);
    assert!(progress.contains(" in flight, "), "{shown:?}");
    assert!(progress.ends_with("\r\u{1b}[K"), "{shown:?}");
    assert!(
        !result.contains('\u{1b}') && !progress.contains('\n'),
        "{shown:?}"
    );
}

#[test]
fn who_does_not_wait_sees_no_progress() {
    let sandbox = Sandbox::new(REPO);
    let command = sandbox.command(&["root", "repo", "--color", "never"]);
    assert!(!run_on_terminal(command, 80).0.contains('\u{1b}'));
}
