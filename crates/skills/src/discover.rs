//! Finds every skill below the roots of one environment and reads it, one call after another.
//!
//! A serial program in two passes. The first gives directories their turns, by depth, root and queue
//! position: what a listing shows and what a limit leaves out is decided there. The second reads, in
//! the order in which listings showed them, skill files, the manifests that name them, and sidecars.
//! Each pass expects what the next steps will ask as soon as a listing shows it; nothing but that
//! knows of concurrency, so the outcome is that of window 1.
//!
//! | file | rule |
//! |---|---|
//! | `ask` | the calls, counted |
//! | `root` | the spellings of a root's directories, links, what is expected of the queue |
//! | `listing` | the turn of one directory |
//! | `contents` | skill files and sidecars |
//! | `namespace` | manifests shared by all roots, and the lookup above the top of a traversal |
//! | `findings` | what there is to report, in queue order |

mod ask;
mod contents;
mod findings;
mod listing;
mod namespace;
mod root;

use std::sync::Arc;

use codex_file_system::{ExecutorFileSystem, FileSystemSandboxContext, Lookahead, ReadCall};
use tracing::debug;

use ask::Asker;
use contents::Contents;
pub(crate) use contents::{SidecarState, SkillText};
pub(crate) use findings::{FoundSkill, Obstacle, ReachedLimit, Report, RootFindings};
use namespace::Namespaces;
use root::RootWalk;
pub(crate) use root::WalkedRoot;

use crate::options::SkillLoadOptions;

/// What the second pass does, in the order in which listings showed it.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Read a skill of a root and what names it.
    Skill(usize, usize),
    /// Read the sidecar of a skill of a root.
    Sidecar(usize, usize),
}

struct Discovery<'a, 'f, F: ExecutorFileSystem + ?Sized> {
    asker: Asker<'a, 'f, F>,
    roots: Vec<RootWalk>,
    contents: Contents,
    namespaces: Namespaces,
    tasks: Vec<Task>,
    /// Listings that have had their turn.
    turns: u64,
}

/// Finds and reads the skills of the roots of one environment. Gives one result per root, in order.
pub(crate) async fn discover<F: ExecutorFileSystem + ?Sized>(
    fs: &Lookahead<'_, F>,
    sandbox: Option<&FileSystemSandboxContext>,
    roots: Vec<WalkedRoot>,
    options: &SkillLoadOptions,
) -> Vec<RootFindings> {
    let walks = roots.into_iter().enumerate();
    let walks = walks.map(|(id, root)| RootWalk::new(id, root, options));
    let roots: Vec<_> = walks.collect();
    let mut discovery = Discovery {
        asker: Asker::new(fs, sandbox, roots.len()),
        roots,
        contents: Contents::default(),
        namespaces: Namespaces::new(options.manifest_locations.0),
        tasks: Vec::new(),
        turns: 0,
    };
    discovery.list_directories(options.limits.max_depth).await;
    discovery.read_files().await;
    discovery.finish()
}

impl<F: ExecutorFileSystem + ?Sized> Discovery<'_, '_, F> {
    /// Gives every directory its turn.
    async fn list_directories(&mut self, max_depth: usize) {
        for root in &self.roots {
            root.expect_entries(&self.asker, 0, 0);
        }
        for depth in 0..=max_depth {
            for id in 0..self.roots.len() {
                self.list_level(id, depth).await;
            }
            if depth == 0 {
                self.resolve_several_roots().await;
            }
            if self.roots.iter().all(|it| it.queue.is_empty()) {
                break;
            }
        }
    }

    /// Gives the directories of one depth of a root their turns.
    async fn list_level(&mut self, id: usize, depth: usize) {
        while let Some(root) = self.roots.get_mut(id) {
            let Some(entry) = root.next_entry(&mut self.asker, depth).await else {
                return;
            };
            let before = root.skills.len();
            let tasks = &mut self.tasks;
            root.visit(&mut self.asker, entry, &mut self.turns, tasks)
                .await;
            if root.skills.len() > before && (depth > 0 || self.roots.len() < 2) {
                self.expect_namespace(id, before);
            }
        }
    }

    /// Directories of several roots are told apart by their canonical locations.
    async fn resolve_several_roots(&mut self) {
        if self.roots.len() < 2 {
            return;
        }
        let is_several = self.roots.iter().filter(|it| it.exists).count() > 1;
        if is_several {
            self.namespaces.has_several_roots = true;
            let existing = self.roots.iter().filter(|it| it.exists);
            let unknown = existing.filter(|it| it.canonical == root::Canonical::Unasked);
            let calls = unknown.map(|it| ReadCall::canonical(&it.given));
            self.asker.fs.expect_all(calls);
            for root in self.roots.iter_mut().filter(|it| it.exists) {
                if root.resolve(&mut self.asker).await {
                    root.expect_entries(&self.asker, 0, 0);
                }
            }
        }
        for id in 0..self.roots.len() {
            let skills = self.roots.get(id).map_or(0, |root| root.skills.len());
            for skill in 0..skills {
                self.expect_namespace(id, skill);
            }
        }
    }

    fn expect_namespace(&mut self, id: usize, skill: usize) {
        let root = self.roots.get(id).filter(|it| it.reads_manifests);
        let Some((root, skill)) = root.and_then(|it| Some((it, it.skills.get(skill)?))) else {
            return;
        };
        self.namespaces
            .expect(&self.asker, &self.roots, root, &skill.directory);
    }

    /// Reads skill files, the manifests that name them, and sidecars.
    async fn read_files(&mut self) {
        for root in &mut self.roots {
            root.expect_linked_skills(&mut self.asker).await;
        }
        for task in std::mem::take(&mut self.tasks) {
            let (Task::Skill(id, skill) | Task::Sidecar(id, skill)) = task;
            let Some(root) = self.roots.get_mut(id) else {
                continue;
            };
            if let Task::Sidecar(..) = task {
                self.contents
                    .read_sidecar(&mut self.asker, root, skill)
                    .await;
                continue;
            }
            self.contents.read_text(&mut self.asker, root, skill).await;
            if let Some(directory) = self.named_directory(id, skill) {
                let (asker, roots) = (&mut self.asker, &mut self.roots);
                self.namespaces.read(asker, roots, id, &directory).await;
            }
        }
        // Only once every relevant manifest is read it is certain who has none.
        for id in 0..self.roots.len() {
            let skills = self.roots.get(id).map_or(0, |root| root.skills.len());
            for skill in 0..skills {
                if let Some(directory) = self.named_directory(id, skill) {
                    let (asker, roots) = (&mut self.asker, &mut self.roots);
                    let namespaces = &mut self.namespaces;
                    namespaces
                        .look_above_if_nameless(asker, roots, id, &directory)
                        .await;
                }
            }
        }
    }

    /// The directory of a skill whose namespace manifests give.
    fn named_directory(&self, id: usize, skill: usize) -> Option<Arc<root::Directory>> {
        let root = self.roots.get(id).filter(|it| it.reads_manifests)?;
        Some(Arc::clone(&root.skills.get(skill)?.directory))
    }

    fn finish(mut self) -> Vec<RootFindings> {
        let ids = 0..self.roots.len();
        let findings: Vec<_> = ids.filter_map(|id| self.findings_of(id)).collect();
        let calls: u64 = findings.iter().map(|it| it.calls.total()).sum();
        let directories: u64 = findings.iter().map(|it| it.directories).sum();
        debug!(calls, directories, bytes = self.asker.bytes, "discovered");
        findings
    }
}
