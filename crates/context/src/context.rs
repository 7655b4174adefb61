//! [`Context`]: what was found, and the views of it.

use std::fmt;
use std::io;
use std::sync::Arc;

use codex_agents_md::{
    InstructionDiagnosticKind, InstructionsOutcome, LoadedAgentsMd, ProjectDocuments,
    UserInstructionsOutcome,
};
use codex_config::{
    Config, ConfigDiagnostic, LoadedLayers, ProjectRootSearch, ProjectTrust, UsableMarkers,
};
use codex_file_system::{EnvironmentId, EnvironmentSet, PlannedCall, ReadCall};
use codex_path_uri::PathUri;
use codex_plugin::ResolvedPlugin;
use codex_plugin::mcp::McpServerRegistration;
use codex_skills::{
    CatalogBudget, RenderedSkills, SkillCatalog, SkillDiagnostic, SkillLoadOutcome, SkillSelector,
};

use crate::machine::Machines;
use crate::plugins::Plugins;
use crate::session::Session;
use crate::{Changes, ContextError, ContextRequest, Diagnostic, Environment, Source, measure};

/// Everything that a session starts with. It keeps what was found and asks nothing by itself.
#[derive(Clone)]
pub struct Context {
    request: ContextRequest,
    pub(crate) loaded: Loaded,
    pub(crate) catalog: Arc<SkillCatalog>,
    diagnostics: Vec<Diagnostic>,
    calls: Vec<MachineCalls>,
}

/// What one machine was asked.
#[derive(Clone, Debug)]
struct MachineCalls {
    environment_id: EnvironmentId,
    used: Vec<ReadCall>,
    plan: Vec<PlannedCall>,
}

/// The outcomes of all stages.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) base: LoadedLayers,
    pub(crate) config: Config,
    pub(crate) config_diagnostics: Vec<ConfigDiagnostic>,
    pub(crate) environments: Vec<EnvironmentContext>,
    pub(crate) instructions: Option<Instructions>,
    pub(crate) plugins: Arc<Plugins>,
    pub(crate) skills: Option<Skills>,
}

/// An environment of the request, and what became of it.
#[derive(Clone, Debug)]
pub struct EnvironmentContext {
    /// The environment.
    pub environment: Environment,
    /// What became of it.
    pub state: EnvironmentState,
}

/// What became of an environment.
#[derive(Clone, Debug)]
pub enum EnvironmentState {
    /// It answers.
    Reached(Arc<ProjectContext>),
    /// It does not; nothing of it is in the context.
    Unreachable(Arc<io::Error>),
}

impl EnvironmentContext {
    /// The project, where the environment answers.
    pub fn project(&self) -> Option<&ProjectContext> {
        match &self.state {
            EnvironmentState::Reached(project) => Some(project),
            EnvironmentState::Unreachable(_) => None,
        }
    }
}

/// The project that an environment's start directory lies in.
#[derive(Clone, Debug)]
pub struct ProjectContext {
    /// The markers that were searched for.
    pub markers: UsableMarkers,
    /// The one root search, or why it failed.
    pub search: Result<ProjectRootSearch, Arc<io::Error>>,
    /// From the project root down to the start directory; that alone without a root.
    pub directories: Vec<PathUri>,
    /// What the user lets the project do.
    pub trust: ProjectTrust,
}

impl ProjectContext {
    /// The project root, if there is one.
    pub fn root(&self) -> Option<&PathUri> {
        self.search.as_ref().ok()?.root.as_ref()
    }
}

/// The documents of the user and of the projects. `Display` is exactly what a model sees: nothing
/// where there is no text.
#[derive(Clone, Debug)]
pub struct Instructions {
    /// The user's own document.
    pub user: UserInstructionsOutcome,
    /// The documents of every environment that was reached.
    pub outcome: Arc<InstructionsOutcome>,
}

impl Instructions {
    /// The text and where it comes from; `None` where there is none.
    pub fn loaded(&self) -> Option<&LoadedAgentsMd> {
        self.outcome.loaded.as_ref()
    }
}

impl fmt::Display for Instructions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.loaded() {
            Some(loaded) => f.write_str(&loaded.contextual_user_fragment().render()),
            None => Ok(()),
        }
    }
}

/// The skills of a session. `Display` is exactly what a model sees: the catalog, nothing where no
/// skill is shown.
#[derive(Clone, Debug)]
pub struct Skills {
    /// What was found, the user's rules applied.
    pub outcome: SkillLoadOutcome,
    /// Rules that could not be understood.
    pub ignored_rules: Vec<SkillDiagnostic>,
    /// What rules select that no skill is.
    pub idle_selectors: Vec<SkillSelector>,
    /// How large the catalog may be.
    pub budget: CatalogBudget,
    /// The catalog; `None` where no skill is shown.
    pub rendered: Option<RenderedSkills>,
}

impl fmt::Display for Skills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rendered {
            Some(rendered) => f.write_str(&rendered.text),
            None => Ok(()),
        }
    }
}

/// Loads the context of a session.
///
/// # Round trips
/// Those of the schedule, which the crate's documentation states.
///
/// # Errors
/// When the request cannot be met, no environment answers, or configuration cannot be used. What is
/// wrong with a document, a skill or a plugin is a [`Diagnostic`].
///
/// # Cancellation
/// Dropping the future starts no further call.
pub async fn load(request: &ContextRequest) -> Result<Context, ContextError> {
    load_expecting(request, &[]).await
}

async fn load_expecting(
    request: &ContextRequest,
    previous: &[MachineCalls],
) -> Result<Context, ContextError> {
    let environments = Arc::new(request.bind()?);
    let machines = Machines::new(&environments, request.window);
    for calls in previous {
        if let Some(machine) = machines.get(&calls.environment_id) {
            machine.files.set_phase("refresh");
            machine.files.expect_all(calls.used.iter().cloned());
        }
    }
    let session = Session {
        request,
        machines: &machines,
    };
    let loaded = machines.drive(Box::pin(session.run())).await?;
    let calls = machines.0.iter().map(|machine| MachineCalls {
        environment_id: machine.environment.id().clone(),
        used: machine.files.calls_used(),
        plan: machine.files.plan(),
    });
    Ok(Context::new(
        request.clone(),
        loaded,
        calls.collect(),
        Arc::clone(&environments),
    ))
}

impl Context {
    fn new(
        request: ContextRequest,
        loaded: Loaded,
        calls: Vec<MachineCalls>,
        environments: Arc<EnvironmentSet>,
    ) -> Self {
        let outcome = loaded.skills.as_ref().map(|skills| skills.outcome.clone());
        Self {
            diagnostics: diagnostics(&request, &loaded),
            catalog: Arc::new(SkillCatalog::new(environments, outcome.unwrap_or_default())),
            request,
            loaded,
            calls,
        }
    }

    /// Loads the context that the same request has now, and says what is different.
    ///
    /// It is what [`load`] gives at that moment; what this context was told is asked again, all at
    /// once. This context stays as it is.
    ///
    /// # Round trips
    /// ⌈calls / window⌉ where nothing has changed.
    ///
    /// # Errors
    /// Those of [`load`].
    pub async fn refresh(&self) -> Result<(Self, Changes), ContextError> {
        let next = load_expecting(&self.request, &self.calls).await?;
        let changes = Changes::between(self, &next);
        Ok((next, changes))
    }

    /// What was asked for.
    pub fn request(&self) -> &ContextRequest {
        &self.request
    }

    /// Every environment of the request, in its order: the project root and why, or why there is
    /// nothing of it.
    pub fn environments(&self) -> &[EnvironmentContext] {
        &self.loaded.environments
    }

    /// The environment that decided configuration: the first that was reached.
    pub fn first(&self) -> Option<(&Environment, &ProjectContext)> {
        let mut reached = self.loaded.environments.iter();
        reached.find_map(|it| Some((&it.environment, it.project()?)))
    }

    /// The configuration layers that do not depend on a project.
    pub fn base_layers(&self) -> &LoadedLayers {
        &self.loaded.base
    }

    /// The values, and all layers.
    pub fn config(&self) -> &Config {
        &self.loaded.config
    }

    /// What the configuration loaders found: the base layers, the trust in each environment, project
    /// layers and values.
    pub fn config_diagnostics(&self) -> impl Iterator<Item = &ConfigDiagnostic> {
        let projects = self.loaded.environments.iter();
        let projects = projects.filter_map(EnvironmentContext::project);
        let of_trust = projects.flat_map(|project| &project.trust.diagnostics);
        let of_base = self.loaded.base.diagnostics.iter();
        of_base
            .chain(of_trust)
            .chain(&self.loaded.config_diagnostics)
    }

    /// The instructions; `Display` is exactly what a model sees.
    pub fn instructions(&self) -> View<'_, Instructions> {
        View(self.loaded.instructions.as_ref())
    }

    /// The skills; `Display` is exactly what a model sees.
    pub fn skills(&self) -> View<'_, Skills> {
        View(self.loaded.skills.as_ref())
    }

    /// The plugins that were selected, and those that the user installed.
    pub fn plugins(&self) -> &Plugins {
        &self.loaded.plugins
    }

    /// The servers that plugins register. Nothing is started.
    pub fn mcp_servers(&self) -> &[McpServerRegistration] {
        &self.loaded.plugins.servers.servers
    }

    /// Everything that was lost, cut, skipped or doubtful.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// What each part of the model's input comes from and how large it is.
    pub fn sources(&self) -> Vec<Source> {
        measure::sources(self)
    }

    /// The calls that were made, in the order of their start in each environment, with the reason
    /// that each was asked for and the answer it waited for.
    pub fn plan(&self) -> impl Iterator<Item = (&EnvironmentId, &PlannedCall)> {
        let calls = self.calls.iter();
        calls.flat_map(|it| it.plan.iter().map(|call| (&it.environment_id, call)))
    }
}

/// A part of a context; empty where the request left it out.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T>(Option<&'a T>);

impl<'a, T> View<'a, T> {
    /// The part; `None` where the request left it out.
    pub fn get(self) -> Option<&'a T> {
        self.0
    }
}

impl<T: fmt::Display> fmt::Display for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(part) => part.fmt(f),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request", &self.request)
            .field("loaded", &self.loaded)
            .finish_non_exhaustive()
    }
}

/// All findings, in the order of the stages.
fn diagnostics(request: &ContextRequest, loaded: &Loaded) -> Vec<Diagnostic> {
    let mut found = request.sources.diagnostics.clone();
    found.extend(loaded.environments.iter().filter_map(unreachable));
    found.extend(
        loaded
            .base
            .diagnostics
            .iter()
            .cloned()
            .map(Diagnostic::Config),
    );
    let projects = loaded.environments.iter();
    for project in projects.filter_map(EnvironmentContext::project) {
        let of_trust = project.trust.diagnostics.iter().cloned();
        found.extend(of_trust.map(Diagnostic::Config));
    }
    let of_config = loaded.config_diagnostics.iter().cloned();
    found.extend(of_config.map(Diagnostic::Config));
    for environment in &loaded.environments {
        found.extend(of_root(environment, loaded.instructions.is_some()));
    }
    if let Some(instructions) = &loaded.instructions {
        found.extend(of_instructions(instructions, &loaded.environments));
    }
    found.extend(of_plugins(&loaded.plugins));
    if let Some(skills) = &loaded.skills {
        let rendered = skills.rendered.iter().flat_map(|it| &it.diagnostics);
        let of_skills = skills
            .ignored_rules
            .iter()
            .chain(&skills.outcome.diagnostics);
        found.extend(of_skills.chain(rendered).cloned().map(Diagnostic::Skills));
        let idle = skills.idle_selectors.iter().cloned();
        found.extend(idle.map(Diagnostic::RuleSelectsNothing));
    }
    found
}

fn unreachable(environment: &EnvironmentContext) -> Option<Diagnostic> {
    match &environment.state {
        EnvironmentState::Reached(_) => None,
        EnvironmentState::Unreachable(source) => Some(Diagnostic::EnvironmentUnreachable {
            environment_id: environment.environment.id.clone(),
            source: Arc::clone(source),
        }),
    }
}

/// What the root search found, where the loader of instructions does not say it.
fn of_root(environment: &EnvironmentContext, has_instructions: bool) -> Vec<Diagnostic> {
    let Some(project) = environment.project() else {
        return Vec::new();
    };
    if has_instructions && project.trust.documents == ProjectDocuments::Allowed {
        return Vec::new();
    }
    let of_markers = match &project.search {
        Ok(search) => search.diagnostics(),
        Err(_) => project.markers.diagnostics(),
    };
    let of_markers = of_markers.into_iter();
    let mut found: Vec<_> = of_markers.map(Diagnostic::Config).collect();
    if let Err(source) = &project.search {
        found.push(Diagnostic::MarkerProbeFailed {
            environment_id: environment.environment.id.clone(),
            source: Arc::clone(source),
        });
    }
    found
}

/// What the user's document, the documents and the listings have to say.
fn of_instructions(
    instructions: &Instructions,
    environments: &[EnvironmentContext],
) -> Vec<Diagnostic> {
    let outcome = &instructions.outcome;
    let listed = outcome.report.listing_diagnostics();
    let of_user = instructions.user.diagnostics.iter();
    let found = of_user.chain(&outcome.diagnostics).chain(&listed);
    let found = found.map(|diagnostic| {
        let is_failure = matches!(
            diagnostic.kind,
            InstructionDiagnosticKind::EnvironmentFailed { .. }
        );
        let id = diagnostic.environment_id.as_ref().filter(|_| is_failure);
        let mut environments = environments.iter();
        let failed = environments.find(|it| Some(&it.environment.id) == id);
        let source = failed.and_then(|it| it.project()?.search.as_ref().err().cloned());
        Diagnostic::Instructions(diagnostic.clone(), source)
    });
    found.collect()
}

/// What each directory had to say, its manifest and its entries, then the servers of all.
fn of_plugins(plugins: &Plugins) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for selected in &plugins.selected {
        match &selected.resolved {
            Err(error) => found.push(Diagnostic::PluginUnresolved(error.clone())),
            Ok(root) => {
                let manifest = root.plugin.iter().flat_map(ResolvedPlugin::diagnostics);
                let all = manifest.chain(&root.diagnostics).cloned();
                found.extend(all.map(Diagnostic::Plugin));
            }
        }
    }
    let installed = plugins.installed.plugins.iter();
    let manifests = installed.flat_map(|it| it.plugin.diagnostics());
    let all = manifests.chain(&plugins.installed.diagnostics);
    let all = all.chain(&plugins.servers.diagnostics).cloned();
    found.extend(all.map(Diagnostic::Plugin));
    found
}
