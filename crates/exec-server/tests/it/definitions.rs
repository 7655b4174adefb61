//! What a definitions file may say, and how it is told what it may not.

use std::time::Duration;

use codex_exec_server::{
    DefinitionFault, EnvironmentDefinition, EnvironmentDefinitions, Target, docker_command,
    kubectl_command, ssh_command,
};
use codex_file_system::{CommandSpec, EnvironmentId};
use pretty_assertions::assert_eq;

const FILE: &str = "/home/x/environments.toml";

fn id(text: &str) -> EnvironmentId {
    EnvironmentId::new(text).unwrap()
}

/// Entry, key and fault of the error of a text.
fn fault(text: &str) -> (Option<String>, Option<String>, DefinitionFault) {
    let error = EnvironmentDefinitions::parse(text, FILE).unwrap_err();
    assert_eq!(error.file, FILE);
    (error.entry, error.key, error.fault)
}

fn at(
    entry: Option<&str>,
    key: Option<&str>,
    fault: DefinitionFault,
) -> (Option<String>, Option<String>, DefinitionFault) {
    (entry.map(str::to_owned), key.map(str::to_owned), fault)
}

#[test]
fn every_key_is_read() {
    // It is a directory of this host.
    let cwd = if cfg!(windows) { "C:/srv" } else { "/srv" };
    let text = r#"
        default = "b"
        include_local = false

        [[environments]]
        id = "a"
        url = "wss://build.example/x?y"
        bearer_token_env = "BUILD_TOKEN"
        connect_timeout_sec = 3
        initialize_timeout_sec = 1.5

        [[environments]]
        id = "b"
        program = "docker"
        args = ["exec", "-i", "box", "serve"]
        env = { LANG = "C", A = "" }
        cwd = "CWD"
    "#;
    let definitions = EnvironmentDefinitions::parse(&text.replace("CWD", cwd), FILE).unwrap();
    assert_eq!(definitions.default.as_deref(), Some("b"));
    assert!(!definitions.include_local);
    let url = Target::Url {
        url: "wss://build.example/x?y".to_owned(),
        bearer_token_env: Some("BUILD_TOKEN".to_owned()),
    };
    let [a, b] = definitions.environments.as_slice() else {
        panic!("two environments");
    };
    let expected = EnvironmentDefinition {
        connect_timeout: Some(Duration::from_secs(3)),
        initialize_timeout: Some(Duration::from_millis(1500)),
        ..EnvironmentDefinition::new(id("a"), url)
    };
    assert_eq!(*a, expected);
    let Target::Program(command) = &b.target else {
        panic!("a program");
    };
    assert_eq!(command.program, "docker");
    assert_eq!(command.args, ["exec", "-i", "box", "serve"]);
    let mut env = command.env.clone();
    env.sort();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(env, [pair("A", ""), pair("LANG", "C")]);
    assert!(command.cwd.is_some());
}

#[test]
fn an_empty_file_defines_this_host_alone() {
    let definitions = EnvironmentDefinitions::parse("", FILE).unwrap();
    assert_eq!(definitions.default, None);
    assert!(definitions.include_local);
    assert_eq!(definitions.environments, []);
}

#[test]
fn the_default_is_an_environment_this_host_or_none() {
    for default in ["local", "none", "a"] {
        let text = format!("default = '{default}'\n[[environments]]\nid = 'a'\nurl = 'ws://h:1'");
        assert!(
            EnvironmentDefinitions::parse(&text, FILE).is_ok(),
            "{default}"
        );
    }
    let unknown = at(None, Some("default"), DefinitionFault::UnknownDefault);
    assert_eq!(fault("default = 'b'"), unknown);
    assert_eq!(fault("default = 'local'\ninclude_local = false"), unknown);
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let entry = |more: &str| fault(&format!("[[environments]]\nid = 'a'\n{more}"));
    let value = |text: &str| DefinitionFault::Value(text.to_owned());
    let rows = [
        (
            fault("colour = 1"),
            at(None, Some("colour"), DefinitionFault::UnknownKey),
        ),
        (
            fault("default = 1"),
            at(None, Some("default"), DefinitionFault::Type("a string")),
        ),
        (
            fault("include_local = 'yes'"),
            at(
                None,
                Some("include_local"),
                DefinitionFault::Type("true or false"),
            ),
        ),
        (
            fault("environments = 1"),
            at(
                None,
                Some("environments"),
                DefinitionFault::Type("an array of tables"),
            ),
        ),
        (
            fault("environments = [1]"),
            at(Some("1"), None, DefinitionFault::Type("a table")),
        ),
        (
            fault("[[environments]]\nurl = 'ws://h:1'"),
            at(Some("1"), Some("id"), DefinitionFault::Missing),
        ),
        (
            fault("[[environments]]\nid = 'local'\nurl = 'ws://h:1'"),
            at(Some("local"), Some("id"), value("`local` is reserved")),
        ),
        (entry(""), at(Some("a"), None, DefinitionFault::Target)),
        (
            entry("url = 'ws://h:1'\nprogram = 'x'"),
            at(Some("a"), None, DefinitionFault::Target),
        ),
        (
            entry("url = 'http://h:1'"),
            at(
                Some("a"),
                Some("url"),
                value("expected a ws:// or wss:// URL"),
            ),
        ),
        (
            entry("url = 'ws://'"),
            at(Some("a"), Some("url"), value("the URL names no host")),
        ),
        (
            entry("program = ' '"),
            at(Some("a"), Some("program"), value("it is empty")),
        ),
        (
            entry("url = 'ws://h:1'\nbearer_token_env = ''"),
            at(Some("a"), Some("bearer_token_env"), value("it is empty")),
        ),
        (
            entry("url = 'ws://h:1'\nargs = []"),
            at(Some("a"), Some("args"), DefinitionFault::NotHere("program")),
        ),
        (
            entry("program = 'x'\nconnect_timeout_sec = 1"),
            at(
                Some("a"),
                Some("connect_timeout_sec"),
                DefinitionFault::NotHere("url"),
            ),
        ),
        (
            entry("program = 'x'\nargs = [1]"),
            at(
                Some("a"),
                Some("args"),
                DefinitionFault::Type("an array of strings"),
            ),
        ),
        (
            entry("program = 'x'\nenv = { A = 1 }"),
            at(
                Some("a"),
                Some("env"),
                DefinitionFault::Type("a table of strings"),
            ),
        ),
        (
            entry("program = 'x'\ninitialize_timeout_sec = 0"),
            at(
                Some("a"),
                Some("initialize_timeout_sec"),
                DefinitionFault::Type("a number of seconds above 0"),
            ),
        ),
        (
            entry("program = 'x'\ncolour = 1"),
            at(Some("a"), Some("colour"), DefinitionFault::UnknownKey),
        ),
        (
            entry("program = 'x'\n[[environments]]\nid = 'a'\nprogram = 'y'"),
            at(Some("a"), Some("id"), DefinitionFault::Duplicate),
        ),
    ];
    for (actual, expected) in rows {
        assert_eq!(actual, expected);
    }
    let error = EnvironmentDefinitions::parse("[[environments]]\nid = 'a'\nurl = 'x'", FILE);
    assert_eq!(
        error.unwrap_err().to_string(),
        "/home/x/environments.toml:3:7: environment `a`: `url`: expected a ws:// or wss:// URL"
    );
}

#[test]
fn what_is_wrong_stands_at_a_line_and_a_column() {
    let position = |text: &str| {
        let error = EnvironmentDefinitions::parse(text, FILE).unwrap_err();
        let position = error.position.unwrap();
        (position.line, position.column)
    };
    let entry = |rest: &str| position(&format!("# é\n[[environments]]\nid = 'a'\n{rest}"));
    let rows = [
        // A text that is no TOML, where it stops to be any.
        (position("include_local = tru\n"), (1, 17)),
        (position("a = 1\na = 2"), (2, 1)),
        // A key that is not wanted, the first in the text.
        (position("zebra = 1\ncolour = 1"), (1, 1)),
        (entry("url = 'ws://h'\n  args = []"), (5, 3)),
        (entry("url = 'ws://h'\nauth_bearer_token = 'x'"), (5, 1)),
        // A value that cannot be used.
        (position("include_local = 1"), (1, 17)),
        (position("\u{feff}default = 'b'"), (1, 12)),
        (entry("\"url\"= 'http://é'"), (4, 8)),
        (entry("program = 'x'\nenv.A = 1"), (5, 1)),
        // An entry that lacks something, or is none.
        (entry(""), (2, 1)),
        (
            position("environments = [\n  {id = 'a', program = 'x'}, {}]"),
            (2, 30),
        ),
        (position("environments = [ 1 ]"), (1, 18)),
        // The second of two.
        (entry("program = 'x'\n[[environments]]\nid = 'a'"), (6, 6)),
    ];
    for (number, (actual, expected)) in rows.into_iter().enumerate() {
        assert_eq!(actual, expected, "row {number}");
    }
}

#[test]
fn a_token_in_the_file_is_refused_with_what_to_write_instead() {
    let text = |target: &str| {
        format!("[[environments]]\nid = 'a'\n{target}\nauth_bearer_token = 'open sesame'")
    };
    let error = EnvironmentDefinitions::parse(&text("url = 'ws://h'"), FILE).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/home/x/environments.toml:4:1: environment `a`: `auth_bearer_token`: no token is read \
         from a file: name the variable that holds it with `bearer_token_env`"
    );
    let of_program = at(
        Some("a"),
        Some("auth_bearer_token"),
        DefinitionFault::NotHere("url"),
    );
    assert_eq!(fault(&text("program = 'x'")), of_program);
}

#[test]
fn an_id_is_one_to_sixty_four_of_the_allowed_characters() {
    let text = |id: &str| format!("[[environments]]\nid = '{id}'\nprogram = 'x'");
    for id in ["a", "A-z_9", &"x".repeat(64)] {
        assert!(
            EnvironmentDefinitions::parse(&text(id), FILE).is_ok(),
            "{id}"
        );
    }
    for id in ["", "a b", "é", "a.b", "none", &"x".repeat(65)] {
        let (_, key, _) = fault(&text(id));
        assert_eq!(key.as_deref(), Some("id"), "{id}");
    }
}

#[test]
fn a_working_directory_is_absolute() {
    let (entry, key, _) = fault("[[environments]]\nid = 'a'\nprogram = 'x'\ncwd = 'y'");
    assert_eq!((entry.as_deref(), key.as_deref()), (Some("a"), Some("cwd")));
}

#[test]
fn text_that_is_no_toml_is_told_so() {
    let (entry, key, fault) = fault("[[");
    assert_eq!((entry, key), (None, None));
    assert!(matches!(fault, DefinitionFault::Toml(_)));
}

#[test]
fn the_variable_defines_one_environment_or_says_that_there_is_none() {
    let parse = EnvironmentDefinitions::from_url_variable;
    assert_eq!(parse(None).unwrap(), None);
    assert_eq!(parse(Some("")).unwrap(), None);
    assert_eq!(parse(Some(" \n")).unwrap(), None);
    let none = parse(Some(" none ")).unwrap().unwrap();
    assert_eq!((none.include_local, none.environments.len()), (false, 0));
    let remote = parse(Some(" ws://h:1\n")).unwrap().unwrap();
    let url = Target::Url {
        url: "ws://h:1".to_owned(),
        bearer_token_env: None,
    };
    assert_eq!(
        remote.environments,
        [EnvironmentDefinition::new(id("remote"), url)]
    );
    assert_eq!(remote.default.as_deref(), Some("remote"));
    let error = parse(Some("http://h:1")).unwrap_err();
    assert_eq!(error.file, "CODEX_EXEC_SERVER_URL");
}

#[test]
fn a_destination_is_a_word_of_a_command_and_never_an_option() {
    let command = |words: &[&str]| {
        let serve = ["codex-context", "serve", "--listen", "stdio"];
        let mut words = words.iter().chain(&serve).map(|word| (*word).to_owned());
        CommandSpec {
            program: words.next().unwrap(),
            args: words.collect(),
            env: Vec::new(),
            cwd: None,
        }
    };
    assert_eq!(ssh_command("me@host"), Ok(command(&["ssh", "me@host"])));
    assert_eq!(
        docker_command("box"),
        Ok(command(&["docker", "exec", "-i", "box"]))
    );
    assert_eq!(
        kubectl_command("pod"),
        Ok(command(&["kubectl", "exec", "-i", "pod", "--"]))
    );
    for bad in ["", "-x", "--"] {
        assert!(ssh_command(bad).is_err());
        assert!(docker_command(bad).is_err());
        assert!(kubectl_command(bad).is_err());
    }
}
