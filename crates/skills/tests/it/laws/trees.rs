//! Random trees of skills, plugins, sidecars and links, which a failing test prints as literals.

use std::fmt;

use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A tree below `/t`, as the lines of its literal.
#[derive(Clone)]
pub(crate) struct Tree(Vec<String>);

impl Tree {
    /// A tree of these lines, as a failing test prints them.
    pub(crate) fn of(lines: &[&str]) -> Self {
        Self(lines.iter().map(|line| (*line).to_owned()).collect())
    }

    /// A tree grown entry by entry. One that contradicts an earlier entry is left out.
    pub(crate) fn grown(entries: impl IntoIterator<Item = String>) -> Self {
        let fs = empty();
        let entries = entries.into_iter();
        Self(entries.filter(|it| fs.add_tree(it).is_ok()).collect())
    }

    /// The same tree without skill files that are links. Where listings have no flags, such a file
    /// counts as plain, so what is found there is another skill.
    pub(crate) fn without_linked_skill_files(&self) -> Self {
        let lines = self.0.iter().cloned();
        Self::grown(lines.filter(|line| !line.contains("/SKILL.md -> ")))
    }

    pub(crate) fn plant(&self) -> MemoryFileSystem {
        let fs = empty();
        for entry in &self.0 {
            // It may need a directory that only an entry left out would make.
            let _ = fs.add_tree(entry);
        }
        fs
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

fn empty() -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, "/t/").unwrap()
}

/// Trees of up to forty entries.
pub(crate) fn trees() -> impl Strategy<Value = Tree> {
    vec(entry(), 1..40).prop_map(Tree::grown)
}

fn entry() -> impl Strategy<Value = String> {
    let item = prop_oneof![
        8 => select(vec![
            "/SKILL.md = ---%0Adescription: d%0A---%0A",
            "/SKILL.md = ---%0Adescription: d%0A---%0A",
            "/SKILL.md = no skill",
            "/skill.md = x",
            "/agents/openai.yaml = interface: {display_name: X}",
            "/agents/openai.yaml/",
            "/SKILL.md/",
            "/",
        ]).prop_map(str::to_owned),
        4 => (0..3usize, select(vec![
            "/plugin.json = {\"name\":\"n1\"}",
            "/plugin.json = {\"name\":\"n2\"}",
            "/plugin.json = {}",
            "/plugin.json = nonsense",
            "/plugin.json/",
            "/plugin.json -> nowhere",
            "/",
        ])).prop_map(|(location, manifest)| {
            let directories = [".codex-plugin", ".claude-plugin", ".cursor-plugin"];
            format!("/{}{manifest}", directories[location])
        }),
        3 => (link_name(), link_target()).prop_map(|(name, target)| format!("/{name} -> {target}")),
        1 => directory().prop_map(|target| format!("/SKILL.md -> {target}/SKILL.md")),
    ];
    (directory(), item).prop_map(|(directory, item)| format!("{directory}{item}"))
}

/// A directory at or below `/t`, which may be there, lead through links, or both.
pub(crate) fn directory() -> impl Strategy<Value = String> {
    let name = select(vec!["a", "b", "c", "skills", ".h", "agents", "l"]);
    vec(name, 0..4).prop_map(|names| {
        let mut path = "/t".to_owned();
        for name in names {
            path.push('/');
            path.push_str(name);
        }
        path
    })
}

fn link_name() -> impl Strategy<Value = &'static str> {
    select(vec!["l", "m", "a", ".h", "agents", ".codex-plugin"])
}

fn link_target() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => directory(),
        1 => select(vec!["/", ".", "..", "../..", "../a", "l"]).prop_map(str::to_owned),
    ]
}
