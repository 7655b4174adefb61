//! Strategies for whole trees, as literals that memory and disk both take.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use codex_path_uri::{FileName, PathUri};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::arb::name::pooled;
use crate::flavor::Flavor;
use crate::literal::escape;
use crate::wtf8;

/// A generated tree of relative paths. `Debug` prints the literal.
#[derive(Clone)]
pub struct ArbTree {
    literal: String,
    places: Vec<Vec<FileName>>,
}

impl ArbTree {
    /// The tree literal. It never contradicts itself.
    pub fn literal(&self) -> &str {
        &self.literal
    }

    /// The path of every entry below `base`, parents first, then a missing name in each place.
    /// What cannot be joined, below a Windows name that is not Unicode, is left out.
    pub fn uris(&self, base: &PathUri) -> Vec<PathUri> {
        let join = |names: &Vec<FileName>| {
            names
                .iter()
                .try_fold(base.clone(), |path, name| path.join_name(name))
                .ok()
        };
        let present: Vec<PathUri> = self.places.iter().filter_map(join).collect();
        let missing = present.iter().filter_map(|path| path.join("missing").ok());
        present.iter().cloned().chain(missing).collect()
    }
}

impl fmt::Debug for ArbTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.literal)
    }
}

/// Trees of files, directories, FIFOs and links that lead somewhere, nowhere or in circles.
pub fn trees(flavor: Flavor) -> BoxedStrategy<ArbTree> {
    of(flavor, Just(None).boxed())
}

/// The same with permission bits on files and directories, closed ones among them.
pub fn trees_with_modes(flavor: Flavor) -> BoxedStrategy<ArbTree> {
    of(
        flavor,
        option::of((0..8_u32).prop_map(|bits| bits << 6)).boxed(),
    )
}

#[derive(Clone, Debug)]
enum Entry {
    File(Vec<u8>, Option<u32>),
    Directory(BTreeMap<FileName, Entry>, Option<u32>),
    Link(String),
    Fifo,
}

fn of(flavor: Flavor, modes: BoxedStrategy<Option<u32>>) -> BoxedStrategy<ArbTree> {
    let contents = prop_oneof![Just(Vec::new()), vec(any::<u8>(), 1..20)];
    let leaf = prop_oneof![
        4 => (contents, modes.clone()).prop_map(|(bytes, mode)| Entry::File(bytes, mode)),
        3 => link_targets(flavor).prop_map(Entry::Link),
        1 => Just(Entry::Fifo),
    ];
    let entry = leaf.prop_recursive(4, 32, 5, move |entry| {
        (btree_map(pooled(flavor), entry, 0..5), modes.clone())
            .prop_map(|(children, mode)| Entry::Directory(children, mode))
    });
    btree_map(pooled(flavor), entry, 0..6)
        .prop_map(|entries| {
            let mut tree = ArbTree {
                literal: String::new(),
                places: Vec::new(),
            };
            tree.add(&mut Vec::new(), entries);
            tree
        })
        .boxed()
}

/// Targets relative to the link's directory, its parents or the root of the tree.
fn link_targets(flavor: Flavor) -> BoxedStrategy<String> {
    let start = select(vec!["", "", "../", "../../", "/", "./"]);
    (start, vec(pooled(flavor), 0..3))
        .prop_map(|(start, names)| {
            let names: Vec<String> = names.iter().map(spelled).collect();
            match (start, names.join("/")) {
                ("", names) if names.is_empty() => ".".to_owned(),
                (start, names) => format!("{start}{names}"),
            }
        })
        .boxed()
}

impl ArbTree {
    fn add(&mut self, above: &mut Vec<FileName>, entries: BTreeMap<FileName, Entry>) {
        for (name, entry) in entries {
            above.push(name);
            self.places.push(above.clone());
            let path = above.iter().map(spelled).collect::<Vec<_>>().join("/");
            let mode =
                |mode: Option<u32>| mode.map_or(String::new(), |mode| format!(" !{mode:03o}"));
            // Writing to a string cannot fail.
            let _ = match entry {
                Entry::File(bytes, bits) => {
                    writeln!(self.literal, "{path}{} = {}", mode(bits), escape(&bytes))
                }
                Entry::Link(target) => writeln!(self.literal, "{path} -> {target}"),
                Entry::Fifo => writeln!(self.literal, "{path} |"),
                Entry::Directory(children, bits) => {
                    let line = writeln!(self.literal, "{path}/{}", mode(bits));
                    self.add(above, children);
                    line
                }
            };
            above.pop();
        }
    }
}

/// A name as a tree literal spells it.
fn spelled(name: &FileName) -> String {
    match (name.as_posix_bytes(), name.to_windows_units()) {
        (Some(bytes), _) => escape(bytes),
        (None, units) => escape(&wtf8::from_utf16(&units.unwrap_or_default())),
    }
}
