//! Every way to end without a result: the exit code and the whole complaint.

use std::fmt::Write as _;
use std::fs::File;
use std::process::Stdio;

use insta::assert_snapshot;
use pretty_assertions::assert_eq;

use crate::sandbox::Sandbox;

#[test]
fn a_directory_that_is_none_is_refused() {
    let sandbox = Sandbox::new("/w/file = x\n/w/loop -> loop");
    let mut said = String::new();
    for command in ["instructions", "root", "config", "skills"] {
        for directory in ["missing", "file", "loop", "file/below"] {
            let ran = sandbox.run(&[command, directory]);
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
            if command == "root" {
                said.push_str(&ran.stderr);
            }
        }
    }
    assert_snapshot!("no_directory", said);
}

#[test]
fn configuration_that_cannot_be_used_is_refused_with_its_place() {
    let mut said = String::new();
    for (path, toml) in [
        ("/home/config.toml", "x = = 1\n"),
        ("/home/config.toml", "project_doc_max_bytes = -1\n"),
        (
            "/home/config.toml",
            "project_doc_fallback_filenames = ['a', 2]\n",
        ),
        ("/home/config.toml", "project_root_markers = '.git'\n"),
        ("/home/config.toml", "profile = 'work'\n"),
        (
            "/home/config.toml",
            "[projects.\"/x\"]\ntrust_level = 'maybe'\n",
        ),
        ("/etc/config.toml", "x = \n"),
        ("/etc/managed_config.toml", "[a]\n[a]\n"),
        ("/home/config.toml/is-a-directory", ""),
    ] {
        let sandbox = Sandbox::new("");
        sandbox.write(path, toml);
        for command in ["instructions", "config", "skills"] {
            let ran = sandbox.run(&[command]);
            assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{toml}");
            if command == "config" {
                writeln!(said, "{toml}{}", ran.stderr).unwrap();
            }
        }
    }
    assert_snapshot!("configuration", said);
}

#[test]
fn a_bad_project_file_is_refused_only_where_it_is_trusted() {
    let sandbox = Sandbox::new("/w/r/.git/");
    sandbox.write("/w/r/.codex/config.toml", "x = = 1\n");
    assert_eq!(sandbox.run(&["instructions", "r"]).code, Some(0));
    let trusted = "[projects.\"{SANDBOX}/w/r\"]\ntrust_level = \"trusted\"\n";
    sandbox.write("/home/config.toml", trusted);
    let ran = sandbox.run(&["instructions", "r"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .starts_with("error: /sandbox/w/r/.codex/config.toml:1:5: "),
        "{}",
        ran.stderr
    );
}

#[test]
fn arguments_that_cannot_be_used_are_refused() {
    let sandbox = Sandbox::new("");
    let mut said = String::new();
    for arguments in [
        &["root", "-c", "key"][..],
        &["root", "-c", "=1"],
        &["root", "-c", "a..b=1"],
        &["root", "-c", "projects.\"/p\".trust_level=1"],
        &["root", "--profile", "../x"],
        &["root", "--window", "0"],
        &["root", "--window", "257"],
        &["root", "--latency", "60001"],
        &["root", "--trace", "trace.png"],
        &["root", "--format", "xml"],
        &["instructions", "--text", "--sources"],
        &["instructions", "--text", "--format", "json"],
        &["instructions", "--sources", "--format", "json"],
        &["uri"],
        &["completions", "csh"],
        &["root", "a", "b"],
        &["frobnicate"],
    ] {
        let ran = sandbox.run(arguments);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
        let first = ran.stderr.lines().next().unwrap();
        writeln!(said, "{}\n  {first}", arguments.join(" ")).unwrap();
    }
    assert_snapshot!("arguments", said);
}

#[test]
fn help_and_version_are_results() {
    let sandbox = Sandbox::new("");
    for option in ["--help", "--version"] {
        let ran = sandbox.finish(sandbox.bare_command().arg(option));
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        assert!(ran.stdout.starts_with("codex-context") || ran.stdout.starts_with("See what"));
    }
    let help = sandbox
        .finish(sandbox.bare_command().args(["instructions", "--help"]))
        .clean();
    assert_snapshot!("help", help);
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let sandbox = Sandbox::new("/w/.git/");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = sandbox
        .command(&["root"])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("error: cannot write the result to standard output; "),
        "{said}"
    );
}

#[test]
fn who_stops_reading_is_not_told_off() {
    let sandbox = Sandbox::new("/w/.git/");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = sandbox
        .command(&["root"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn a_current_directory_that_is_gone_is_a_failure() {
    let sandbox = Sandbox::new("/w/gone/");
    let script = "cd gone && rmdir ../gone && exec \"$0\" root --config-home /";
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", script, crate::sandbox::BINARY])
        .current_dir(sandbox.path("/w"));
    let ran = sandbox.finish(&mut command);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .starts_with("error: cannot tell the current directory; "),
        "{}",
        ran.stderr
    );
}

/// Runs a command of a shell, in which `$0` is the binary.
fn shell(sandbox: &Sandbox, script: &str) -> crate::sandbox::Ran {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, crate::sandbox::BINARY]);
    command.env_clear().current_dir(sandbox.path("/w"));
    sandbox.finish(command.stdin(Stdio::null()))
}

#[test]
fn whoever_may_open_too_few_files_is_told_so() {
    let sandbox = Sandbox::new("");
    // With 0, 1 and 2 open, a runtime needs six more; what comes after it needs some, too.
    for most in 4..=9 {
        for command in [
            "serve --config-home /",
            "serve --config-home / --listen stdio",
            "root --config-home / --env ws://127.0.0.1:1 --cwd /",
        ] {
            let ran = shell(
                &sandbox,
                &format!("ulimit -n {most}; exec \"$0\" {command}"),
            );
            if ran.code == Some(0) {
                continue;
            }
            assert_eq!(ran.code, Some(2), "{most} {command}: {}", ran.stderr);
            let is_told = ran.stderr.starts_with("error: ");
            let names_cause = ran.stderr.contains("Too many open files");
            assert!(is_told && names_cause, "{most} {command}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_config_file_that_is_there_and_cannot_be_read_is_an_error() {
    for entry in ["config.toml -> gone", "config.toml/", "config.toml |"] {
        let sandbox = Sandbox::new(&format!("/home/{entry}\n/w/r/.git/"));
        let ran = sandbox.run(&["instructions", "r"]);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{entry}: {}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains("/sandbox/home/config.toml"),
            "{entry}: {}",
            ran.stderr
        );
    }
}
