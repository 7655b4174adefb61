//! What a host asks of another machine when a session starts there: `codex_context::load`, and `refresh`.

use std::sync::Arc;

use codex_context::agents_md::DocumentErrorPolicy;
use codex_context::file_system::{ExecutorFileSystem, Window};
use codex_context::path_uri::PathUri;
use codex_context::{Context, ContextRequest, Environment, Parts};

/// What is loaded at the start of a session, and how much of it at once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session {
    pub(crate) window: Window,
    pub(crate) skills: bool,
    pub(crate) document_errors: DocumentErrorPolicy,
}

/// What was loaded.
#[derive(Debug)]
pub(crate) struct Loaded(pub(crate) Context);

impl Session {
    /// Documents, and nothing else.
    pub(crate) fn instructions() -> Self {
        Self {
            window: Window::default(),
            skills: false,
            document_errors: DocumentErrorPolicy::default(),
        }
    }

    /// All that a session starts with.
    pub(crate) fn whole() -> Self {
        Self {
            skills: true,
            ..Self::instructions()
        }
    }

    /// All of it, with so many calls in flight.
    pub(crate) fn wide(window: usize) -> Self {
        Self {
            window: Window::new(window).unwrap(),
            ..Self::whole()
        }
    }

    /// Starts the session in a directory of a machine.
    pub(crate) async fn start(
        self,
        filesystem: Arc<dyn ExecutorFileSystem>,
        cwd: &PathUri,
    ) -> Loaded {
        let request = ContextRequest {
            environments: vec![Environment::new("remote", cwd.as_str(), filesystem).unwrap()],
            window: self.window,
            document_errors: self.document_errors,
            parts: Parts {
                skills: self.skills,
                ..Parts::default()
            },
            ..ContextRequest::default()
        };
        Loaded(codex_context::load(&request).await.unwrap())
    }
}

impl Loaded {
    /// How many documents the model is given.
    pub(crate) fn documents(&self) -> usize {
        let instructions = self.0.instructions();
        let loaded = instructions.get().and_then(|it| it.loaded());
        loaded.map_or(0, |loaded| loaded.sources().count())
    }

    /// How many skills were found.
    pub(crate) fn skills(&self) -> usize {
        let skills = self.0.skills();
        skills.get().map_or(0, |it| it.outcome.skills.len())
    }

    /// The codes of the diagnostics.
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        self.0.diagnostics().iter().map(|it| it.code()).collect()
    }
}
