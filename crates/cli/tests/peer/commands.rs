//! Every command shows the same through the published server as on this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use codex_file_system_testkit::build_on_disk;
use libtest_mimic::Trial;
use tempfile::TempDir;

const TREE: &str = "home/\n\
    repo/.git/\n\
    repo/AGENTS.md = Be brief.\n\
    repo/src/.agents/skills/fix/SKILL.md = ---%0Aname: fix%0Adescription: Fixes it.%0A---%0ADo it.%0A\n\
    repo/plugin/.codex-plugin/plugin.json = {\"name\": \"demo\"}\n";

const COMMANDS: [&[&str]; 9] = [
    &["instructions", "--text"],
    &["instructions", "--sources"],
    &["skills", "--catalog"],
    &["skills", "read", "fix"],
    &["skills", "validate", ".agents/skills/fix"],
    &["plugins", "../plugin"],
    &["root", "--explain"],
    &["config"],
    &["uri", "/a/b"],
];

pub(crate) fn trials(peer: &Path) -> Vec<Trial> {
    let trial = |command: &'static &'static [&'static str]| {
        let peer = peer.to_owned();
        let name = format!("commands::{}", command.join(" "));
        Trial::test(name, move || {
            let scratch = tempfile::tempdir()?;
            build_on_disk(scratch.path(), TREE)?;
            let served = format!("box=exec:{} exec-server --listen stdio", peer.display());
            let (here, there) = (
                run(&scratch, command, "box=local"),
                run(&scratch, command, &served),
            );
            pretty_assertions::assert_eq!(here, there);
            Ok(())
        })
    };
    COMMANDS.iter().map(trial).collect()
}

fn run(scratch: &TempDir, command: &[&str], target: &str) -> String {
    let home: PathBuf = scratch.path().join("home");
    let output = Command::new(env!("CARGO_BIN_EXE_codex-context"))
        .args(command)
        .args(["--env", target])
        .current_dir(scratch.path().join("repo/src"))
        .env("HOME", &home)
        .env("CODEX_HOME", &home)
        .output()
        .expect("the command starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!output.stdout.is_empty(), "{command:?} shows something");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
