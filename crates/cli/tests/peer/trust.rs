//! Which projects are withheld from a model: the same as the published CLI withholds.

use std::path::{Path, PathBuf};
use std::process::Command;

use codex_file_system_testkit::build_on_disk;
use libtest_mimic::Trial;

use crate::app_server::AppServer;

/// A checkout, a linked worktree of it, and a link to both.
const TREE: &str = "home/\n\
    main/.git/HEAD = ref: refs/heads/main%0A\n\
    main/.git/config =\n\
    main/.git/worktrees/wt/HEAD = ref: refs/heads/wt%0A\n\
    main/.git/worktrees/wt/commondir = ../..%0A\n\
    main/AGENTS.md = Rules.\n\
    main/sub/\n\
    wt/AGENTS.md = Rules.\n\
    wt/sub/\n\
    wt/.agents/skills/fix/SKILL.md = ---%0Aname: fix%0Adescription: Fixes it.%0A---%0ADo it.%0A\n\
    link -> .\n";

/// Name, start directory, and the entries of the table.
type Row = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const ROWS: [Row; 8] = [
    ("no entry", "wt", &[]),
    ("of the start directory", "wt", &[("wt", "untrusted")]),
    ("of the Git root", "main/sub", &[("main", "untrusted")]),
    ("of the main checkout", "wt", &[("main", "untrusted")]),
    (
        "of the main checkout, from below",
        "wt/sub",
        &[("main", "untrusted")],
    ),
    (
        "the nearest wins",
        "wt",
        &[("wt", "trusted"), ("main", "untrusted")],
    ),
    (
        "of the canonical path",
        "link/main",
        &[("main", "untrusted")],
    ),
    ("of the folder around it", "main", &[("", "untrusted")]),
];

pub(crate) fn trials(peer: &Path) -> Vec<Trial> {
    let trial = |row: &'static Row| {
        let (name, peer) = (format!("trust::{}", row.0), peer.to_owned());
        Trial::test(name, move || {
            let scratch = tempfile::tempdir()?;
            let root = scratch.path().canonicalize()?;
            build_on_disk(&root, TREE)?;
            let registered = root.join("main/.git/worktrees/wt");
            std::fs::write(
                registered.join("gitdir"),
                format!("{}\n", root.join("wt/.git").display()),
            )?;
            std::fs::write(
                root.join("wt/.git"),
                format!("gitdir: {}\n", registered.display()),
            )?;
            write_entries(&root, row.2)?;
            let cwd = root.join(row.1);
            let ours = own_text(&root, &cwd);
            let theirs = run(&root, &cwd, &peer, &["debug", "prompt-input", "hi"]);
            let is_given = |text: &str| {
                text.contains("<INSTRUCTIONS>\\nRules.") || text.contains("<INSTRUCTIONS>\nRules.")
            };
            pretty_assertions::assert_eq!(is_given(&ours), is_given(&theirs));
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = ROWS.iter().map(trial).collect();
    trials.push(skills_of_an_untrusted_project(peer));
    trials
}

fn skills_of_an_untrusted_project(peer: &Path) -> Trial {
    let peer = peer.to_owned();
    Trial::test("trust::skills of an untrusted project", move || {
        let scratch = tempfile::tempdir()?;
        let root = scratch.path().canonicalize()?;
        build_on_disk(&root, TREE)?;
        std::fs::create_dir(root.join("wt/.git"))?;
        write_entries(&root, &[("wt", "untrusted")])?;
        let (cwd, home) = (root.join("wt"), root.join("home"));
        let mut server = AppServer::start(&peer, &cwd, &home, &home);
        let theirs = server.skills(&cwd).to_string().contains("Fixes it.");
        server.end();
        let program = PathBuf::from(env!("CARGO_BIN_EXE_codex-context"));
        let ours = run(&root, &cwd, &program, &["skills"]).contains("Fixes it.");
        pretty_assertions::assert_eq!(ours, theirs);
        Ok(())
    })
}

fn write_entries(root: &Path, entries: &[(&str, &str)]) -> std::io::Result<()> {
    let lines = entries.iter().map(|(path, level)| {
        let path = root.join(path);
        let path = path.to_string_lossy();
        format!(
            "[projects.\"{}\"]\ntrust_level = \"{level}\"\n",
            path.trim_end_matches('/')
        )
    });
    std::fs::write(root.join("home/config.toml"), lines.collect::<String>())
}

fn own_text(root: &Path, cwd: &Path) -> String {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_codex-context"));
    run(root, cwd, &program, &["instructions", "--text"])
}

fn run(root: &Path, cwd: &Path, program: &Path, arguments: &[&str]) -> String {
    let home = root.join("home");
    let output = Command::new(program)
        .args(arguments)
        .current_dir(cwd)
        .env("PWD", cwd)
        .env("HOME", &home)
        .env("CODEX_HOME", &home)
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
