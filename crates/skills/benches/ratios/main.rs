//! Loading skills from the local disk against the system calls it cannot do without; growth with the
//! number of skills; parsing against another engine.
//!
//! `cargo bench -p codex-skills --bench ratios`, with a part of a row's name to run that row only.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark without its tree has nothing to say, the tree is on the host, and the report goes to the terminal"
)]

mod floor;
mod worst;

#[path = "../../tests/it/support/layouts.rs"]
mod layouts;

use std::io;
use std::sync::Arc;

use codex_bench_support::{Bench, Mark};
use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, LocalFileSystem};
use codex_file_system_testkit::build_on_disk;
use codex_path_uri::PathUri;
use codex_skills::{
    SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScanLimits, SkillScope, load_skills,
    validate,
};
use futures::executor::block_on;
use tempfile::TempDir;

fn main() -> io::Result<()> {
    let mut bench = Bench::from_args("skills", std::env::args().skip(1));
    local(&mut bench);
    growth(&mut bench);
    parsing(&mut bench);
    bench.write_report(&mut io::stdout().lock())?;
    worst::report();
    Ok(())
}

/// A layout on disk, and an environment that sees it.
struct Tree {
    _scratch: TempDir,
    root: PathUri,
    native: String,
    environments: EnvironmentSet,
}

impl Tree {
    fn new(layout: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        build_on_disk(&base, &layouts::layout(layout, layouts::ROOT)).unwrap();
        let native = format!("{}{}", base.to_str().unwrap(), layouts::ROOT);
        let root = PathUri::from_host_native_path(&native).unwrap();
        let filesystem = Arc::new(LocalFileSystem::inline());
        let environment = Environment::new(local_id(), root.clone(), filesystem);
        Self {
            _scratch: scratch,
            root,
            native,
            environments: EnvironmentSet::new(vec![environment]).unwrap(),
        }
    }

    fn load(&self) -> SkillLoadOutcome {
        let options = SkillLoadOptions {
            limits: SkillScanLimits {
                max_depth: 6,
                max_directories: 100_000,
                max_entries: 1_000_000,
            },
            ..SkillLoadOptions::default()
        };
        let root = SkillRoot::new(local_id(), self.root.clone(), SkillScope::Repo);
        block_on(load_skills(&self.environments, &[root], &options))
    }
}

fn local_id() -> EnvironmentId {
    EnvironmentId::new("local").unwrap()
}

/// Parsed, named and sorted, against raw system calls.
fn local(bench: &mut Bench) {
    for name in ["1x100", "2x50", "10x10", "50x2", "10x10+10", "flat100"] {
        let tree = Tree::new(name);
        let skills = tree.load().skills.len();
        assert_eq!(floor::find_skills(&tree.native), skills, "{name}");
        bench
            .contest(&format!("local {name}"), "load_skills", || tree.load())
            .against("system calls", Mark::Within(3.0), || {
                floor::find_skills(&tree.native)
            })
            .run();
    }
}

/// A hundred times as many skills take a hundred times as long.
fn growth(bench: &mut Bench) {
    let small = Tree::new("10x10");
    let large = Tree::new("100x100");
    assert_eq!(
        (small.load().skills.len(), large.load().skills.len()),
        (100, 10_000)
    );
    bench
        .contest("growth to 10,000 skills", "10,000 at once", || large.load())
        .against("100 a hundred times", Mark::Within(1.3), || {
            (0..100).map(|_| small.load().skills.len()).sum::<usize>()
        })
        .run();
}

fn parsing(bench: &mut Bench) {
    let text = "---\nname: demo\ndescription: Reads PDF files and fills in forms.\n\
                license: MIT\nmetadata:\n  short-description: PDF\n  author: me\n---\n# Body\n";
    let block = text.split("---\n").nth(1).unwrap();
    bench
        .contest("one frontmatter", "validate", || {
            validate(text.as_bytes(), "demo")
        })
        .against("serde_yaml, parsing alone", Mark::None, || {
            serde_yaml::from_str::<serde_yaml::Value>(block)
        })
        .run();
}
