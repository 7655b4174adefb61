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

mod calls;
mod floor;
mod tree;
mod worst;

#[path = "../../tests/it/support/layouts.rs"]
mod layouts;

use std::io;

use codex_bench_support::{Bench, Mark};
use codex_skills::validate;

use crate::tree::Tree;

fn main() -> io::Result<()> {
    if calls::is_traced_side() {
        return Ok(());
    }
    let mut bench = Bench::from_args("skills", std::env::args().skip(1));
    local(&mut bench);
    growth(&mut bench);
    parsing(&mut bench);
    bench.write_report(&mut io::stdout().lock())?;
    calls::report();
    worst::report();
    Ok(())
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
