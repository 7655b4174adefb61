//! [`ContextRequest`]: what a host wants to know, and where it is.

use codex_agents_md::DocumentErrorPolicy;
use codex_config::ProfileName;
use codex_file_system::{EnvironmentId, EnvironmentSet, Window};
use codex_plugin::SelectedCapabilityRoot;
use codex_skills::Product;

use crate::{ContextError, Environment, HostSources};

/// What a session start is asked for.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// Where the agent works. The first that is reached decides configuration.
    pub environments: Vec<Environment>,
    /// Where the user's and the machine's own files are.
    pub sources: HostSources,
    /// The selected configuration profile.
    pub profile: Option<ProfileName>,
    /// `KEY=VALUE` arguments, the layer above the user's files.
    pub overrides: Vec<String>,
    /// Directories that may hold a plugin; one that holds none is a directory of skills.
    pub plugins: Vec<SelectedCapabilityRoot>,
    /// Directories of skills, whatever else they are.
    pub skill_roots: Vec<SelectedCapabilityRoot>,
    /// The tokens that the model has room for; `None` asks configuration.
    pub context_window: Option<u64>,
    /// The product that skills may be restricted to.
    pub product: Option<Product>,
    /// What a document or marker that cannot be read does to its environment.
    pub document_errors: DocumentErrorPolicy,
    /// The most calls in flight of one environment.
    pub window: Window,
    /// What is loaded.
    pub parts: Parts,
}

/// The parts of a context. Each that is left out spares its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The trust in each project, project layers and values.
    pub configuration: bool,
    /// The documents of the user and of the projects.
    pub instructions: bool,
    /// What the documents hide: one listing per considered directory.
    pub listings: bool,
    /// The skills.
    pub skills: bool,
    /// The plugins, and what they bring to the other parts.
    pub plugins: bool,
}

/// All that a model is given, and not the listings.
impl Default for Parts {
    fn default() -> Self {
        Self {
            configuration: true,
            instructions: true,
            listings: false,
            skills: true,
            plugins: true,
        }
    }
}

impl Parts {
    /// Nothing: only the project roots are searched for.
    pub const NONE: Self = Self {
        configuration: false,
        instructions: false,
        listings: false,
        skills: false,
        plugins: false,
    };
}

impl Default for ContextRequest {
    fn default() -> Self {
        Self {
            environments: Vec::new(),
            sources: HostSources::default(),
            profile: None,
            overrides: Vec::new(),
            plugins: Vec::new(),
            skill_roots: Vec::new(),
            context_window: None,
            product: Some(Product::Codex),
            document_errors: DocumentErrorPolicy::default(),
            window: Window::default(),
            parts: Parts::default(),
        }
    }
}

impl ContextRequest {
    /// The environments of the agent, then the host's own where it is none of them.
    pub(crate) fn bind(&self) -> Result<EnvironmentSet, ContextError> {
        if self.environments.is_empty() {
            return Err(ContextError::NoEnvironment);
        }
        let is_bound = |id: &EnvironmentId| self.environments.iter().any(|it| it.id == *id);
        let host = self.sources.environment.iter();
        let host = host.filter(|host| !is_bound(&host.id));
        let bound = self.environments.iter().chain(host).map(Environment::bind);
        Ok(EnvironmentSet::new(bound.collect())?)
    }
}
