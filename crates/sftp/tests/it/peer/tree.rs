//! The files of a peer.

use std::collections::BTreeMap;

/// A file, by what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File(Vec<u8>),
    Directory,
    Link(Vec<u8>),
    Fifo,
}

/// Files by their paths.
#[derive(Clone, Debug)]
pub(crate) struct Tree(pub(super) BTreeMap<Vec<u8>, Node>);

impl Tree {
    pub(crate) fn new() -> Self {
        Self(BTreeMap::from([(b"/".to_vec(), Node::Directory)]))
    }

    pub(crate) fn file(self, path: &str, contents: impl Into<Vec<u8>>) -> Self {
        self.with(path.as_bytes(), Node::File(contents.into()))
    }

    pub(crate) fn directory(self, path: &str) -> Self {
        self.with(path.as_bytes(), Node::Directory)
    }

    pub(crate) fn link(self, path: &str, target: &str) -> Self {
        self.with(path.as_bytes(), Node::Link(target.as_bytes().to_vec()))
    }

    pub(crate) fn fifo(self, path: &str) -> Self {
        self.with(path.as_bytes(), Node::Fifo)
    }

    /// Puts a node in its place, below directories that are created.
    pub(crate) fn with(mut self, path: &[u8], node: Node) -> Self {
        let separators = path.iter().enumerate().skip(1);
        for (end, _) in separators.filter(|(_, byte)| **byte == b'/') {
            let above = self.0.entry(path[..end].to_vec());
            above.or_insert(Node::Directory);
        }
        self.0.insert(path.to_vec(), node);
        self
    }

    /// Where a path leads; the last name may be missing. `None` if the way there is missing.
    pub(super) fn resolved(&self, path: &[u8], follows_last: bool) -> Option<Vec<u8>> {
        let mut links = 0;
        let mut names: Vec<Vec<u8>> = names(path);
        let mut real = b"/".to_vec();
        while let Some(name) = names.pop() {
            if name == b".." {
                let end = real.iter().rposition(|byte| *byte == b'/')?;
                real.truncate(end.max(1));
                continue;
            }
            let next = below(&real, &name);
            match self.0.get(&next) {
                Some(Node::Link(target)) if follows_last || !names.is_empty() => {
                    links += 1;
                    if links > 40 {
                        return None;
                    }
                    if target.starts_with(b"/") {
                        real = b"/".to_vec();
                    }
                    names.extend(self::names(target));
                }
                Some(Node::Directory) => real = next,
                _ if names.is_empty() => return Some(next),
                _ => return None,
            }
        }
        Some(real)
    }

    /// The node of a path.
    pub(super) fn node(&self, path: &[u8], follows_last: bool) -> Option<(Vec<u8>, &Node)> {
        let real = self.resolved(path, follows_last)?;
        let node = self.0.get(&real)?;
        Some((real, node))
    }

    /// Names and nodes directly in a directory, in no order that anybody may rely on.
    pub(super) fn children(&self, directory: &[u8]) -> Vec<(Vec<u8>, Node)> {
        let prefix = below(directory, b"");
        let inside = self.0.iter().rev().filter_map(|(path, node)| {
            let name = path.strip_prefix(&prefix[..])?;
            (!name.is_empty() && !name.contains(&b'/')).then(|| (name.to_vec(), node.clone()))
        });
        inside.collect()
    }
}

/// The names of a path, last first.
fn names(path: &[u8]) -> Vec<Vec<u8>> {
    let names = path.split(|byte| *byte == b'/').rev();
    names
        .filter(|name| !matches!(name, [] | [b'.']))
        .map(<[u8]>::to_vec)
        .collect()
}

fn below(directory: &[u8], name: &[u8]) -> Vec<u8> {
    match directory {
        b"/" => [b"/", name].concat(),
        other => [other, b"/", name].concat(),
    }
}
