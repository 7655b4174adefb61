//! This binary as the program behind the pipes.
//!
//! A connection can be made again only where a program can be started again. So the tests of
//! `reconnect` start this binary with the one test below, which serves SFTP on its standard input
//! and, since the harness talks on standard output, on descriptor 3. What it is to do is said in
//! its environment; what it has done it writes into a directory that all its starts share.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a program of its own, on this host"
)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use codex_file_system::CommandSpec;
use tempfile::TempDir;

use crate::peer::{Script, Tree, serve};

/// The command of a program, and what its starts have done.
pub(crate) struct Program {
    pub(crate) command: CommandSpec,
    directory: TempDir,
}

impl Program {
    /// A program of which the n-th start ends at its request `cuts[n]`. Starts after those last
    /// as long as they are wanted.
    pub(crate) fn cut_at(cuts: &[usize]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let cuts: Vec<String> = cuts.iter().map(usize::to_string).collect();
        let program = std::env::current_exe().unwrap();
        let script = "exec \"$0\" --exact program::serves --ignored --nocapture 3>&1 >/dev/null";
        let command = CommandSpec {
            program: "sh".to_owned(),
            args: vec!["-c".into(), script.into(), text(&program)],
            env: vec![
                (DIRECTORY.to_owned(), text(directory.path())),
                (CUTS.to_owned(), cuts.join(" ")),
            ],
            cwd: None,
        };
        Self { command, directory }
    }

    /// The requests of each start.
    pub(crate) fn starts(&self) -> Vec<Vec<String>> {
        let logs = (0..).map(|start| self.directory.path().join(start.to_string()));
        logs.map_while(|log| fs::read_to_string(log).ok())
            .map(|log| log.lines().skip(1).map(str::to_owned).collect())
            .collect()
    }

    /// The process of each start.
    #[cfg(target_os = "linux")]
    pub(crate) fn processes(&self) -> Vec<PathBuf> {
        let logs = (0..).map(|start| self.directory.path().join(start.to_string()));
        logs.map_while(|log| fs::read_to_string(log).ok())
            .filter_map(|log| Some(Path::new("/proc").join(log.lines().next()?)))
            .collect()
    }
}

const DIRECTORY: &str = "CODEX_SFTP_TEST_DIRECTORY";
const CUTS: &str = "CODEX_SFTP_TEST_CUTS";

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What every start serves.
fn tree() -> Tree {
    let contents: Vec<u8> = (0..200_000_u32).map(|index| (index / 5) as u8).collect();
    Tree::new()
        .file("/big", contents)
        .file("/d/a", "hello")
        .link("/d/l", "a")
}

#[test]
#[ignore = "the program that other tests start"]
fn serves() {
    let Ok(directory) = std::env::var(DIRECTORY) else {
        return;
    };
    let starts = (0..).map(|start| (start, Path::new(&directory).join(start.to_string())));
    let (start, mut log) = starts
        .filter_map(|(start, path)| {
            let log = OpenOptions::new().append(true).create_new(true).open(path);
            Some((start, log.ok()?))
        })
        .next()
        .unwrap();
    writeln!(log, "{}", std::process::id()).unwrap();
    let cuts = std::env::var(CUTS).unwrap();
    let cut_at = cuts
        .split_whitespace()
        .nth(start)
        .map(|cut| cut.parse().unwrap());
    let script = Script {
        cut_at,
        ..Script::default()
    };
    let output = OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    let input = File::open("/dev/fd/0").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let reader = tokio::fs::File::from_std(input);
        let writer = tokio::fs::File::from_std(output);
        serve(reader, writer, tree(), script, |name| {
            writeln!(log, "{name}").unwrap()
        })
        .await;
    });
    runtime.shutdown_background();
}
