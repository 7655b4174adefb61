//! The command beside `git` and the published Codex CLI, on the same trees, turn by turn.
//!
//! `just bench` installs the peer and names it in `CODEX_PEER`; without it only `git` is a rival.
//! Whole processes are compared with whole processes. The peer's skill discovery is asked of a
//! running `codex app-server`, and what it takes for an empty project is subtracted; the system calls
//! that nobody can do without are made beside them, as they bound what anybody can reach.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark without its tree has nothing to say, and the report goes to the terminal"
)]

#[path = "../tests/peer/app_server.rs"]
mod app_server;
#[path = "../../skills/benches/ratios/floor.rs"]
mod floor;
#[path = "../../skills/tests/it/support/layouts.rs"]
#[expect(
    dead_code,
    reason = "the skills of this bench lie at a place of their own"
)]
mod layouts;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use codex_bench_support::{Bench, Mark};
use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, LocalFileSystem};
use codex_file_system_testkit::build_on_disk;
use codex_path_uri::PathUri;
use codex_skills::{SkillLoadOptions, SkillRoot, SkillScope, load_skills};
use tempfile::TempDir;

use crate::app_server::AppServer;

/// Turns of each side in the comparison of skill discovery.
const TURNS: usize = 21;
const SKILLS: &str = "/repo/.agents/skills";
const LAYOUTS: [&str; 5] = ["empty", "1x100", "2x50", "10x10", "50x2"];

fn main() -> io::Result<()> {
    let peer = env::var_os("CODEX_PEER").map(PathBuf::from);
    let mut bench = Bench::from_args("processes", env::args().skip(1));
    processes(&mut bench, peer.as_deref());
    bench.write_report(&mut io::stdout().lock())?;
    if let Some(peer) = peer {
        discovery(&peer);
    }
    Ok(())
}

/// A small repository with instructions on three levels.
fn processes(bench: &mut Bench, peer: Option<&Path>) {
    let scratch = tempfile::tempdir().unwrap();
    let base = scratch.path().canonicalize().unwrap();
    build_on_disk(
        &base,
        "/home/\n/repo/AGENTS.md = Root.\n/repo/a/AGENTS.md = Inner.\n/repo/a/b/AGENTS.md = Leaf.",
    )
    .unwrap();
    run(&base, Path::new("git"), &base.join("repo"), &["init", "-q"]);
    let own = Path::new(env!("CARGO_BIN_EXE_codex-context"));
    let cwd = base.join("repo/a/b");
    bench
        .contest("find the root", "codex-context root", || {
            run(&base, own, &cwd, &["root"])
        })
        .against("git rev-parse", Mark::Within(3.0), || {
            run(
                &base,
                Path::new("git"),
                &cwd,
                &["rev-parse", "--show-toplevel"],
            )
        })
        .run();
    let Some(peer) = peer else { return };
    bench
        .contest(
            "what the model is given",
            "codex-context instructions --text",
            || run(&base, own, &cwd, &["instructions", "--text"]),
        )
        .against("codex debug prompt-input", Mark::FasterBy(8.0), || {
            run(&base, peer, &cwd, &["debug", "prompt-input"])
        })
        .run();
}

/// Runs a program to its end with a home of its own.
fn run(base: &Path, program: &Path, cwd: &Path, arguments: &[&str]) -> usize {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(cwd)
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .env("HOME", base.join("home"))
        .env("CODEX_HOME", base.join("home"))
        .output()
        .expect("the program starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout.len()
}

/// A project whose skills lie in `.agents/skills`, and both sides ready to find them.
struct Project {
    _scratch: TempDir,
    cwd: PathBuf,
    native: String,
    server: AppServer,
    environments: EnvironmentSet,
    root: SkillRoot,
}

impl Project {
    fn new(peer: &Path, layout: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        let tree = layouts::layout(layout, SKILLS);
        build_on_disk(&base, &format!("/home/\n/repo/.git/\n{tree}")).unwrap();
        let (cwd, home) = (base.join("repo"), base.join("home"));
        fs::write(cwd.join("README.md"), "").unwrap();
        let id = EnvironmentId::new("local").unwrap();
        let native = format!("{}{SKILLS}", base.to_str().unwrap());
        let path = PathUri::from_host_native_path(&native).unwrap();
        let files = Arc::new(LocalFileSystem::inline());
        let environment = Environment::new(id.clone(), path.clone(), files);
        Self {
            server: AppServer::start(peer, &cwd, &home, &home),
            _scratch: scratch,
            cwd,
            native,
            environments: EnvironmentSet::new(vec![environment]).unwrap(),
            root: SkillRoot::new(id, path, SkillScope::Repo),
        }
    }

    fn ours(&self) -> usize {
        let roots = std::slice::from_ref(&self.root);
        let options = SkillLoadOptions::default();
        let load = load_skills(&self.environments, roots, &options);
        futures::executor::block_on(load).skills.len()
    }

    /// How many skills of this project the peer finds; its bundled ones lie elsewhere.
    fn theirs(&mut self) -> usize {
        let answer = self.server.skills(&self.cwd);
        let skills = answer["skills"].as_array().expect("skills");
        let below = |skill: &&serde_json::Value| {
            skill["path"]
                .as_str()
                .is_some_and(|path| Path::new(path).starts_with(&self.cwd))
        };
        skills.iter().filter(below).count()
    }
}

/// Discovery of skills: this workspace's loader, the system calls it cannot do without, and the peer's
/// net of its empty project.
fn discovery(peer: &Path) {
    let mut projects: Vec<Project> = LAYOUTS
        .iter()
        .map(|layout| Project::new(peer, layout))
        .collect();
    let mut ours = vec![Vec::new(); LAYOUTS.len()];
    let mut floors = vec![Vec::new(); LAYOUTS.len()];
    let mut theirs = vec![Vec::new(); LAYOUTS.len()];
    for _ in 0..TURNS {
        for (number, project) in projects.iter_mut().enumerate() {
            let (time, found) = timed(|| project.ours());
            ours[number].push(time);
            let (time, found_by_floor) = timed(|| floor::find_skills(&project.native));
            floors[number].push(time);
            let (time, found_by_peer) = timed(|| project.theirs());
            theirs[number].push(time);
            assert_eq!(found, found_by_floor, "{}", LAYOUTS[number]);
            assert_eq!(found, found_by_peer, "{}", LAYOUTS[number]);
        }
    }
    let empty = median(&theirs[0]);
    println!(
        "\n| skills | ours | system calls alone | codex app-server, net | ratio (mark 12) \
         | ratio of the system calls |\n|---|---|---|---|---|---|"
    );
    for number in 1..LAYOUTS.len() {
        let own = median(&ours[number]);
        let floor = median(&floors[number]);
        let net = median(&theirs[number]).saturating_sub(empty);
        let ratio = |time: Duration| net.as_secs_f64() / time.as_secs_f64();
        println!(
            "| {} | {own:.1?} | {floor:.1?} | {net:.1?} | {:.1} | {:.1} |",
            LAYOUTS[number],
            ratio(own),
            ratio(floor),
        );
    }
    projects
        .into_iter()
        .for_each(|project| project.server.end());
}

fn timed<R>(work: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}
