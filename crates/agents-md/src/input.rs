//! What a host hands over: the environments of one turn, the options of a load, and the names that
//! a document may have.
//!
//! Plain data and pure functions. Trust and an already known project root are inputs here; this
//! crate decides neither. Every name is a direct child of whatever directory it is joined to, so no
//! candidate lies above the project root.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use codex_config::{
    Config, NameProblem, ProjectDocuments, ProjectRootSearch, UsableMarkers, ValueOrigin,
    fallback_name_is_plain,
};
use codex_file_system::{Environment, EnvironmentId, Window};
use codex_path_uri::{PathConvention, PathUri};

/// The name of a project document.
pub const DEFAULT_AGENTS_MD_FILENAME: &str = "AGENTS.md";
/// The name that comes before [`DEFAULT_AGENTS_MD_FILENAME`] in each directory.
pub const LOCAL_AGENTS_MD_FILENAME: &str = "AGENTS.override.md";

const FALLBACK_NAMES_KEY: &str = "project_doc_fallback_filenames";
const MAX_BYTES_KEY: &str = "project_doc_max_bytes";

/// The environments bound to one turn, in binding order.
#[derive(Clone, Debug, Default)]
pub struct TurnEnvironmentSnapshot {
    /// Loaded in this order; the same environment and directory given twice is loaded twice.
    pub turn_environments: Vec<TurnEnvironment>,
}

/// One environment of a turn.
#[derive(Clone, Debug)]
pub struct TurnEnvironment {
    /// The id shown to the model and kept in everything that leaves a load.
    pub environment_id: EnvironmentId,
    /// The environment; all calls go to its filesystem.
    pub environment: Environment,
    /// Where the search begins. Taken as written: links are not resolved, and the directory need
    /// not exist. One that does not is told nowhere: all that is asked below it is `NotFound`. A
    /// host that wants to tell asks for its metadata first.
    pub cwd: PathUri,
    /// Whether project documents may be looked for at all.
    pub project_documents: ProjectDocuments,
    /// Where the project root comes from.
    pub project_root: ProjectRootInput,
}

/// Where the project root of an environment comes from.
#[derive(Clone, Debug, Default)]
pub enum ProjectRootInput {
    /// It is searched for with the configured markers.
    #[default]
    Search,
    /// The host has searched for it already; no marker is asked for.
    Known(ProjectRootSearch),
    /// The host's own search failed. The environment fails likewise, under either policy.
    Failed(Arc<io::Error>),
}

impl TurnEnvironment {
    /// An environment whose documents are allowed and whose root is searched for.
    pub fn new(environment_id: EnvironmentId, environment: Environment, cwd: PathUri) -> Self {
        Self {
            environment_id,
            environment,
            cwd,
            project_documents: ProjectDocuments::default(),
            project_root: ProjectRootInput::default(),
        }
    }

    /// Where the search begins: the field [`cwd`](Self::cwd), for callers written for codex-rs.
    #[must_use]
    pub fn cwd(&self) -> &PathUri {
        &self.cwd
    }

    /// Sets whether project documents may be looked for.
    pub fn with_project_documents(mut self, project_documents: ProjectDocuments) -> Self {
        self.project_documents = project_documents;
        self
    }

    /// Sets where the project root comes from.
    pub fn with_project_root(mut self, project_root: ProjectRootInput) -> Self {
        self.project_root = project_root;
        self
    }
}

/// Options of [`load_project_instructions_with`](crate::load_project_instructions_with).
///
/// # Examples
/// ```
/// use codex_agents_md::{DocumentErrorPolicy, InstructionsOptions};
///
/// let options = InstructionsOptions {
///     document_errors: DocumentErrorPolicy::KeepReadable,
///     ..InstructionsOptions::default()
/// };
/// assert_eq!(options.window.get(), 64);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionsOptions {
    /// What an I/O failure does to the environment it happens in.
    pub document_errors: DocumentErrorPolicy,
    /// How many calls are in flight in each environment. It never changes the outcome.
    pub window: Window,
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

/// What configuration says about one environment, and where it says so.
///
/// A path of no known convention is read by the POSIX rules; nothing can be joined to it anyway.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The markers of the root search; those of the host's search where the root is known.
    pub(crate) markers: UsableMarkers,
    /// The names to ask for in each directory: distinct, in order, compared as bytes.
    pub(crate) names: Vec<String>,
    /// Configured names that are no plain names in this convention, in order.
    pub(crate) refused_names: Vec<(String, NameProblem)>,
    pub(crate) fallback_names_origin: ValueOrigin,
    pub(crate) max_bytes: u64,
    pub(crate) max_bytes_origin: ValueOrigin,
}

impl Settings {
    pub(crate) fn new(config: &Config, turn: &TurnEnvironment) -> Self {
        let convention = turn.cwd.convention().unwrap_or(PathConvention::Posix);
        let stack = &config.config_layer_stack;
        let markers = match &turn.project_root {
            ProjectRootInput::Known(search) => search.markers.clone(),
            ProjectRootInput::Search | ProjectRootInput::Failed(_) => {
                stack.usable_project_root_markers(convention)
            }
        };
        let (names, refused_names) = names(config, convention);
        Self {
            markers,
            names,
            refused_names,
            fallback_names_origin: stack.origin(&[FALLBACK_NAMES_KEY]),
            max_bytes: config.project_doc_max_bytes as u64,
            max_bytes_origin: stack.origin(&[MAX_BYTES_KEY]),
        }
    }
}

/// The fixed names and the configured ones that are plain in `convention`; and the others.
fn names(config: &Config, convention: PathConvention) -> (Vec<String>, Vec<(String, NameProblem)>) {
    let fixed = [LOCAL_AGENTS_MD_FILENAME, DEFAULT_AGENTS_MD_FILENAME];
    let mut names: Vec<String> = fixed.map(str::to_owned).into();
    let mut refused = Vec::new();
    let mut seen = HashSet::from(fixed);
    for name in &config.project_doc_fallback_filenames {
        match fallback_name_is_plain(name, convention) {
            Ok(()) if seen.insert(name) => names.push(name.clone()),
            Ok(()) => {}
            Err(problem) => refused.push((name.clone(), problem)),
        }
    }
    (names, refused)
}
