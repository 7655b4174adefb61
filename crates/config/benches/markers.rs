//! `project_root_markers` of four layers, looked up and merged first.
//!
//! `cargo bench -p codex-config --bench markers`. The smaller the layers, the less there is to
//! save: what a look-up costs is the list it returns.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at a failure")]

use std::hint::black_box;
use std::io;

use codex_bench_support::{Bench, Mark};
use codex_config::{
    ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, ProfileName,
    project_root_markers_from_config,
};
use codex_path_uri::PathUri;

fn main() -> io::Result<()> {
    let mut bench = Bench::from_args("config", std::env::args().skip(1));
    // A user file grows by one table for each directory that its owner was asked about.
    for (projects, mark) in [
        (3, Mark::None),
        (24, Mark::FasterBy(35.0)),
        (200, Mark::None),
    ] {
        let stack = stack(projects);
        let name = format!("project root markers of 4 layers, {projects} projects");
        bench
            .contest(&name, "looked up", || {
                let (markers, origin) = black_box(&stack).project_root_markers();
                (markers.unwrap(), origin)
            })
            .against("merged first", mark, || {
                let merged = black_box(&stack).effective_config_without_project();
                project_root_markers_from_config(&merged).unwrap()
            })
            .run();
    }
    bench.write_report(&mut io::stdout())
}

/// The layers of an ordinary machine: each sets what such a file usually sets.
fn stack(projects: usize) -> ConfigLayerStack {
    let file = |path: &str| PathUri::parse(path).unwrap();
    let profile = ProfileName::new("work").unwrap();
    let sources = [
        ConfigLayerSource::System {
            file: file("file:///etc/codex/config.toml"),
        },
        ConfigLayerSource::User {
            file: file("file:///home/me/.codex/config.toml"),
            profile: None,
        },
        ConfigLayerSource::User {
            file: file("file:///home/me/.codex/work.config.toml"),
            profile: Some(profile),
        },
        ConfigLayerSource::SessionFlags,
    ];
    let trusted = (0..projects).map(|index| {
        format!("[projects.\"/home/me/src/app-{index}\"]\ntrust_level = \"trusted\"\n")
    });
    let user: String = std::iter::once(USER.to_owned()).chain(trusted).collect();
    let texts = [SYSTEM, &user, PROFILE, SESSION];
    let layers = sources
        .into_iter()
        .zip(texts)
        .map(|(source, text)| ConfigLayerEntry::from_toml_text(source, text).unwrap());
    ConfigLayerStack::new(layers.collect()).unwrap()
}

const SYSTEM: &str = r#"
approval_policy = "on-request"
sandbox_mode = "workspace-write"
project_root_markers = [".git"]

[sandbox_workspace_write]
network_access = false
writable_roots = ["/var/cache/build"]

[shell_environment_policy]
inherit = "core"
exclude = ["AWS_*", "AZURE_*"]
"#;

const USER: &str = r#"
model = "gpt-5"
model_reasoning_effort = "medium"
project_root_markers = [".git", ".hg", ".sl"]
project_doc_fallback_filenames = ["CLAUDE.md", "GEMINI.md"]

[tui]
notifications = ["agent-turn-complete", "approval-requested"]

[history]
persistence = "save-all"
max_bytes = 10485760

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
env = { DOCS_TOKEN = "x" }

[mcp_servers.tracker]
url = "https://tracker.example/mcp"
startup_timeout_sec = 20

[[skills.config]]
name = "release-notes"
enabled = false
"#;

const PROFILE: &str = r#"
model_reasoning_effort = "high"
approval_policy = "never"

[mcp_servers.tracker]
enabled = false

[features]
web_search = true
"#;

const SESSION: &str = r#"
model = "gpt-5-mini"
project_doc_max_bytes = 65536
"#;
