//! The walk of one root as a plain serial loop, to hold the scheduler against.
//!
//! It asks whatever it likes, as often as it likes, and only adds up what a walk *should* ask. It
//! knows nothing of queues, windows or spellings: every directory is its canonical path, until the
//! end, where a root whose canonical location nobody asked or gave counts as given.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use codex_file_system::wrap::{Calls, Counting};
use codex_file_system::{ExecutorFileSystem, FileKind, ReadDirectoryEntry};
use codex_file_system_testkit::MemoryFileSystem;
use codex_path_uri::PathUri;
use codex_plugin::{
    ManifestDirectories, PluginNamespace, manifest_candidates, read_plugin_namespace,
};
use futures::executor::block_on;

use crate::support::reads_together;

const MAX_DEPTH: usize = 6;

/// What a walk should find and ask.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    /// Identity and qualified default name of every skill, in queue order.
    pub(crate) skills: Vec<(PathUri, String)>,
    /// How often each manifest is read.
    pub(crate) manifests: BTreeMap<PathUri, u64>,
    pub(crate) calls: Calls,
}

/// What the model is told.
pub(crate) struct Question<'a> {
    pub(crate) fs: &'a MemoryFileSystem,
    pub(crate) root: PathUri,
    pub(crate) canonical_is_given: bool,
    pub(crate) listings_have_flags: bool,
}

struct Skill {
    directory: PathUri,
    top: PathUri,
    turn: usize,
    identity: PathUri,
}

struct Walk<'a> {
    question: &'a Question<'a>,
    expected: Expected,
    follows_a_link: bool,
    /// Directories in the order of their turns, with the manifest directories they show.
    turns: Vec<PathUri>,
    shown: HashMap<PathUri, ManifestDirectories>,
    skills: Vec<Skill>,
    texts: HashSet<PathUri>,
    sidecars: HashSet<PathUri>,
    namespaces: HashMap<PathUri, Option<PluginNamespace>>,
    probed: HashMap<PathUri, ManifestDirectories>,
    looked_above: HashMap<PathUri, Option<PluginNamespace>>,
}

/// Answers a question with the formula; `None` if the root is no directory.
pub(crate) fn expect(question: &Question<'_>) -> Option<Expected> {
    let canonical = block_on(question.fs.canonicalize(&question.root, None)).ok()?;
    block_on(question.fs.read_directory(&canonical, None)).ok()?;
    let mut walk = Walk {
        question,
        expected: Expected::default(),
        follows_a_link: false,
        turns: Vec::new(),
        shown: HashMap::new(),
        skills: Vec::new(),
        texts: HashSet::new(),
        sidecars: HashSet::new(),
        namespaces: HashMap::new(),
        probed: HashMap::new(),
        looked_above: HashMap::new(),
    };
    walk.descend(canonical.clone());
    walk.read_manifests();
    let asks_root = walk.follows_a_link || !walk.looked_above.is_empty();
    walk.expected.calls.canonicalize += u64::from(asks_root && !question.canonical_is_given);
    let root_counts_as_given = !asks_root && !question.canonical_is_given;
    walk.name_skills(|path| match root_counts_as_given {
        true => below(&question.root, path, &canonical),
        false => path.clone(),
    });
    Some(walk.expected)
}

/// A path below `from`, below `root` instead.
fn below(root: &PathUri, path: &PathUri, from: &PathUri) -> PathUri {
    let names = path.names_below(from).unwrap();
    names.fold(root.clone(), |path, name| path.join_name(&name).unwrap())
}

struct Next {
    directory: PathUri,
    top: PathUri,
    depth: usize,
    /// The skill whose sidecar directory this is.
    beside: Option<usize>,
}

impl Walk<'_> {
    fn descend(&mut self, root: PathUri) {
        let mut queue = VecDeque::from([Next {
            directory: root.clone(),
            top: root,
            depth: 0,
            beside: None,
        }]);
        while let Some(next) = queue.pop_front() {
            let listing = self.list(&next.directory);
            if !self.turns.contains(&next.directory) {
                self.turns.push(next.directory.clone());
                self.expected.calls.read_directory += 1;
                self.take_turn(&next, &listing, &mut queue);
            }
            if next.beside.is_some() {
                let sidecar = next.directory.join("openai.yaml").unwrap();
                if listing.iter().any(|it| {
                    it.kind == FileKind::File && it.file_name.as_str() == Some("openai.yaml")
                }) && self.sidecars.insert(sidecar)
                {
                    self.expected.calls.read_file += 1;
                }
            }
        }
    }

    fn take_turn(
        &mut self,
        next: &Next,
        listing: &[ReadDirectoryEntry],
        queue: &mut VecDeque<Next>,
    ) {
        let directories = || {
            listing
                .iter()
                .filter(|entry| entry.kind == FileKind::Directory)
        };
        let shown = ManifestDirectories::from_listing(directories().map(|entry| &entry.file_name));
        self.shown.insert(next.directory.clone(), shown);
        let skill = self.find_skill(next, listing);
        let (mut plain, mut linked) = (Vec::new(), Vec::new());
        for entry in directories() {
            let name = entry.file_name.as_str().unwrap();
            if name.starts_with('.') {
                continue;
            }
            let beside = skill.filter(|_| name == "agents");
            if next.depth == MAX_DEPTH {
                // The sidecar of the deepest skills is read unseen.
                self.expected.calls.read_file += u64::from(beside.is_some());
                continue;
            }
            self.expected.calls.get_metadata += u64::from(!self.question.listings_have_flags);
            let path = next.directory.join_name(&entry.file_name).unwrap();
            let (directory, top) = if self.is_link(&path) {
                self.expected.calls.canonicalize += 1;
                self.follows_a_link = true;
                let target = block_on(self.question.fs.canonicalize(&path, None)).unwrap();
                (target.clone(), target)
            } else {
                (path.clone(), next.top.clone())
            };
            let is_link = directory != path;
            let found = Next {
                directory,
                top,
                depth: next.depth + 1,
                beside,
            };
            if is_link {
                linked.push(found)
            } else {
                plain.push(found)
            }
        }
        queue.extend(plain);
        queue.extend(linked);
    }

    fn find_skill(&mut self, next: &Next, listing: &[ReadDirectoryEntry]) -> Option<usize> {
        let file = listing.iter().find(|entry| {
            entry.kind == FileKind::File && entry.file_name.as_str() == Some("SKILL.md")
        })?;
        let path = next.directory.join("SKILL.md").unwrap();
        let identity = if self.question.listings_have_flags && file.is_symlink == Some(true) {
            self.expected.calls.canonicalize += 1;
            self.follows_a_link = true;
            block_on(self.question.fs.canonicalize(&path, None)).unwrap()
        } else {
            path
        };
        self.expected.calls.read_file += u64::from(self.texts.insert(identity.clone()));
        self.skills.push(Skill {
            directory: next.directory.clone(),
            top: next.top.clone(),
            turn: self.turns.len(),
            identity,
        });
        Some(self.skills.len() - 1)
    }

    fn read_manifests(&mut self) {
        let skills = std::mem::take(&mut self.skills);
        for skill in &skills {
            let shown = self.shown_above(&skill.directory, skill.turn);
            for directory in &shown {
                self.read_manifest(directory);
            }
            if !shown
                .iter()
                .any(|directory| directory.starts_with(&skill.top))
            {
                self.look_above(&skill.top, skill.turn);
            }
        }
        for skill in &skills {
            if self.namespace_below(skill).is_none() {
                self.look_above(&skill.top, usize::MAX);
            }
        }
        self.skills = skills;
    }

    /// Names the skills, which a walk spells in a way of its own.
    fn name_skills(&mut self, spelled: impl Fn(&PathUri) -> PathUri) {
        let mut known = HashSet::new();
        for skill in &self.skills {
            if known.insert(skill.identity.clone()) {
                let below = self.namespace_below(skill);
                let below = below.map(|(directory, namespace)| namespace.at(&spelled(&directory)));
                let namespace =
                    below.or_else(|| self.looked_above.get(&skill.top).cloned().flatten());
                let name = spelled(&skill.directory)
                    .basename()
                    .map_or("skill".to_owned(), |it| it.into_owned());
                let name =
                    namespace.map_or(name.clone(), |it| format!("{}:{name}", it.namespace()));
                let identity = spelled(&skill.identity);
                self.expected.skills.push((identity, name));
            }
        }
    }

    /// Directories at or above this one that a listing up to this turn showed to be candidates.
    fn shown_above(&self, directory: &PathUri, turn: usize) -> Vec<PathUri> {
        let listed: BTreeSet<&PathUri> = self.turns.iter().take(turn).collect();
        let ancestors = directory.ancestors().filter(|it| listed.contains(it));
        ancestors.filter(|it| !self.shown[it].is_empty()).collect()
    }

    fn namespace_below(&self, skill: &Skill) -> Option<(PathUri, PluginNamespace)> {
        let ancestors = skill.directory.ancestors();
        let below = ancestors.take_while(|it| it.starts_with(&skill.top));
        below
            .filter(|it| !self.shown[it].is_empty())
            .find_map(|it| Some((it.clone(), self.namespaces.get(&it)?.clone()?)))
    }

    fn look_above(&mut self, top: &PathUri, turn: usize) {
        if self.looked_above.contains_key(top) {
            return;
        }
        self.looked_above.insert(top.clone(), None);
        let ancestors: Vec<PathUri> = top.ancestors().skip(1).collect();
        for ancestor in &ancestors {
            let is_listed = self.turns.iter().take(turn).any(|it| it == ancestor);
            if !is_listed && !self.probed.contains_key(ancestor) {
                self.expected.calls.get_metadata += 3;
                self.probed.insert(ancestor.clone(), self.probe(ancestor));
            }
        }
        for ancestor in ancestors {
            if let Some(namespace) = self.read_manifest(&ancestor) {
                self.looked_above.insert(top.clone(), Some(namespace));
                return;
            }
        }
    }

    fn probe(&self, directory: &PathUri) -> ManifestDirectories {
        let names = [".codex-plugin", ".claude-plugin", ".cursor-plugin"];
        let candidates = manifest_candidates(directory).unwrap();
        let is_file = |path: &PathUri| {
            block_on(self.question.fs.get_metadata(path, None)).is_ok_and(|it| it.is_file)
        };
        let hits = names
            .iter()
            .zip(&candidates)
            .filter(|(_, path)| is_file(path));
        ManifestDirectories::from_names(hits.map(|(name, _)| *name))
    }

    fn read_manifest(&mut self, directory: &PathUri) -> Option<PluginNamespace> {
        if let Some(known) = self.namespaces.get(directory) {
            return known.clone();
        }
        let listed = self.shown.get(directory).copied().unwrap_or_default();
        let present = self.probed.get(directory).copied().unwrap_or(listed);
        let counting = Counting::new(self.question.fs);
        let read = block_on(read_plugin_namespace(&counting, directory, present, None));
        let calls = reads_together(counting.calls());
        self.expected.calls.read_file += calls.read_file;
        self.expected.calls.get_metadata += calls.get_metadata;
        if calls.read_file > 0 {
            *self
                .expected
                .manifests
                .entry(directory.clone())
                .or_default() += 1;
        }
        let namespace = read.ok().flatten();
        self.namespaces.insert(directory.clone(), namespace.clone());
        namespace
    }

    fn list(&self, directory: &PathUri) -> Vec<ReadDirectoryEntry> {
        block_on(self.question.fs.read_directory(directory, None)).unwrap()
    }

    fn is_link(&self, path: &PathUri) -> bool {
        block_on(self.question.fs.get_metadata(path, None))
            .unwrap()
            .is_symlink
            == Some(true)
    }
}
