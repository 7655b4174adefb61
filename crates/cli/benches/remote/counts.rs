//! Calls and round trips of skill discovery per layout, here and by two other ways of finding
//! skills. Nothing is timed: a filesystem counts, and round trips are time on a paused clock.

use codex_bench_support::plot::{Axis, Panel, Picture};
use codex_file_system::Window;
use codex_file_system::wrap::Counting;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_skills::{SkillLoadOptions, SkillRoot, SkillScope};
use futures::executor::block_on;

use crate::support::layouts::{ROOT, layout};
use crate::support::seed::{probe_from_every_plugin, probe_from_every_skill};
use crate::support::{load_counted, local, uri};

const LAYOUTS: [&str; 5] = ["1x100", "2x50", "10x10", "50x2", "10x10+10"];
const WINDOWS: [usize; 3] = [8, 16, 32];

/// What one layout costs.
pub(crate) struct Cost {
    layout: String,
    /// One manifest lookup per skill; one question after another, so also its round trips.
    per_skill: u64,
    /// One manifest lookup per directory with a plugin; also one question after another.
    per_plugin: u64,
    here: u64,
    /// At each of the windows.
    round_trips: [u64; WINDOWS.len()],
}

/// Counts on every layout.
pub(crate) fn count() -> Vec<Cost> {
    LAYOUTS.iter().map(|name| cost(name)).collect()
}

fn cost(name: &str) -> Cost {
    let tree = || MemoryFileSystem::from_tree(Flavor::Posix, &layout(name, ROOT)).unwrap();
    let path = uri(&format!("file://{ROOT}"));
    let counting = Counting::new(tree());
    block_on(probe_from_every_skill(&counting, &path));
    let per_skill = counting.calls().total();
    counting.reset();
    block_on(probe_from_every_plugin(&counting, &path));
    let per_plugin = counting.calls().total();
    let root = SkillRoot {
        canonical: Some(path.clone()),
        ..SkillRoot::new(local(), path, SkillScope::Environment)
    };
    let costs = WINDOWS.map(|window| {
        let options = SkillLoadOptions {
            window: Window::new(window).unwrap(),
            ..SkillLoadOptions::default()
        };
        load_counted(tree(), std::slice::from_ref(&root), &options).1
    });
    Cost {
        layout: name.replace('x', "×"),
        per_skill,
        per_plugin,
        here: costs[0].calls.total(),
        round_trips: costs.map(|cost| cost.round_trips),
    }
}

/// The costs as a table.
pub(crate) fn table(costs: &[Cost]) -> String {
    let mut table = String::from(
        "| layout | calls: a lookup per skill | a lookup per plugin | here \
         | round trips here at window 8 / 16 / 32 |\n|---|---|---|---|---|\n",
    );
    for cost in costs {
        let [eight, sixteen, most] = cost.round_trips;
        table += &format!(
            "| {} | {} | {} | {} | {eight} / {sixteen} / {most} |\n",
            cost.layout, cost.per_skill, cost.per_plugin, cost.here
        );
    }
    table
}

/// The round trips as a picture.
pub(crate) fn picture(costs: &[Cost]) -> Picture {
    let groups = costs.iter().map(|cost| &*cost.layout);
    let mut panel = Panel::bars(groups, Axis::logarithmic("dependent round trips"));
    let of = |value: fn(&Cost) -> u64| {
        let values = costs.iter().enumerate();
        values.map(move |(group, cost)| (group as f64, value(cost) as f64))
    };
    panel = panel
        .with_series("a lookup per skill", of(|cost| cost.per_skill))
        .with_series("a lookup per plugin", of(|cost| cost.per_plugin))
        .with_series("here, window 8", of(|cost| cost.round_trips[0]))
        .with_series("window 16", of(|cost| cost.round_trips[1]))
        .with_series("window 32", of(|cost| cost.round_trips[2]));
    Picture::new(
        "Round trips to find the skills of a root",
        "By layout: plugins × skills of each, + skills without a plugin. Logarithmic; fewer is better.",
    )
    .with_panel(panel)
}
