//! Random machines: a fixed set of places, each of which holds one of a few things or nothing.

use std::sync::{Arc, Mutex};

use codex_context::file_system::call::{Call, Uniform};
use codex_context::file_system::{FileSystemFuture, uniform_file_system};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use proptest::collection::vec;
use proptest::prelude::*;

const SKILL: &str = "---%0Aname: N%0Adescription: D%0A---%0A";

/// A place and what may be there; the first is nothing.
type Place = (&'static str, &'static [&'static str]);

const DOCUMENT: &[&str] = &[
    "",
    " = Short.",
    " = A longer document of some forty bytes or so.",
    " = %20%0A",
    "/",
    " -> nowhere",
    " -> other.md",
];
const LAYER: &[&str] = &[
    "",
    " = project_doc_max_bytes = 30",
    " = project_doc_max_bytes = 0",
    " = project_doc_fallback_filenames = ['other.md']",
    " = project_root_markers = ['.hg']",
];
const MARKER: &[&str] = &["", "/", " = gitdir: elsewhere"];

const PLACES: &[Place] = &[
    ("/w/.git", MARKER),
    ("/w/a/.git", MARKER),
    ("/w/a/.hg", &["", "/"]),
    ("/AGENTS.md", &["", " = Above."]),
    ("/w/AGENTS.md", DOCUMENT),
    ("/w/AGENTS.override.md", DOCUMENT),
    ("/w/a/AGENTS.md", DOCUMENT),
    ("/w/a/other.md", &["", " = Other."]),
    ("/w/a/b/AGENTS.override.md", DOCUMENT),
    ("/w/a/b/AGENTS.md", DOCUMENT),
    ("/w/.codex/config.toml", LAYER),
    ("/w/a/b/.codex/config.toml", LAYER),
    (
        "/w/.agents/skills/one/SKILL.md",
        &["", "SKILL", " = no frontmatter"],
    ),
    ("/w/.agents/skills/group/two/SKILL.md", &["", "SKILL"]),
    ("/w/a/b/.agents/skills/one/SKILL.md", &["", "SKILL"]),
    ("/w/a/.codex/skills/three/SKILL.md", &["", "SKILL"]),
    ("/home/ada/.codex/AGENTS.md", DOCUMENT),
    ("/home/ada/.codex/skills/four/SKILL.md", &["", "SKILL"]),
    ("/home/ada/.agents/skills/five/SKILL.md", &["", "SKILL"]),
    (
        "/opt/p/.codex-plugin/plugin.json",
        &["", " = {}", " = {\"name\": \"q\"}", " = {"],
    ),
    ("/opt/p/skills/six/SKILL.md", &["", "SKILL"]),
    (
        "/opt/p/.mcp.json",
        &["", " = {\"mcpServers\": {\"m\": {\"command\": \"c\"}}}"],
    ),
    (
        "/home/ada/.codex/config.toml",
        &[
            "",
            " = project_doc_max_bytes = 60",
            " = project_root_markers = ['.hg', '.git']",
            " = project_root_markers = []",
            " = [projects.'PREFIX/w']%0Atrust_level = 'trusted'",
            " = [projects.'PREFIX/w']%0Atrust_level = 'untrusted'",
            " = [projects.'PREFIX/w/a/b']%0Atrust_level = 'trusted'",
            " = [[skills.config]]%0Aname = 'N'%0Aenabled = false",
        ],
    ),
];

/// What is at each place, by number.
pub(crate) type Layout = Vec<usize>;

pub(crate) fn layouts() -> impl Strategy<Value = Layout> {
    let choices: Vec<_> = PLACES.iter().map(|(_, things)| 0..things.len()).collect();
    choices
}

/// A layout, and a few places of it that hold something else afterwards.
pub(crate) fn edited_layouts() -> impl Strategy<Value = (Layout, Layout)> {
    let edits = vec((0..PLACES.len(), 0..64_usize), 0..5);
    (layouts(), edits).prop_map(|(before, edits)| {
        let mut after = before.clone();
        for (place, thing) in edits {
            after[place] = thing % PLACES[place].1.len();
        }
        (before, after)
    })
}

/// Where everything is: a drive of Windows has a prefix.
pub(crate) fn prefix(flavor: Flavor) -> &'static str {
    match flavor {
        Flavor::Windows => "C:",
        _ => "",
    }
}

pub(crate) fn machine(flavor: Flavor, layout: &[usize]) -> MemoryFileSystem {
    let prefix = prefix(flavor);
    // The start directory and the user's home always exist.
    let mut tree = format!("{prefix}/w/a/b/\n{prefix}/home/ada/.codex/\n{prefix}/opt/p/\n");
    for ((place, things), thing) in PLACES.iter().zip(layout) {
        let thing = match things[*thing] {
            "" => continue,
            "SKILL" => format!(" = {SKILL}"),
            other => other.replace("PREFIX", prefix),
        };
        tree += &format!("{prefix}{place}{thing}\n");
    }
    MemoryFileSystem::from_tree(flavor, &tree).unwrap()
}

/// A machine whose files are exchanged from outside.
pub(crate) struct Exchanged(Mutex<Arc<MemoryFileSystem>>);

impl Exchanged {
    pub(crate) fn new(files: MemoryFileSystem) -> Self {
        Self(Mutex::new(Arc::new(files)))
    }

    pub(crate) fn exchange(&self, files: MemoryFileSystem) {
        *self.0.lock().unwrap() = Arc::new(files);
    }
}

impl Uniform for Exchanged {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        let files = Arc::clone(&self.0.lock().unwrap());
        Box::pin(async move { call.make(&*files).await })
    }
}

uniform_file_system! { impl for Exchanged }
