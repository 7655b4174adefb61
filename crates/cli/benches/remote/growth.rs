//! Time and memory per skill on the local disk as skills become more: flat lines are linear cost.

use std::sync::Arc;
use std::time::Instant;

use allocation_counter::measure;
use codex_bench_support::Spread;
use codex_bench_support::plot::{Axis, Panel, Picture};
use codex_file_system::{Environment, EnvironmentSet, LocalFileSystem};
use codex_file_system_testkit::build_on_disk;
use codex_path_uri::PathUri;
use codex_skills::{
    SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScanLimits, SkillScope, load_skills,
};
use futures::executor::block_on;
use tempfile::TempDir;

use crate::support::{layouts, local};

const TURNS: usize = 7;
/// How many skills one turn loads at least, small trees several times.
const SKILLS_PER_TURN: usize = 2_000;

/// What skills cost in a tree of so many.
pub(crate) struct Growth {
    skills: usize,
    microseconds_each: Spread,
    /// The most that is allocated at once during a load, its outcome included.
    kibibytes_each: f64,
}

/// Measures 10 to 10,000 skills, ten to a plugin.
pub(crate) fn measure_all() -> Vec<Growth> {
    [1, 10, 100, 1_000].map(measure_plugins).into()
}

fn measure_plugins(plugins: usize) -> Growth {
    let tree = Tree::new(&format!("{plugins}x10"));
    let skills = tree.load().skills.len();
    assert_eq!(skills, plugins * 10);
    let loads = (SKILLS_PER_TURN / skills).max(1);
    let times = [(); TURNS].map(|()| {
        let start = Instant::now();
        for _ in 0..loads {
            tree.load();
        }
        start.elapsed().as_secs_f64() * 1e6 / (loads * skills) as f64
    });
    let memory = measure(|| drop(tree.load()));
    Growth {
        skills,
        microseconds_each: Spread::of(&times).unwrap(),
        kibibytes_each: memory.bytes_max as f64 / 1024.0 / skills as f64,
    }
}

struct Tree {
    _scratch: TempDir,
    root: SkillRoot,
    environments: EnvironmentSet,
}

impl Tree {
    fn new(layout: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        build_on_disk(scratch.path(), &layouts::layout(layout, "/root")).unwrap();
        let root = PathUri::from_host_native_path(scratch.path().join("root")).unwrap();
        let filesystem = Arc::new(LocalFileSystem::inline());
        let environment = Environment::new(local(), root.clone(), filesystem);
        Self {
            _scratch: scratch,
            root: SkillRoot::new(local(), root, SkillScope::Repo),
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
        let roots = std::slice::from_ref(&self.root);
        block_on(load_skills(&self.environments, roots, &options))
    }
}

/// The measurements as a table.
pub(crate) fn table(growth: &[Growth]) -> String {
    let mut table = String::from("| skills | time each | memory each |\n|---|---|---|\n");
    for Growth {
        skills,
        microseconds_each: time,
        kibibytes_each: memory,
    } in growth
    {
        table += &format!(
            "| {skills} | {:.1} µs ({:.1}–{:.1}) | {memory:.2} KiB |\n",
            time.median, time.least, time.greatest
        );
    }
    table
}

/// The measurements as a picture.
pub(crate) fn picture(growth: &[Growth]) -> Picture {
    let of = |value: fn(&Growth) -> f64| {
        let values = growth.iter();
        values.map(move |growth| (growth.skills as f64, value(growth)))
    };
    let skills = || Axis::logarithmic("skills in the tree");
    Picture::new(
        "What one skill costs as skills become more",
        "Local disk, ten skills to a plugin; a flat line is linear cost.",
    )
    .with_panel(
        Panel::lines(skills(), Axis::linear("µs per skill"))
            .with_series("time", of(|growth| growth.microseconds_each.median)),
    )
    .with_panel(
        Panel::lines(skills(), Axis::linear("KiB per skill, at the peak"))
            .with_series("memory", of(|growth| growth.kibibytes_each)),
    )
}
