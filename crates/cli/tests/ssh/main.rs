//! The command with the targets `ssh:HOST` and `sftp:HOST`, against a real sshd.
//!
//! Run by `just test-ssh`, which starts the server, writes the `ssh` configuration that knows its
//! port and keys, and puts an `ssh` that reads it into the directory `CODEX_SSH_BIN`. The machine
//! at the other end is this one, so every answer has to be that of `local`.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the recipe speaks through the environment, and the tree is on the host"
)]

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use codex_file_system_testkit::build_on_disk;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_codex-context");
const HOST: &str = "conformance";
const TREE: &str = "\
/home/AGENTS.md = Answer in English.%0A
/shop/.git/
/shop/AGENTS.md = Run the tests.%0A
/shop/web cart/AGENTS.md = Prices are in cents.%0A
/shop/.agents/skills/release/SKILL.md = ---%0Aname: release%0Adescription: Cuts a release.%0A---%0A
/shop/link -> web cart";

/// What is asked, in the directory `shop/web cart`.
const QUESTIONS: [(&str, &[&str]); 7] = [
    ("root", &["root"]),
    ("probes", &["root", "--explain", "--format", "json"]),
    ("text", &["instructions", "--text"]),
    ("sources", &["instructions", "--sources"]),
    ("rows", &["instructions"]),
    ("catalog", &["skills", "--catalog"]),
    ("skill", &["skills", "read", "release"]),
];

fn main() {
    let arguments = Arguments::from_args();
    let trials = match std::env::var("CODEX_SSH_BIN") {
        Ok(directory) => trials(&directory),
        Err(_) => vec![skipped()],
    };
    libtest_mimic::run(&arguments, trials).exit();
}

fn skipped() -> Trial {
    let why = std::env::var("CODEX_SFTP_SKIP");
    let reason = why.unwrap_or_else(|_| "CODEX_SSH_BIN is not set: run `just test-ssh`".to_owned());
    Trial::ignorable_test("ssh::everything", move || {
        Ok(Completion::ignored_with(reason))
    })
}

fn trials(ssh: &str) -> Vec<Trial> {
    let mut trials = Vec::new();
    for target in ["ssh", "sftp"] {
        for (name, question) in QUESTIONS {
            let ssh = PathBuf::from(ssh);
            trials.push(Trial::test(format!("{target}::{name}"), move || {
                Machine::new(&ssh)?.compare(target, question)
            }));
        }
        let ssh = PathBuf::from(ssh);
        trials.push(Trial::test(
            format!("{target}::missing_directory"),
            move || Machine::new(&ssh)?.refuse(target),
        ));
    }
    let ssh = PathBuf::from(ssh);
    trials.push(Trial::test("ssh::both_targets_at_once", move || {
        Machine::new(&ssh)?.ask_both()
    }));
    trials
}

/// A tree, and the way to the same machine once more.
struct Machine {
    tree: Arc<TempDir>,
    ssh: PathBuf,
}

/// What a run said, and its exit code.
type Said = (String, String, Option<i32>);

impl Machine {
    fn new(ssh: &Path) -> io::Result<Self> {
        let tree = Arc::new(tempfile::tempdir()?);
        build_on_disk(tree.path(), TREE)?;
        let ssh = ssh.to_owned();
        Ok(Self { tree, ssh })
    }

    /// Asks there, and here.
    fn compare(&self, target: &str, question: &[&str]) -> Result<(), Failed> {
        let there = self.run(question, &[&format!("{target}:{HOST}")])?;
        let here = self.run(question, &["local"])?;
        let of_local = |text: String| text.replace("\"conformance\"", "\"local\"");
        let there = (of_local(there.0), there.1, there.2);
        same(&there, &here)
    }

    fn refuse(&self, target: &str) -> Result<(), Failed> {
        let target = format!("{target}:{HOST}");
        let (stdout, stderr, code) = self.run(&["root", "../missing"], &[&target])?;
        let is_told = stderr.contains("(environment `conformance`): it does not exist; ");
        if is_told && stdout.is_empty() && code == Some(2) {
            return Ok(());
        }
        Err(Failed::from(format!("{code:?} {stdout} {stderr}")))
    }

    /// The documents of both, one after the other; that they are the same is worth a finding.
    fn ask_both(&self) -> Result<(), Failed> {
        let question = ["instructions", "--sources"];
        let targets = [format!("a=ssh:{HOST}"), format!("b=sftp:{HOST}")];
        let (both, told, code) = self.run(&question, &[&targets[0], &targets[1]])?;
        let (here, _, _) = self.run(&question, &["local"])?;
        let of_user = here.lines().take(1);
        let of_project = here.lines().skip(1);
        let lines = of_user.chain(of_project.clone()).chain(of_project);
        let expected: String = lines.map(|line| format!("{line}\n")).collect();
        let duplicates = told.matches("[duplicate_document]").count();
        if (both == expected, duplicates, code) == (true, 2, Some(0)) {
            return Ok(());
        }
        Err(Failed::from(format!("{code:?} {both} {told}")))
    }

    fn run(&self, question: &[&str], targets: &[&str]) -> io::Result<Said> {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(BINARY);
        command
            .args(question)
            .current_dir(self.tree.path().join("shop/web cart"))
            .env("PATH", format!("{}:{path}", self.ssh.display()))
            .args([
                "--system-config",
                "/nonexistent",
                "--managed-config",
                "/nonexistent",
            ])
            .args(["--admin-folder", "/nonexistent", "--config-home"])
            .arg(self.tree.path().join("home"))
            .args(["--server-command", &format!("'{BINARY}' serve --read-only")]);
        for target in targets {
            command.args(["--env", target]);
        }
        let output = command.output()?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok((
            text(output.stdout),
            text(output.stderr),
            output.status.code(),
        ))
    }
}

fn same(found: &Said, expected: &Said) -> Result<(), Failed> {
    if found == expected {
        return Ok(());
    }
    Err(Failed::from(format!("{found:#?} instead of {expected:#?}")))
}
