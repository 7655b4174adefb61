//! Parsing manifests, beside parsing the same texts to a tree of JSON values.
//!
//! `cargo bench -p codex-plugin --bench manifests`, with a part of a row's name to run that row only.
//! The mark for 1,500 manifests of 500 bytes is 10 ms.

#![expect(
    clippy::expect_used,
    reason = "a benchmark whose input is wrong has nothing to say"
)]

use std::hint::black_box;
use std::io;

use codex_bench_support::{Bench, Mark};
use codex_path_uri::PathUri;
use codex_plugin::parse_plugin_manifest;

const MANIFESTS: usize = 1_500;
const BYTES: usize = 500;

fn main() -> io::Result<()> {
    let mut bench = Bench::from_args("plugin", std::env::args().skip(1));
    for (name, root) in [
        (
            "1,500 manifests of 500 bytes, POSIX root",
            "file:///home/alice/.codex/plugins/demo",
        ),
        (
            "1,500 manifests of 500 bytes, Windows root",
            "file:///C:/Users/alice/plugins/demo",
        ),
    ] {
        compare(&mut bench, name, &PathUri::parse(root).expect("a URI"));
    }
    bench.write_report(&mut io::stdout().lock())
}

fn compare(bench: &mut Bench, name: &str, root: &PathUri) {
    let texts: Vec<String> = (0..MANIFESTS).map(manifest).collect();
    let ours = || {
        for text in &texts {
            black_box(parse_plugin_manifest(root, text).expect("a manifest"));
        }
    };
    let values = || {
        for text in &texts {
            black_box(serde_json::from_str::<serde_json::Value>(text).expect("JSON"));
        }
    };
    bench
        .contest(name, "parse_plugin_manifest", ours)
        .against("serde_json::Value", Mark::None, values)
        .run();
}

/// A manifest as plugins have it, filled up to its size in the description.
fn manifest(index: usize) -> String {
    let before = format!(
        r#"{{
  "name": "plugin-{index:04}",
  "version": "1.{index}.0",
  "author": {{ "name": "Alice", "email": "alice@example.com" }},
  "homepage": "https://example.com/plugin",
  "keywords": ["git", "review"],
  "skills": ["./skills"],
  "mcpServers": {{ "git": {{ "command": "./bin/git-mcp", "args": ["--stdio"] }} }},
  "interface": {{ "displayName": "Git Review", "category": "Coding", "logo": "./assets/logo.png" }},
  "description": ""#
    );
    let after = "\"\n}\n";
    let filler = BYTES.saturating_sub(before.len() + after.len());
    format!("{before}{}{after}", "d".repeat(filler))
}
