//! The calls of a load: every file of every plugin once, in one trip.

use std::collections::HashMap;
use std::io;

use codex_file_system::{EnvironmentId, ExecutorFileSystem};
use codex_path_uri::PathUri;

use crate::contained::FileAnswers;
use crate::trip::{Answer, Ask, Call, Trip};
use crate::{MAX_MCP_CONFIG_BYTES, PluginResourceLocator, ResolvedPlugin, SymlinkPolicy};

/// One call about a file, or about the root it must stay in.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    fs: &'a dyn ExecutorFileSystem,
    path: &'a PathUri,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    /// Resolve the root with this index.
    CanonicalRoot(usize),
    /// Resolve the file with this index.
    Canonicalize(usize),
    /// Read the file with this index.
    Read(usize),
}

/// Which files and roots are asked about, and the answers.
///
/// Nothing is asked twice: plugins that name one file, or have one root, share the answers.
pub(super) struct Reads<'a> {
    refuse_escape: bool,
    file_indices: HashMap<&'a PluginResourceLocator, usize>,
    root_indices: HashMap<(&'a EnvironmentId, &'a PathUri), usize>,
    files: Vec<FileAnswers>,
    roots: Vec<Option<io::Result<PathUri>>>,
}

impl<'a> Reads<'a> {
    pub(super) fn new(symlinks: SymlinkPolicy) -> Self {
        Self {
            refuse_escape: symlinks == SymlinkPolicy::RefuseEscape,
            file_indices: HashMap::new(),
            root_indices: HashMap::new(),
            files: Vec::new(),
            roots: Vec::new(),
        }
    }

    /// The questions about one plugin's files that are not asked for another plugin already.
    pub(super) fn questions(
        &mut self,
        fs: &'a dyn ExecutorFileSystem,
        plugin: &'a ResolvedPlugin,
        files: &'a [PluginResourceLocator],
    ) -> Vec<Question<'a>> {
        let mut questions = Vec::new();
        let mut ask = |path, step| questions.push(Question { fs, path, step });
        if self.refuse_escape && plugin.canonical_root().is_none() && !files.is_empty() {
            let index = self.roots.len();
            let root = (plugin.environment_id(), plugin.root());
            if *self.root_indices.entry(root).or_insert(index) == index {
                self.roots.push(None);
                ask(plugin.root(), Step::CanonicalRoot(index));
            }
        }
        for file in files {
            let index = self.files.len();
            if *self.file_indices.entry(file).or_insert(index) == index {
                self.files.push(FileAnswers::new(MAX_MCP_CONFIG_BYTES));
                if self.refuse_escape {
                    ask(file.path(), Step::Canonicalize(index));
                }
                ask(file.path(), Step::Read(index));
            }
        }
        questions
    }

    /// The canonical root of a plugin, known before or asked for here; `None` where links may lead
    /// anywhere.
    pub(super) fn canonical_root<'s>(
        &'s self,
        plugin: &'s ResolvedPlugin,
    ) -> Option<Result<&'s PathUri, &'s io::Error>> {
        if !self.refuse_escape {
            return None;
        }
        if let Some(known) = plugin.canonical_root() {
            return Some(Ok(known));
        }
        let index = *self
            .root_indices
            .get(&(plugin.environment_id(), plugin.root()))?;
        self.roots.get(index)?.as_ref().map(Result::as_ref)
    }

    /// The answers about a file.
    pub(super) fn file(&self, file: &PluginResourceLocator) -> Option<&FileAnswers> {
        self.files.get(*self.file_indices.get(file)?)
    }
}

impl<'a> Ask for Question<'a> {
    type Call = Call<'a>;

    fn call(self) -> Call<'a> {
        match self.step {
            Step::CanonicalRoot(_) | Step::Canonicalize(_) => {
                Call::canonicalize(self.fs, self.path)
            }
            Step::Read(_) => Call::read(self.fs, self.path),
        }
    }
}

impl<'a> Trip<Question<'a>> for Reads<'a> {
    fn matters(&self, _: Question<'a>) -> bool {
        true
    }

    fn accept(&mut self, question: Question<'a>, answer: Answer) {
        match (question.step, answer) {
            (Step::CanonicalRoot(index), Answer::Canonical(path)) => {
                if let Some(root) = self.roots.get_mut(index) {
                    *root = Some(path);
                }
            }
            (Step::Canonicalize(index) | Step::Read(index), answer) => {
                if let Some(file) = self.files.get_mut(index) {
                    file.accept(answer);
                }
            }
            _ => {}
        }
    }
}
