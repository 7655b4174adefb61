//! What a host may choose about a load: the error policy and how much is in flight.
//!
//! No choice here changes which calls a load needs or the order in which answers are judged.

use codex_file_system::Window;

/// Options of [`load_project_instructions_with`](crate::load_project_instructions_with).
///
/// # Examples
/// ```
/// use codex_agents_md::{DocumentErrorPolicy, InstructionsOptions};
/// use codex_file_system::Window;
///
/// let options = InstructionsOptions::default()
///     .with_document_errors(DocumentErrorPolicy::KeepReadable)
///     .with_read_window(Window::SERIAL);
/// assert_eq!(options.candidate_window.get(), 8);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstructionsOptions {
    /// What an I/O failure does to the environment it happens in.
    pub document_errors: DocumentErrorPolicy,
    /// How many directories are asked for candidates at the same time.
    pub candidate_window: Window,
    /// How many documents are read at the same time.
    pub read_window: Window,
    /// How many environments are loaded at the same time.
    pub environment_window: Window,
}

/// What an I/O failure does to the environment it happens in. Other environments and the
/// user-level text are never touched by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DocumentErrorPolicy {
    /// The environment contributes no document, and its outcome carries the error.
    #[default]
    FailEnvironment,
    /// What failed is skipped with a diagnostic; everything readable is kept.
    KeepReadable,
}

const DEFAULT_WINDOW: Window = match Window::new(8) {
    Some(window) => window,
    None => Window::SERIAL,
};

/// `FailEnvironment`, and 8 in flight in every phase.
impl Default for InstructionsOptions {
    fn default() -> Self {
        Self {
            document_errors: DocumentErrorPolicy::default(),
            candidate_window: DEFAULT_WINDOW,
            read_window: DEFAULT_WINDOW,
            environment_window: DEFAULT_WINDOW,
        }
    }
}

impl InstructionsOptions {
    /// Sets what an I/O failure does.
    pub fn with_document_errors(mut self, document_errors: DocumentErrorPolicy) -> Self {
        self.document_errors = document_errors;
        self
    }

    /// Sets how many directories are asked for candidates at the same time.
    pub fn with_candidate_window(mut self, candidate_window: Window) -> Self {
        self.candidate_window = candidate_window;
        self
    }

    /// Sets how many documents are read at the same time.
    pub fn with_read_window(mut self, read_window: Window) -> Self {
        self.read_window = read_window;
        self
    }

    /// Sets how many environments are loaded at the same time.
    pub fn with_environment_window(mut self, environment_window: Window) -> Self {
        self.environment_window = environment_window;
        self
    }
}
