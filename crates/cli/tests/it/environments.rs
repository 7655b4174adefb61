//! `--env`: other machines, each a second process of our own binary.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;

use insta::assert_snapshot;
use pretty_assertions::assert_eq;

use crate::pseudo_terminal::run_on_terminal;
use crate::sandbox::{BINARY, Ran, Sandbox};
use crate::server::Server;

/// The user's files are here; two projects stand for those of two machines.
pub(crate) const TREE: &str = "\
/home/AGENTS.md = user%0A
/w/one/.git/
/w/one/AGENTS.md = one%0A
/w/one/deep/AGENTS.md = deep%0A
/w/one/.agents/skills/build/SKILL.md = ---%0Aname: build%0Adescription: Builds.%0A---%0A
/w/two/.git/
/w/two/AGENTS.md = two%0A
/w/two/.agents/skills/test/SKILL.md = ---%0Aname: test%0Adescription: Tests.%0A---%0A
/w/two/plugin/.codex-plugin/plugin.json = {\"name\": \"p\"}
/w/token = open sesame";

/// A program that serves `/w/PROJECT` and nothing else on pipes.
pub(crate) fn program(sandbox: &Sandbox, project: &str) -> String {
    let root = sandbox.path("/w").join(project);
    format!(
        "exec:'{BINARY}' serve --listen stdio --read-only --root '{}'",
        root.display()
    )
}

fn cwd(sandbox: &Sandbox, path: &str) -> String {
    sandbox.path("/w").join(path).to_str().unwrap().to_owned()
}

pub(crate) fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.finish(
        sandbox
            .command(arguments)
            .env("HOME", sandbox.path("/home")),
    )
}

#[test]
fn instructions_come_from_the_environment_and_the_user_s_own_from_here() {
    let sandbox = Sandbox::new(TREE);
    let server = Server::start(&sandbox, &[]);
    let here = sandbox.run(&["instructions", "one/deep", "--text"]).clean();
    for target in [server.url.clone(), program(&sandbox, "one")] {
        let arguments = ["instructions", "one/deep", "--text", "--env", &target];
        assert_eq!(sandbox.run(&arguments).clean(), here, "{target}");
    }
}

#[test]
fn every_command_asks_the_environment() {
    let sandbox = Sandbox::new(TREE);
    let target = program(&sandbox, "two");
    let sees = |arguments: &[&str]| {
        let ran = run(&sandbox, &[arguments, &["--env", &target]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout
    };
    assert_eq!(
        sees(&["root", "two"]),
        "/sandbox/w/two\t.git\t/sandbox/w/two\n"
    );
    assert!(sees(&["skills", "two"]).starts_with("test\t"));
    assert!(sees(&["skills", "read", "test", "--cwd", &cwd(&sandbox, "two")]).contains("Tests."));
    assert!(sees(&["plugins", "two/plugin"]).contains("/sandbox/w/two/plugin"));
    sees(&["config", "two"]);
    // What is outside of the served directory exists here only.
    let ran = run(&sandbox, &["root", "one", "--env", &target]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .contains("(environment `codex-context`): it does not exist"),
        "{}",
        ran.stderr
    );
}

#[test]
fn several_environments_are_asked_at_once() {
    let sandbox = Sandbox::new(TREE);
    let (a, b) = (
        format!("a={}", program(&sandbox, "one")),
        format!("b={}", program(&sandbox, "two")),
    );
    let (one, two) = (
        format!("a={}", cwd(&sandbox, "one")),
        format!("b={}", cwd(&sandbox, "two")),
    );
    let both = ["--env", &a, "--env", &b, "--cwd", &one, "--cwd", &two];
    let ran = run(&sandbox, &[&["instructions", "--text"], &both[..]].concat());
    assert_snapshot!("two_environments", ran.all());
    let rows = run(&sandbox, &[&["instructions"], &both[..]].concat()).clean();
    assert_snapshot!("two_environments_rows", rows);
    let skills = run(&sandbox, &[&["skills"], &both[..]].concat()).clean();
    let names: Vec<_> = skills
        .lines()
        .filter_map(|row| row.split('\t').next())
        .collect();
    assert_eq!(names, ["build", "test"]);
    let owners = skills.lines().filter_map(|row| row.rsplit('\t').next());
    assert_eq!(owners.collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn a_token_is_taken_from_the_variable_that_is_named() {
    let sandbox = Sandbox::new(TREE);
    let server = Server::start(&sandbox, &["--auth-token-file", "token"]);
    let root = |token: Option<&str>, more: &[&str]| {
        let mut command = sandbox.command(&["root", "one", "--env", &server.url]);
        command.args(more);
        if let Some(token) = token {
            command.env("TOKEN", token);
        }
        sandbox.finish(&mut command)
    };
    let named = ["--token-env", "TOKEN"];
    assert_eq!(
        root(Some("open sesame"), &named).clean(),
        "/sandbox/w/one\t.git\t/sandbox/w/one\n"
    );
    assert_eq!(root(None, &named).code, Some(2));
    for (token, more) in [(Some("guess"), &named[..]), (None, &[])] {
        let ran = root(token, more);
        assert_eq!(ran.code, Some(3), "{}", ran.stderr);
        assert!(
            ran.stderr.contains("refuses the bearer token"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.contains("`--token-env`"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("guess"), "{}", ran.stderr);
    }
}

#[test]
fn names_come_from_environments_toml() {
    let sandbox = Sandbox::new(TREE);
    let server = Server::start(&sandbox, &["--auth-token-file", "token"]);
    let text = format!(
        "[[environments]]\nid = \"pipes\"\nprogram = \"{BINARY}\"\nargs = [\"serve\", \"--listen\", \"stdio\"]\n\
         [[environments]]\nid = \"socket\"\nurl = \"{}\"\nbearer_token_env = \"TOKEN\"\n",
        server.url
    );
    sandbox.write("/home/environments.toml", &text);
    let root = |name: &str| {
        let mut command = sandbox.command(&["root", "one", "--env", name]);
        sandbox.finish(command.env("TOKEN", "open sesame"))
    };
    for name in ["pipes", "socket", "other=pipes"] {
        assert_eq!(
            root(name).clean(),
            "/sandbox/w/one\t.git\t/sandbox/w/one\n",
            "{name}"
        );
    }
    // The command line has the last word on where the token is.
    let mut command = sandbox.command(&["root", "one", "--env", "socket", "--token-env", "OTHER"]);
    let command = command.env("TOKEN", "guess").env("OTHER", "open sesame");
    assert_eq!(sandbox.finish(command).code, Some(0));
    let ran = root("missing");
    assert_eq!(ran.code, Some(2));
    let expected = "error: no environment `missing` is defined in environments.toml: there are pipes, socket; ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    sandbox.write("/home/environments.toml", "[[environments]]\nid = \"x\"\n");
    let ran = root("x");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr
            .starts_with("error: /sandbox/home/environments.toml:1:1: environment `x`: "),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_file_of_definitions_wins_over_the_variable_also_where_it_defines_nothing() {
    let sandbox = Sandbox::new(TREE);
    let server = Server::start(&sandbox, &[]);
    sandbox.write("/home/environments.toml", "");
    let mut command = sandbox.command(&["root", "one", "--env", "remote"]);
    let ran = sandbox.finish(command.env("CODEX_EXEC_SERVER_URL", &server.url));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let expected = "error: no environment `remote` is defined in environments.toml: there is none;";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn a_file_of_definitions_is_read_for_names_only() {
    let sandbox = Sandbox::new(TREE);
    sandbox.write("/home/environments.toml", "[[");
    assert_eq!(
        sandbox.run(&["root", "one", "--env", "local"]).code,
        Some(0)
    );
    let ran = sandbox.run(&["root", "one", "--env", "a"]);
    assert_eq!(ran.code, Some(2));
    let expected = "error: /sandbox/home/environments.toml:1:3: invalid TOML: ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn without_a_file_the_variable_of_the_reference_defines_the_name_remote() {
    let sandbox = Sandbox::new(TREE);
    let server = Server::start(&sandbox, &[]);
    let mut command = sandbox.command(&["root", "one", "--env", "remote"]);
    command.env("CODEX_EXEC_SERVER_URL", &server.url);
    assert_eq!(
        sandbox.finish(&mut command).clean(),
        "/sandbox/w/one\t.git\t/sandbox/w/one\n"
    );
}

#[test]
fn ssh_is_started_with_the_server_command() {
    let sandbox = Sandbox::new(TREE);
    // What stands for `ssh` runs over here what it is told to run over there.
    let ssh = "#!/bin/sh\ntest \"$1\" = box || exit 9\nshift\nexec \"$@\"\n";
    sandbox.program("ssh", ssh);
    let server = format!("'{BINARY}' serve --read-only");
    let mut command = sandbox.command(&[
        "root",
        "one",
        "--env",
        "ssh:box",
        "--server-command",
        &server,
    ]);
    let path = format!("{}:/usr/bin:/bin", sandbox.path("/w").display());
    let ran = sandbox.finish(command.env("PATH", path));
    assert_eq!(ran.clean(), "/sandbox/w/one\t.git\t/sandbox/w/one\n");
}

#[test]
fn sftp_is_reached_through_ssh() {
    let sandbox = Sandbox::new(TREE);
    let ssh = "#!/bin/sh\necho \"told: $*\" >&2\n";
    sandbox.program("ssh", ssh);
    let mut command = sandbox.command(&["root", "one", "--env", "sftp:me@box"]);
    let path = format!("{}:/usr/bin:/bin", sandbox.path("/w").display());
    let ran = sandbox.finish(command.env("PATH", path));
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(3), ""));
    let expected = "error: cannot reach the environment `box` (sftp:me@box); ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("told: -s -- me@box sftp"),
        "{}",
        ran.stderr
    );
}

#[test]
fn choices_that_contradict_each_other_are_refused() {
    let sandbox = Sandbox::new(TREE);
    let mut said = String::new();
    for arguments in [
        &["root", "--env", "local", "--env", "ssh:h"][..],
        &["instructions", "--env", "ssh:h", "--env", "sftp:h"],
        &["instructions", "--env", "a=ssh:h", "--cwd", "b=/x"],
        &["root", "--cwd", "relative"],
        &["root", "--env", "none"],
        &["root", "--env", "local=ssh:h"],
        &["root", "--env", "ssh:-oProxyCommand=x"],
        &["root", "--env", "http://h"],
        &["root", "--env", "ssh:h", "--server-command", "'"],
        &["root", "--env", "ssh:h", "--server-command", " "],
        &["root", "--env", "ws://"],
        &["skills", "--env", "ws://127.0.0.1:65536", "--env", "local"],
        &["plugins", "/x", "--env", "wss://u:p@h"],
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
    assert_snapshot!("choices", said);
}

#[test]
fn the_start_directory_may_be_another_one_there() {
    let sandbox = Sandbox::new(TREE);
    let target = program(&sandbox, "two");
    let uri = format!("file://{}", cwd(&sandbox, "two"));
    for directory in [cwd(&sandbox, "two"), uri] {
        let ran = sandbox.run(&["root", "one", "--env", &target, "--cwd", &directory]);
        assert_eq!(ran.clean(), "/sandbox/w/two\t.git\t/sandbox/w/two\n");
    }
    // Here, too.
    let here = sandbox.run(&["root", "one", "--cwd", &cwd(&sandbox, "two")]);
    assert_eq!(here.clean(), "/sandbox/w/two\t.git\t/sandbox/w/two\n");
}

#[test]
fn a_directory_without_a_name_is_meant_for_the_other_machines() {
    let sandbox = Sandbox::new(TREE);
    let (target, two) = (program(&sandbox, "two"), cwd(&sandbox, "two"));
    let both = ["--env", "local", "--env", &target];
    let sources = |more: &[&str]| {
        let usual = [&["instructions", "one", "--sources"], &both[..]].concat();
        let sources = sandbox.run(&[&usual[..], more].concat()).clean();
        sources
            .replace("/sandbox/w/", "")
            .replace("/sandbox/home/", "~/")
    };
    let expected = "~/AGENTS.md\none/AGENTS.md\ntwo/AGENTS.md\n";
    assert_eq!(sources(&["--cwd", &two]), expected);
    // What is said of one goes before what is said of all, and the last word counts.
    let deep = format!("local={}", cwd(&sandbox, "one/deep"));
    let last = format!("codex-context={two}");
    let more = [
        "--cwd",
        "codex-context=/missing",
        "--cwd",
        &deep,
        "--cwd",
        &last,
        "--cwd",
        "/x",
    ];
    let expected = "~/AGENTS.md\none/AGENTS.md\none/deep/AGENTS.md\ntwo/AGENTS.md\n";
    assert_eq!(sources(&more), expected);
}

#[test]
fn a_directory_that_another_one_wins_over_has_to_exist_too() {
    let sandbox = Sandbox::new(TREE);
    for command in ["instructions", "skills", "root", "config"] {
        let ran = sandbox.run(&[command, "missing", "--cwd", &cwd(&sandbox, "two")]);
        let said = "error: cannot use /sandbox/w/missing: it does not exist; \
                    name an existing directory or none\n";
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(2), said),
            "{command}"
        );
    }
}

#[test]
fn a_start_directory_has_to_exist_where_it_is_meant() {
    let sandbox = Sandbox::new(TREE);
    let target = program(&sandbox, "two");
    for arguments in [
        &["root", "one", "--cwd", "/missing/x"][..],
        &["root", "--cwd", "/missing/x"],
        // The current directory is here, which says nothing about another machine.
        &["root", "--env", &target],
        &["root", ".", "--env", &target],
    ] {
        let ran = sandbox.run_in("/w/one", arguments);
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
        assert!(ran.stderr.contains("it does not exist"), "{}", ran.stderr);
    }
}

#[test]
fn a_start_directory_that_is_a_file_is_refused_wherever_it_is() {
    let sandbox = Sandbox::new(TREE);
    let (target, file) = (program(&sandbox, "two"), cwd(&sandbox, "two/AGENTS.md"));
    for environment in [&[][..], &["--env", &target]] {
        let ran = sandbox.run(&[&["root", "--cwd", &file], environment].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        assert!(
            ran.stderr.contains(": it is no directory; "),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn round_trips_to_an_environment_are_counted_from_their_times() {
    let sandbox = Sandbox::new(TREE);
    let target = program(&sandbox, "one");
    let arguments = [
        "instructions",
        "one/deep",
        "--text",
        "--env",
        &target,
        "--stats",
        "--latency",
        "20",
        "--trace",
        "-",
    ];
    let ran = run(&sandbox, &arguments);
    // Start directory and markers together, as the files of the user say; then project layers and
    // documents together.
    assert!(ran.stderr.contains(" 2 round trips, "), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("codex-context: documents  4 calls\n"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("local: configuration  3 calls\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_round_trip_is_measured_though_many_calls_share_it() {
    let sandbox = Sandbox::new(TREE);
    let target = program(&sandbox, "one");
    let arguments = ["instructions", "one/deep", "--env", &target];
    let command = sandbox.command(&[&arguments[..], &["--latency", "400"]].concat());
    let (shown, code) = run_on_terminal(command, 200);
    assert_eq!(code, Some(0));
    let lines = shown
        .split('\r')
        .filter(|line| line.contains(" a round trip"));
    // Once the first calls have ended, which left together.
    let lines = lines.skip_while(|line| line.contains("0 calls done"));
    let measured = lines.map(|line| {
        let (before, _) = line.split_once(" ms a round trip").unwrap();
        before.rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    });
    let measured: Vec<f64> = measured.collect();
    assert!(!measured.is_empty(), "{shown:?}");
    assert!(measured.iter().all(|it| *it >= 400.0), "{measured:?}");
}

#[test]
fn a_name_that_a_server_cannot_spell_is_a_warning_on_request() {
    let sandbox = Sandbox::new("/w/r/.git/");
    let skill = sandbox.path("/w/r/.agents/skills");
    let skill = skill.join(OsStr::from_bytes(b"bad\xFF\x1B"));
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), "---\ndescription: d\n---\n").unwrap();
    // A server that knows no lossless names.
    let server = format!(
        "#!/bin/sh\n'{BINARY}' serve --listen stdio | sed -u 's/,\"path\":\"[^\"]*\"//g'\n"
    );
    sandbox.program("lossy", &server);
    let target = format!("exec:{}", sandbox.path("/w/lossy").display());
    let arguments = ["skills", "r", "--env", &target];
    assert_eq!(sandbox.run(&arguments).stderr, "");
    let verbose = sandbox.run(&[&arguments[..], &["-v"]].concat()).stderr;
    let warning = verbose.lines().find(|line| line.contains(" WARN "));
    let warning = warning.unwrap_or_else(|| panic!("{verbose}"));
    for told in [
        "a name that is not UTF-8 is listed with replacements and cannot be opened",
        r#"code="lossy_file_name""#,
        "name=\"bad\u{fffd}\\u{1b}\"",
    ] {
        assert!(warning.contains(told), "{warning}");
    }
}
