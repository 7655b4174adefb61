//! The samples in `docs/` are true: each command is run on a terminal and compared.
//!
//! A fenced block `tree` adds files to the machine that the page is about: a home directory
//! `/home/ada` and a work tree below it. A block `console` is a session there: lines after `$ `
//! are given to a shell, what follows is what the terminal shows. A line `...` stands for any
//! lines, a time in the line of `--stats` for any time, blanks between columns for any number of
//! them: the real paths are longer than Ada's.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use codex_file_system_testkit::build_on_disk;
use tempfile::TempDir;

use crate::pseudo_terminal::run_on_terminal;
use crate::sandbox::BINARY;

/// Wide enough for the real paths, which are longer than Ada's.
const COLUMNS: u16 = 250;
const START: &str = "/home/ada/repo";

#[test]
fn the_samples_in_the_readme_are_true() {
    check(include_str!("../../../../README.md"));
}

#[test]
fn the_samples_in_environments_are_true() {
    check(include_str!("../../../../docs/environments.md"));
}

#[test]
fn the_samples_in_instructions_are_true() {
    check(include_str!("../../../../docs/instructions.md"));
}

#[test]
fn the_samples_in_json_are_true() {
    check(include_str!("../../../../docs/json.md"));
}

#[test]
fn the_samples_in_plugins_are_true() {
    check(include_str!("../../../../docs/plugins.md"));
}

#[test]
fn the_samples_in_skills_are_true() {
    check(include_str!("../../../../docs/skills.md"));
}

#[test]
fn the_samples_in_troubleshooting_are_true() {
    check(include_str!("../../../../docs/troubleshooting.md"));
}

#[track_caller]
fn check(page: &str) {
    let mut machine = Machine::new();
    let mut wrong = String::new();
    let mut samples = 0;
    for (kind, block) in blocks(page) {
        match kind {
            "tree" => machine.add(&block),
            "console" => {
                for (command, expected) in session(&block) {
                    samples += 1;
                    let shown = machine.run(command);
                    if !fits(&expected, &shown.lines().collect::<Vec<_>>()) {
                        wrong.push_str(&format!("$ {command}\n{shown}\n"));
                    }
                }
            }
            _ => {}
        }
    }
    assert!(
        wrong.is_empty(),
        "these samples show something else:\n{wrong}"
    );
    assert!(samples > 0);
}

/// The fenced blocks of a page, with the word after the fence.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((kind, block.join("\n")));
        }
    }
    blocks
}

/// Commands, each with the lines it shows.
fn session(block: &str) -> Vec<(&str, Vec<&str>)> {
    let mut session: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), session.last_mut()) {
            (Some(command), _) => session.push((command, Vec::new())),
            (None, Some((_, shown))) => shown.push(line),
            (None, None) => panic!("a session begins with a command: {line}"),
        }
    }
    session
}

fn fits(expected: &[&str], shown: &[&str]) -> bool {
    match (expected, shown) {
        ([], []) => true,
        (["...", rest @ ..], _) => (0..=shown.len()).any(|skipped| fits(rest, &shown[skipped..])),
        ([expected, rest @ ..], [first, others @ ..]) => {
            comparable(expected) == comparable(first) && fits(rest, others)
        }
        _ => false,
    }
}

fn comparable(line: &str) -> String {
    let line = match line.rsplit_once(", ") {
        Some((counts, time)) if line.starts_with("stats: ") && time.ends_with(" ms") => counts,
        _ => line,
    };
    let mut columns = line
        .trim_end()
        .split("  ")
        .filter(|part| !part.trim().is_empty());
    let first = columns.next().unwrap_or_default().to_owned();
    columns.fold(first, |line, column| line + "  " + column.trim_start())
}

/// Ada's machine.
struct Machine {
    root: TempDir,
    directory: String,
}

impl Machine {
    fn new() -> Self {
        let root = tempfile::Builder::new()
            .prefix("cx")
            .rand_bytes(8)
            .tempdir()
            .unwrap();
        let machine = Self {
            root,
            directory: START.to_owned(),
        };
        machine.add("/home/ada/repo/\n/bin/");
        // The machine's own configuration files and skills are none of Ada's.
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = serve ] && exec '{BINARY}' \"$@\"\n\
             exec '{BINARY}' \"$@\" --system-config /nonexistent --managed-config /nonexistent \
             --admin-folder '{}'\n",
            machine.path("/etc/codex").display()
        );
        let command = machine.path("/bin/codex-context");
        std::fs::write(&command, script).unwrap();
        std::fs::set_permissions(command, Permissions::from_mode(0o755)).unwrap();
        machine
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.root
            .path()
            .canonicalize()
            .unwrap()
            .join(Path::new(path).strip_prefix("/").unwrap())
    }

    fn add(&self, tree: &str) {
        let real = self.path("/");
        let real = real.to_str().unwrap().trim_end_matches('/');
        // Contents speak of Ada's paths, too.
        let tree = tree
            .replace(" = ", " =\u{0} ")
            .replace("\"/home/", &format!("\"{real}/home/"));
        build_on_disk(self.root.path(), &tree.replace('\u{0}', "")).unwrap();
    }

    fn run(&mut self, line: &str) -> String {
        if let Some(directory) = line.strip_prefix("cd ") {
            let joined = Path::new(&self.directory).join(directory);
            self.directory = joined.to_str().unwrap().to_owned();
            return String::new();
        }
        let mut shell = Command::new("sh");
        shell
            .args(["-c", line])
            .env_clear()
            .current_dir(self.path(&self.directory));
        let path = format!("{}:/usr/bin:/bin", self.path("/bin").display());
        shell
            .env("PATH", path)
            .env("HOME", self.path("/home/ada"))
            .env("NO_COLOR", "1");
        let (shown, _) = run_on_terminal(shell, COLUMNS);
        shown.replace(self.path("/").to_str().unwrap().trim_end_matches('/'), "")
    }
}
