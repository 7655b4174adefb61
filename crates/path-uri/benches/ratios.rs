//! Every operation against a newtype over `url::Url` and against the standard library.
//!
//! `cargo bench -p codex-path-uri --bench ratios`, with a part of a row's name to run that row
//! only.

#![expect(
    clippy::expect_used,
    reason = "a benchmark whose input is wrong has nothing to say"
)]

mod baseline;

use std::{
    hint::black_box,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use codex_bench_support::{Bench, Mark};
use codex_path_uri::{PathConvention, PathUri};

use crate::baseline::UrlPath;

const OURS: &str = "PathUri";
const BASELINE: &str = "newtype over url::Url";

/// Six segments, as most of the rows have.
const URI: &str = "file:///home/alice/projects/context/src/main.rs";
const POSIX: &str = "/home/alice/projects/context/src/main.rs";
const DRIVE_URI: &str = "file:///C:/Users/alice/projects/context/src/main.rs";
const WINDOWS: &str = r"C:\Users\alice\projects\context\src\main.rs";
const DIRECTORY: &str = "file:///home/alice/projects/context/src/bin";
const NATIVE_DIRECTORY: &str = "/home/alice/projects/context/src/bin";
const DEEP: &str = "file:///home/alice/projects/context/crates/agents/src/load";
const NATIVE_DEEP: &str = "/home/alice/projects/context/crates/agents/src/load";

fn main() -> io::Result<()> {
    let mut bench = Bench::from_args("path-uri", std::env::args().skip(1));
    parse(&mut bench);
    from_native(&mut bench);
    join(&mut bench);
    parents(&mut bench);
    starts_with(&mut bench);
    find_up(&mut bench);
    clone(&mut bench);
    bench.write_report(&mut io::stdout().lock())
}

fn uri(text: &str) -> PathUri {
    PathUri::parse(text).expect("a URI")
}

fn url(text: &str) -> UrlPath {
    text.parse().expect("a URL")
}

fn parse(bench: &mut Bench) {
    for (name, text) in [
        ("parse canonical URI", URI),
        ("parse canonical drive URI", DRIVE_URI),
    ] {
        bench
            .contest(name, OURS, || PathUri::parse(black_box(text)))
            .against(BASELINE, Mark::FasterBy(6.0), || {
                black_box(text).parse::<UrlPath>()
            })
            .against("Arc::<str>::from", Mark::Within(3.0), || {
                Arc::<str>::from(black_box(text))
            })
            .run();
    }
}

fn from_native(bench: &mut Bench) {
    let rows = [
        ("from POSIX native text", POSIX, PathConvention::Posix, '/'),
        (
            "from Windows native text",
            WINDOWS,
            PathConvention::Windows,
            '\\',
        ),
    ];
    for (name, text, convention, separator) in rows {
        bench
            .contest(name, OURS, || {
                PathUri::from_native(black_box(text), convention)
            })
            .against(BASELINE, Mark::FasterBy(10.0), || {
                UrlPath::from_native(black_box(text), separator)
            })
            .against("copy of a PathBuf", Mark::Within(5.0), || {
                PathBuf::from(black_box(text))
            })
            .run();
    }
}

fn join(bench: &mut Bench) {
    let (base, baseline, path) = (uri(DIRECTORY), url(DIRECTORY), Path::new(NATIVE_DIRECTORY));
    bench
        .contest("join one clean name", OURS, || {
            base.join(black_box("AGENTS.md"))
        })
        .against(BASELINE, Mark::FasterBy(7.0), || {
            baseline.join(black_box("AGENTS.md"))
        })
        .against("Path::join", Mark::Within(1.2), || {
            path.join(black_box("AGENTS.md"))
        })
        .run();
}

fn parents(bench: &mut Bench) {
    let (deep, baseline, path) = (uri(DEEP), url(DEEP), Path::new(NATIVE_DEEP));
    bench
        .contest("8 parents to the root", OURS, || {
            let mut path = black_box(&deep).clone();
            while let Some(parent) = path.parent() {
                path = parent;
            }
            path
        })
        .against(BASELINE, Mark::FasterBy(10.0), || {
            let mut path = black_box(&baseline).clone();
            while let Some(parent) = path.parent() {
                path = parent;
            }
            path
        })
        .against("borrowed Path::parent", Mark::Within(0.5), || {
            let mut path = black_box(path);
            while let Some(parent) = path.parent() {
                path = parent;
            }
            path
        })
        .run();
}

fn starts_with(bench: &mut Bench) {
    let rows = [
        ("starts_with, POSIX", URI, "file:///home/alice/projects"),
        (
            "starts_with, Windows",
            DRIVE_URI,
            "file:///C:/Users/alice/projects",
        ),
    ];
    for (name, path_text, base_text) in rows {
        let (path, base) = (uri(path_text), uri(base_text));
        let (baseline_path, baseline_base) = (url(path_text), url(base_text));
        bench
            .contest(name, OURS, || {
                black_box(&path).starts_with(black_box(&base))
            })
            .against(BASELINE, Mark::FasterBy(100.0), || {
                black_box(&baseline_path).starts_with(black_box(&baseline_base))
            })
            .against("str::starts_with", Mark::Within(2.0), || {
                black_box(path_text).starts_with(black_box(base_text))
            })
            .run();
    }
}

fn find_up(bench: &mut Bench) {
    let (deep, baseline, path) = (uri(DEEP), url(DEEP), Path::new(NATIVE_DEEP));
    bench
        .contest("find-up, 8 ancestors x 1 marker", OURS, || {
            for ancestor in black_box(&deep).ancestors().take(8) {
                let _ = black_box(ancestor.join(black_box(".git")));
            }
        })
        .against(BASELINE, Mark::FasterBy(6.0), || {
            let ancestors =
                std::iter::successors(Some(black_box(&baseline).clone()), UrlPath::parent);
            for ancestor in ancestors.take(8) {
                black_box(ancestor.join(black_box(".git")));
            }
        })
        .against("Path::ancestors, Path::join", Mark::Within(1.0), || {
            for ancestor in black_box(path).ancestors().take(8) {
                black_box(ancestor.join(black_box(".git")));
            }
        })
        .run();
}

fn clone(bench: &mut Bench) {
    let (short, long) = (uri(URI), uri(&format!("{URI}/{}", "deeper/".repeat(1000))));
    bench
        .contest("clone and convention, 47 bytes", OURS, || {
            black_box(&short).clone().convention()
        })
        .against("the same, 7047 bytes", Mark::None, || {
            black_box(&long).clone().convention()
        })
        .run();
}
