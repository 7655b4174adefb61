//! A whole load on the host's own filesystem against the system calls it cannot do without.
//!
//! `cargo bench -p codex-agents-md --bench instructions`. The floor asks the same questions of the
//! same tree with nothing around them: `stat` for the markers, `open`, `read` and `close` for the
//! documents, no path type, no decoding, no report.

#![expect(
    clippy::expect_used,
    reason = "a benchmark whose tree is wrong has nothing to say"
)]

use std::ffi::CStr;
use std::io;
use std::path::Path;
use std::sync::Arc;

use codex_agents_md::{TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions};
use codex_bench_support::{Bench, Mark};
use codex_config::Config;
use codex_file_system::{Environment, EnvironmentId, LocalFileSystem};
use codex_file_system_testkit::build_on_disk;
use codex_path_uri::PathUri;
use futures::executor::block_on;
use rustix::fs::{Mode, OFlags, open, stat};

/// Longest path the floor builds, in bytes.
const PATH_BYTES: usize = 4096;
/// The default budget, which no document here exceeds.
const DOCUMENT_BYTES: usize = 32 * 1024;

fn main() -> io::Result<()> {
    let mut bench = Bench::from_args("instructions", std::env::args().skip(1));
    for (name, directories, documents, mark) in [
        ("5 directories, a document in each", 5, 5, Mark::Within(3.0)),
        (
            "5 directories, a document in the root",
            5,
            1,
            Mark::Within(3.0),
        ),
        ("20 directories, a document in each", 20, 20, Mark::None),
    ] {
        let directory = tempfile::tempdir()?;
        let cwd = build(directory.path(), directories, documents)?;
        let snapshot = snapshot(&cwd)?;
        let config = Config::default();
        let load = || {
            let outcome = block_on(load_project_instructions(&config, None, &snapshot));
            outcome.loaded.map_or(0, |loaded| loaded.text().len())
        };
        let text = documents * document().len() + (documents - 1) * "\n\n".len();
        assert_eq!(load(), text);
        let cwd = cwd
            .to_str()
            .expect("a temporary directory with a plain name");
        assert_eq!(floor(cwd.as_bytes()), documents * document().len());
        bench
            .contest(name, "load_project_instructions", load)
            .against("system calls alone", mark, || floor(cwd.as_bytes()))
            .run();
    }
    bench.write_report(&mut io::stdout().lock())
}

fn document() -> String {
    "Use `just test` before you send a change.\n".repeat(24)
}

/// Builds the directories, root first, and gives back the innermost.
fn build(at: &Path, directories: usize, documents: usize) -> io::Result<std::path::PathBuf> {
    let text = codex_file_system_testkit::escape(document().as_bytes());
    let mut lines = vec!["r/.git/".to_owned()];
    for depth in 0..directories {
        let path = format!("r{}", "/directory".repeat(depth));
        lines.push(format!("{path}/"));
        if depth < documents {
            lines.push(format!("{path}/AGENTS.md = {text}"));
        }
    }
    build_on_disk(at, &lines.join("\n"))?;
    Ok(at.join(format!("r{}", "/directory".repeat(directories - 1))))
}

fn snapshot(cwd: &Path) -> io::Result<TurnEnvironmentSnapshot> {
    let cwd = PathUri::from_host_native_path(cwd)?;
    let id = EnvironmentId::new("local").expect("an id");
    let filesystem = Arc::new(LocalFileSystem::inline());
    let environment = Environment::new(id.clone(), cwd.clone(), filesystem);
    let turn_environments = vec![TurnEnvironment::new(id, environment, cwd)];
    Ok(TurnEnvironmentSnapshot { turn_environments })
}

/// The bytes of the documents from the root to `cwd`.
fn floor(cwd: &[u8]) -> usize {
    let mut path = [0; PATH_BYTES];
    let mut directories = Vec::new();
    let mut directory = cwd;
    while !directory.is_empty() {
        directories.push(directory);
        if stat(join(&mut path, directory, b"/.git\0")).is_ok() {
            break;
        }
        let separator = directory.iter().rposition(|byte| *byte == b'/');
        directory = &directory[..separator.unwrap_or(0)];
    }
    let mut contents = [0; DOCUMENT_BYTES];
    let mut bytes = 0;
    for directory in directories.into_iter().rev() {
        for name in [&b"/AGENTS.override.md\0"[..], b"/AGENTS.md\0"] {
            let path = join(&mut path, directory, name);
            if let Ok(file) = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
                bytes += rustix::io::read(&file, &mut contents).expect("a document");
                break;
            }
        }
    }
    bytes
}

fn join<'a>(path: &'a mut [u8; PATH_BYTES], directory: &[u8], name: &[u8]) -> &'a CStr {
    let end = directory.len() + name.len();
    path[..directory.len()].copy_from_slice(directory);
    path[directory.len()..end].copy_from_slice(name);
    CStr::from_bytes_with_nul(&path[..end]).expect("one NUL")
}
