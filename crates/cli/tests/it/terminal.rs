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
fn exact_text_is_escaped_on_a_terminal_and_nowhere_else() {
    let sandbox = Sandbox::new(
        "\
/w/r/.git/
/w/r/AGENTS.md = \u{1b}[31mred%0A%09tab
/w/r/.agents/skills/s/SKILL.md = ---%0Aname: s%0Adescription: d%0A---%0A\u{1b}]0;x%07\u{202e}",
    );
    for (arguments, raw, escaped) in [
        (
            &["instructions", "--text"][..],
            "\u{1b}[31mred\n\ttab",
            "\\u{1b}[31mred\n\ttab",
        ),
        (
            &["skills", "read", "s"],
            "\n---\n\u{1b}]0;x\u{7}\u{202e}",
            "\n---\n\\u{1b}]0;x\\u{7}\\u{202e}",
        ),
    ] {
        let exact = sandbox.run_in("/w/r", arguments).clean();
        assert!(exact.contains(raw), "{exact:?}");
        let mut command = sandbox.command(arguments);
        command
            .args(["--color", "never"])
            .current_dir(sandbox.path("/w/r"));
        let (shown, code) = run_on_terminal(command, 80);
        assert_eq!(code, Some(0));
        let (result, told) = shown.split_once("note: ").unwrap();
        assert!(result.contains(escaped), "{result:?}");
        assert!(
            !shown.contains(['\u{1b}', '\u{7}', '\u{202e}']),
            "{shown:?}"
        );
        assert!(told.ends_with(" [text_escaped]\n"), "{told:?}");
    }
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

#[test]
fn a_terminal_gets_diagnostics_by_code_with_native_paths_the_most_severe_first() {
    let mut tree = "/w/r/.git/\n/w/r/.agents/skills/bad/SKILL.md = none\n".to_owned();
    for name in ["a", "b", "c", "d", "e"] {
        tree.push_str("/w/r/.agents/skills/");
        tree.push_str(name);
        tree.push_str("/skill.md = ---%0Adescription: d%0A---%0A\n");
    }
    let sandbox = Sandbox::new(&tree);
    let arguments = ["skills", "--color", "never"];
    let shown = |more: &[&str]| {
        let mut command = sandbox.command(&[&arguments[..], more].concat());
        command.current_dir(sandbox.path("/w/r"));
        sandbox.shown(&run_on_terminal(command, 200).0)
    };
    let unasked = shown(&[]);
    let told: Vec<&str> = unasked.lines().filter(|line| line.ends_with(']')).collect();
    assert!(told[0].starts_with("error: "), "{unasked}");
    assert!(
        told[0].contains("/sandbox/w/r/.agents/skills/bad/SKILL.md")
            && !told[0].contains("file://")
            && !told[0].contains("environment `local`"),
        "{unasked}"
    );
    let misnamed = |text: &str| text.matches(" [skill_file_misnamed]\n").count();
    assert_eq!(misnamed(&unasked), 3, "{unasked}");
    let rest = "  and 2 more [skill_file_misnamed]; -v shows them all\n";
    assert!(unasked.ends_with(rest), "{unasked}");
    assert_eq!(misnamed(&shown(&["-v"])), 5);
}

#[test]
fn the_rows_of_a_pipe_have_a_name_and_json_has_a_flag() {
    let sandbox = Sandbox::new(REPO);
    let run = |arguments: &[&str]| {
        sandbox
            .run(&[&["root", "repo"], arguments].concat())
            .clean()
    };
    assert_eq!(run(&["--format", "tsv"]), run(&[]));
    assert_eq!(run(&["--json"]), run(&["--format", "json"]));
    let both = sandbox.run(&["root", "--json", "--format", "table"]);
    assert_eq!(both.code, Some(2));
}

#[test]
fn help_names_no_option_without_effect() {
    let sandbox = Sandbox::new("");
    let help = |arguments: &[&str]| {
        let mut command = sandbox.bare_command();
        sandbox
            .finish(command.args(arguments).arg("--help"))
            .clean()
    };
    for (command, without) in [
        (
            &["uri"][..],
            &["--env", "--profile", "--stats", "--window"][..],
        ),
        (
            &["completions"],
            &["--env", "--format", "--check", "--stats"],
        ),
        (&["skills", "validate"], &["--profile", "--cwd", "-c <"]),
        (&["plugins"], &["--profile", "--cwd", "-c <"]),
    ] {
        for option in without {
            let help = help(command);
            assert!(!help.contains(option), "{command:?} {option}: {help}");
        }
    }
    assert!(help(&["instructions"]).contains("--profile"));
}
