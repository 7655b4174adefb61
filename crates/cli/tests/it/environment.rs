//! What the command takes from its surroundings: variables, directories, colours.

use std::os::unix::fs::symlink;

use pretty_assertions::assert_eq;

use crate::sandbox::Sandbox;

const MACHINE_FILES: [&str; 4] = [
    "--system-config",
    "/nonexistent",
    "--managed-config",
    "/nonexistent",
];

#[test]
fn the_config_home_is_the_option_then_the_variable_then_the_home_directory() {
    let sandbox = Sandbox::new(
        "/w/option/AGENTS.md = option\n/w/variable/AGENTS.md = variable\n/w/.codex/AGENTS.md = home",
    );
    let sources = |with_option: bool, with_variable: bool| {
        let mut command = sandbox.bare_command();
        command
            .args(["instructions", "--sources", "/"])
            .args(MACHINE_FILES);
        command.env("HOME", sandbox.path("/w"));
        if with_option {
            command.args(["--config-home", "option"]);
        }
        if with_variable {
            command.env("CODEX_HOME", sandbox.path("/w/variable"));
        } else {
            // Set to nothing is not set.
            command.env("CODEX_HOME", "");
        }
        sandbox.finish(&mut command).clean()
    };
    assert_eq!(sources(true, true), "/sandbox/w/option/AGENTS.md\n");
    assert_eq!(sources(false, true), "/sandbox/w/variable/AGENTS.md\n");
    assert_eq!(sources(false, false), "/sandbox/w/.codex/AGENTS.md\n");
}

#[test]
fn a_named_directory_is_taken_lexically() {
    let sandbox = Sandbox::new("/w/real/.git/\n/w/real/s/AGENTS.md = s");
    symlink(sandbox.path("/w/real"), sandbox.path("/w/link")).unwrap();
    let root = "/sandbox/w/link\t.git\t/sandbox/w/link\n";
    assert_eq!(sandbox.run(&["root", "link/s/../s"]).clean(), root);
    // Lexically, the parent of `link` is the work tree, whatever the link's target.
    let ran = sandbox.run(&["root", "link/..", "-c", "project_root_markers=['real']"]);
    assert_eq!(ran.clean(), "/sandbox/w\treal\t\n");
}

#[test]
fn the_current_directory_is_the_physical_one() {
    let sandbox = Sandbox::new("/w/real/.git/\n/w/real/s/");
    symlink(sandbox.path("/w/real"), sandbox.path("/w/link")).unwrap();
    let root = "/sandbox/w/real\t.git\t/sandbox/w/real\n";
    assert_eq!(sandbox.run_in("/w/link/s", &["root"]).clean(), root);
}

#[test]
fn colours_follow_the_option_then_the_variables_then_the_terminal() {
    let sandbox = Sandbox::new("/w/.git/");
    let is_colored = |color: Option<&str>, variables: &[(&str, &str)]| {
        let mut command = sandbox.command(&["root", "--format", "table"]);
        if let Some(color) = color {
            command.args(["--color", color]);
        }
        command.envs(variables.iter().copied());
        sandbox.finish(&mut command).clean().contains('\u{1b}')
    };
    assert!(!is_colored(None, &[]));
    assert!(is_colored(Some("always"), &[("NO_COLOR", "1")]));
    assert!(!is_colored(Some("never"), &[("CLICOLOR_FORCE", "1")]));
    assert!(is_colored(None, &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_colored(None, &[("CLICOLOR_FORCE", "0")]));
    assert!(!is_colored(
        None,
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]
    ));
    assert!(is_colored(
        None,
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]
    ));
}

#[test]
fn rows_for_a_pipe_are_never_coloured() {
    let sandbox = Sandbox::new("/w/.git/");
    let rows = sandbox.run(&["root", "--color", "always"]).clean();
    assert_eq!(rows, "/sandbox/w\t.git\t/sandbox/w\n");
}
