//! Environments that are hard to reach: what is reported, who waits for whom, and the end.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;

use codex_file_system_testkit::build_on_disk;
use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};

use crate::environments::{TREE, program, run};
use crate::sandbox::{BINARY, Sandbox};

/// Puts a pipe into the work tree, at which one process can wait for another one.
fn fifo(sandbox: &Sandbox, name: &str) {
    build_on_disk(&sandbox.path("/w"), &format!("/{name} |")).unwrap();
}

#[test]
fn an_environment_that_cannot_be_reached_is_reported_and_the_others_load() {
    let sandbox = Sandbox::new(TREE);
    let other = format!("b={}", program(&sandbox, "two"));
    let arguments = [
        "instructions",
        "two",
        "--sources",
        "--env",
        "gone=ws://127.0.0.1:1",
        "--env",
        &other,
    ];
    let ran = run(&sandbox, &arguments);
    assert_eq!(
        ran.stdout,
        "/sandbox/home/AGENTS.md\n/sandbox/w/two/AGENTS.md\n"
    );
    let expected =
        "error: cannot reach the environment `gone` (ws://127.0.0.1:1) [environment_unreachable]\n";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        run(&sandbox, &[&arguments[..], &["--check"]].concat()).code,
        Some(1)
    );
    // Rows have the column of several environments, whoever answers.
    let rows = run(&sandbox, &[&arguments[..2], &arguments[3..]].concat()).stdout;
    assert!(rows.ends_with("\t32764\tb\n"), "{rows}");
}

/// A program that does not end, as one that is hard to reach, before the other one is asked for a
/// project root; from then on it cannot be started any more.
const HELD: &str = "#!/bin/sh
test -e given-up && exit 7
read -r asked < asked && touch given-up
exit 7
";

/// A server that tells once that it is asked for a project root.
const TELLING: &str = "#!/bin/sh
while IFS= read -r line; do
  case $line in *.git*) test -e told || { touch told; echo > asked; } ;; esac
  printf '%s\\n' \"$line\"
done | '{BINARY}' serve --listen stdio
";

#[test]
fn an_environment_is_searched_while_another_one_is_still_being_reached() {
    for targets in [
        ["a=exec:./held", "b=exec:./telling"],
        ["b=exec:./telling", "a=exec:./held"],
    ] {
        let sandbox = Sandbox::new(TREE);
        sandbox.program("held", HELD);
        sandbox.program("telling", &TELLING.replace("{BINARY}", BINARY));
        fifo(&sandbox, "asked");
        let mut arguments = vec!["instructions", "two", "--sources"];
        arguments.extend(targets.iter().flat_map(|target| ["--env", target]));
        let ran = run(&sandbox, &arguments);
        let documents = "/sandbox/home/AGENTS.md\n/sandbox/w/two/AGENTS.md\n";
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), documents));
        // Had it waited in vain, it would have been given up for its silence.
        assert!(ran.stderr.contains("exit status: 7"), "{}", ran.stderr);
    }
}

#[test]
fn reaching_no_environment_is_a_failure_of_its_own() {
    let sandbox = Sandbox::new(TREE);
    let mut said = String::new();
    for targets in [
        &["ws://127.0.0.1:1"][..],
        &["exec:/nonexistent/program"],
        &["exec:sh -c 'echo no such box >&2; exit 7'"],
        &["a=ws://127.0.0.1:1", "b=ws://127.0.0.1:1"],
    ] {
        let mut arguments = vec!["instructions", "one"];
        arguments.extend(targets.iter().flat_map(|target| ["--env", target]));
        let ran = run(&sandbox, &arguments);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(3), ""),
            "{targets:?}"
        );
        writeln!(said, "{}\n{}", targets.join(" "), ran.stderr).unwrap();
    }
    assert_snapshot!("unreachable", said);
}

/// A program that never answers, and tells that it lives by what it holds open.
const SILENT: &str = "#!/bin/sh
exec 3> alive
echo started >&3
cat > /dev/null
";

#[test]
fn an_interrupt_ends_a_run_that_waits_for_an_environment_and_leaves_no_process() {
    let sandbox = Sandbox::new(TREE);
    sandbox.program("silent", SILENT);
    fifo(&sandbox, "alive");
    let mut command = sandbox.command(&["instructions", "one", "--env", "exec:./silent"]);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut alive = BufReader::new(File::open(sandbox.path("/w/alive")).unwrap());
    alive.read_line(&mut String::new()).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    // Ends when nobody holds it open any longer.
    alive.read_to_end(&mut Vec::new()).unwrap();
}

/// A program that never answers and does not mind that nobody writes to it any more.
const STUBBORN: &str = "#!/bin/sh
exec 3> alive
echo started >&3
exec sleep 600
";

#[test]
fn a_signal_that_ends_a_run_leaves_no_process_that_ignores_the_end_of_its_input() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let sandbox = Sandbox::new(TREE);
        sandbox.program("stubborn", STUBBORN);
        fifo(&sandbox, "alive");
        let mut command = sandbox.command(&["instructions", "one", "--env", "exec:./stubborn"]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut alive = BufReader::new(File::open(sandbox.path("/w/alive")).unwrap());
        alive.read_line(&mut String::new()).unwrap();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(code));
        assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
        alive.read_to_end(&mut Vec::new()).unwrap();
    }
}

/// A server that greets and then ends.
const MORTAL: &str = r#"#!/bin/sh
IFS= read -r line
printf '{"id":1,"result":{"sessionId":"s"}}\n'
"#;

#[test]
fn a_machine_that_stops_answering_is_out_of_reach_and_no_wrong_directory() {
    let sandbox = Sandbox::new(TREE);
    sandbox.program("mortal", MORTAL);
    let ran = run(&sandbox, &["instructions", "--env", "m=exec:./mortal"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    let expected = "error: cannot reach the environment `m` (exec:./mortal);";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn a_token_in_clear_text_is_refused_unless_that_is_allowed_or_the_way_is_this_machine() {
    let sandbox = Sandbox::new("/w/AGENTS.md = a");
    let run = |target: &str, more: &[&str]| {
        let mut command = sandbox.bare_command();
        command.env("TOKEN", "the-token");
        command.args(["root", "--env", target, "--token-env", "TOKEN"]);
        sandbox.finish(command.args(more))
    };
    let refused = run("ws://build.invalid:7070", &[]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("in clear text"),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stderr.contains("--allow-clear-text-token"),
        "{}",
        refused.stderr
    );
    // Nobody is there, which is found out by asking.
    let allowed = run("ws://build.invalid:7070", &["--allow-clear-text-token"]);
    assert_eq!(allowed.code, Some(3), "{}", allowed.stderr);
    let here = run("ws://127.0.0.1:1", &[]);
    assert_eq!(here.code, Some(3), "{}", here.stderr);
}

#[test]
fn a_password_in_a_url_is_refused_and_never_printed() {
    let sandbox = Sandbox::new("");
    for url in ["ws://ada:pw7secret@h:1", "x=wss://pw7secret@h/p"] {
        let mut command = sandbox.bare_command();
        let ran = sandbox.finish(command.args(["root", "--env", url]));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            !said.contains("pw7secret") && said.contains("***@h"),
            "{said}"
        );
    }
}
