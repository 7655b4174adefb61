//! `config`: values with their places, and layers with their state.

use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::sandbox::{Ran, Sandbox};

/// Every kind of layer, and a project of which one directory is not trusted.
fn layered() -> Sandbox {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/a/b/");
    sandbox.write(
        "/etc/config.toml",
        "model = \"system\"\napproval = \"never\"\n",
    );
    sandbox.write("/etc/managed_config.toml", "sandbox = \"read-only\"\n");
    let user = "model = \"user\"\n[projects.\"{SANDBOX}/w/r/a\"]\ntrust_level = \"trusted\"\n\
                [projects.\"{SANDBOX}/w/r/a/b\"]\ntrust_level = \"untrusted\"\n";
    sandbox.write("/home/config.toml", user);
    sandbox.write("/home/work.config.toml", "model = \"profile\"\n");
    sandbox.write("/w/r/.codex/config.toml", "never = \"read\"\n");
    let project = "project_doc_max_bytes = 7\nproject_root_markers = [\".hg\"]\n[projects.x]\ntrust_level = \"trusted\"\n";
    sandbox.write("/w/r/a/.codex/config.toml", project);
    sandbox.write("/w/r/a/b/.codex/config.toml", "broken = = but never read\n");
    sandbox
}

const ARGUMENTS: [&str; 6] = [
    "config",
    "r/a/b",
    "--profile",
    "work",
    "-c",
    "tools.web=true",
];

#[test]
fn the_table_names_the_place_of_every_value_and_the_state_of_every_layer() {
    let ran = layered().run(&[&ARGUMENTS[..], &["--format", "table"]].concat());
    // The sandbox's path is in the keys, and its length in their column.
    let mut squeezed = ran.all();
    while squeezed.contains("   ") {
        squeezed = squeezed.replace("   ", "  ");
    }
    assert_snapshot!("config_table", squeezed);
}

#[test]
fn a_pipe_gets_values_and_layers_each_with_its_tag() {
    assert_snapshot!("config_rows", layered().run(&ARGUMENTS).all());
}

#[test]
fn json_holds_values_as_json_and_origins_as_data() {
    let ran = layered().run(&[&ARGUMENTS[..], &["--format", "json"]].concat());
    assert_snapshot!("config_json", ran.all());
}

#[test]
fn a_value_that_looks_like_ours_is_shown_as_it_was_written() {
    let sandbox = Sandbox::new("/w/r/");
    let written = r#"x=[{path="file:///a", root={file="file:///b"}}]"#;
    let ran = sandbox.run(&["config", "r", "-c", written, "--format", "json"]);
    let values = ran.json()["values"].clone();
    let shown = values
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["key"] == "x");
    let expected = json!([{"path": "file:///a", "root": {"file": "file:///b"}}]);
    assert_eq!(shown.unwrap()["value"], expected);
}

#[test]
fn jsonl_is_one_value_or_layer_a_line() {
    let ran = layered().run(&[&ARGUMENTS[..], &["--format", "jsonl"]].concat());
    assert_snapshot!("config_jsonl", ran.all());
}

#[test]
fn without_any_file_the_defaults_are_shown() {
    let sandbox = Sandbox::new("");
    assert_snapshot!(
        "config_defaults",
        sandbox.run(&["config", "--format", "table"]).all()
    );
}

#[test]
fn values_that_json_lacks_are_text() {
    let sandbox = Sandbox::new("");
    let toml = "when = 2026-01-02T03:04:05Z\nratio = inf\nlist = [1, 2.5, true]\nempty = {}\n\
                [\"a.b\".\"\"]\n\"c d\" = 1\n";
    sandbox.write("/home/config.toml", toml);
    let json = sandbox.run(&["config", "--format", "json"]).json();
    let value = |key: &str| {
        let mut values = json["values"].as_array().unwrap().iter();
        values.find(|row| row["key"] == key).unwrap()["value"].clone()
    };
    assert_eq!(value("when"), json!("2026-01-02T03:04:05Z"));
    assert_eq!(value("ratio"), json!("inf"));
    assert_eq!(value("list"), json!([1, 2.5, true]));
    assert_eq!(value("empty"), json!({}));
    assert_eq!(value(r#""a.b".""."c d""#), json!(1));
}

#[test]
fn the_git_root_speaks_for_a_project_root_below_it() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/sub/marker = \n/w/r/sub/a/");
    sandbox.write("/w/r/sub/.codex/config.toml", "project_doc_max_bytes = 7\n");
    let markers = ["-c", "project_root_markers=['marker']", "--check"];
    let config = [&["config", "r/sub/a"], &markers[..]].concat();
    let row = "value\tproject_doc_max_bytes\t7\tproject configuration\t/sandbox/w/r/sub/.codex/config.toml:1:25\n";
    assert!(!sandbox.run(&config).clean().contains(row));
    let trusted = "[projects.\"{SANDBOX}/w/r\"]\ntrust_level = \"trusted\"\n";
    sandbox.write("/home/config.toml", trusted);
    assert!(sandbox.run(&config).clean().contains(row));
    // An entry that is nearer decides: for directories below it, too.
    sandbox.write("/w/r/sub/a/.codex/config.toml", "leaf = 1\n");
    assert!(sandbox.run(&config).clean().contains("value\tleaf\t1\t"));
    let nearer = "[projects.\"{SANDBOX}/w/r/sub\"]\ntrust_level = \"untrusted\"\n";
    sandbox.write("/home/config.toml", &format!("{trusted}{nearer}"));
    let shown = sandbox.run(&config).clean();
    assert!(
        !shown.contains(row) && !shown.contains("value\tleaf\t"),
        "{shown}"
    );
}

#[test]
fn a_profile_without_a_file_is_a_finding() {
    let sandbox = Sandbox::new("");
    let ran = sandbox.run(&["config", "--profile", "gone", "--check"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("[profile_not_found]"), "{}", ran.stderr);
}

/// A run in `/w` with the home directory `/user` and nothing of the machine, its config home said
/// by `named`: an option's value and a variable's.
fn with_config_home(command: &str, named: (Option<&str>, Option<&str>)) -> Ran {
    let sandbox = Sandbox::new("");
    let mut run = sandbox.bare_command();
    run.arg(command).args(["--format", "json"]);
    for (option, path) in [
        ("--system-config", "/etc/config.toml"),
        ("--managed-config", "/etc/managed_config.toml"),
        ("--admin-folder", "/etc"),
    ] {
        run.arg(option).arg(sandbox.path(path));
    }
    run.env("HOME", sandbox.path("/user"));
    if let Some(path) = named.0 {
        run.arg("--config-home").arg(sandbox.path(path));
    }
    if let Some(path) = named.1 {
        run.env("CODEX_HOME", sandbox.path(path));
    }
    sandbox.finish(&mut run)
}

#[test]
fn a_config_home_that_is_named_and_missing_is_told() {
    for command in ["config", "instructions", "root", "skills"] {
        for (named, by) in [
            ((Some("/none"), Some("/home")), "--config-home"),
            ((None, Some("/none")), "CODEX_HOME"),
        ] {
            let ran = with_config_home(command, named);
            let sentence = format!(
                "no configuration or instructions of the user count, as {by} names the config \
                 home /sandbox/none, which does not exist; create it or name another one"
            );
            assert_eq!(ran.code, Some(0), "{command}");
            let told = format!("warning: {sentence} [config_home_missing]\n");
            assert_eq!(ran.stderr, told, "{command}");
            let finding = json!({
                "code": "config_home_missing", "severity": "warning", "message": sentence,
                "path": "file:///sandbox/none", "pathNative": "/sandbox/none",
            });
            assert_eq!(ran.json()["diagnostics"], json!([finding]), "{command}");
        }
    }
}

#[test]
fn a_config_home_that_no_home_directory_tells_is_told() {
    let sandbox = Sandbox::new("");
    let told = |command: &str, home: Option<&str>, named: &[(&str, &str)]| {
        let mut run = sandbox.bare_command();
        run.arg(command).envs(named.iter().copied());
        for option in ["--system-config", "--managed-config", "--admin-folder"] {
            run.arg(option).arg(sandbox.path("/none"));
        }
        if let Some(home) = home {
            run.env("HOME", home);
        }
        sandbox.finish(&mut run).stderr
    };
    for command in ["config", "instructions", "root", "skills"] {
        for (home, why) in [
            (None, "not set"),
            (Some(""), "not set"),
            (Some("user"), "relative"),
        ] {
            let said = told(command, home, &[]);
            assert!(said.contains(" [config_home_unknown]\n"), "{said}");
            assert!(said.contains(&format!(", as HOME is {why}; ")), "{said}");
            assert_eq!(told(command, home, &[("CODEX_HOME", ".")]), "", "{command}");
        }
        assert_eq!(told(command, Some("/none"), &[]), "", "{command}");
    }
}

#[test]
fn a_config_home_that_nobody_names_may_be_missing() {
    for command in ["config", "instructions", "root", "skills"] {
        for named in [(None, None), (Some("/home"), None), (None, Some("/home"))] {
            with_config_home(command, named).clean();
        }
    }
}

#[test]
fn check_counts_a_missing_config_home() {
    let sandbox = Sandbox::new("");
    let mut run = sandbox.bare_command();
    run.args(["root", "--check", "--config-home", "none"]);
    assert_eq!(sandbox.finish(&mut run).code, Some(1));
}
