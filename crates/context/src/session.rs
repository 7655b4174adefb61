//! One session start: the serial program, as a few stages that wait for each other.
//!
//! ```text
//! base layers -> markers -> one root search for each environment -> trust -> project layers -> values
//!                                                                   \-> documents, skills
//! plugins ------------------------------------------------------------------------^
//! ```
//!
//! Environments are asked at the same time. The first that is reached, in the order of the request,
//! decides configuration; errors of configuration end the start, and nothing else that is found
//! does. Rules are those of the libraries; what is asked ahead is in `schedule`.

use std::io;
use std::sync::Arc;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionsOptions, ProjectRootInput, TurnEnvironment,
    TurnEnvironmentSnapshot, UserInstructionsOutcome, add_listings,
    load_project_instructions_through, load_user_instructions_with,
};
use codex_config::{
    Config, ConfigDiagnostic, ConfigError, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack,
    ConfigSources, LoadedLayers, ProjectTrust, ProjectTrustTable, TomlValue, expect_project_root,
    expect_project_trust, find_project_root_with, find_project_trust_with, load_base_layers_with,
    load_project_layers_with, parse_overrides,
};
use codex_file_system::{
    EnvironmentId, ExecutorFileSystem as _, FileKind, FindUpErrorPolicy, FindUpOptions,
    find_up_with,
};
use codex_path_uri::{PathConvention, PathUri};
use codex_skills::{
    CatalogBudget, HostSkillRoots, ProjectSkillRoots, SkillLoadOptions, SkillRoot, SkillRootsInput,
    bundled_skills_enabled, load_skills_with, render_skills, skill_config_rules, skill_roots,
};
use futures::future::{BoxFuture, FutureExt as _, Shared, join, join_all, join3, join4, try_join3};

use crate::context::{
    EnvironmentContext, EnvironmentState, Instructions, Loaded, ProjectContext, Skills,
};
use crate::environment::StartDirectory;
use crate::machine::{Machine, Machines, phase};
use crate::plugins::Plugins;
use crate::{ContextError, ContextRequest, Environment, schedule};

/// The directory of a project's own configuration.
const CONFIG_FOLDER: &str = ".codex";
const GIT_MARKER: &str = ".git";
const CONTEXT_WINDOW_KEY: &str = "model_context_window";

/// What a session start asks for, and whom.
pub(crate) struct Session<'s, 'm> {
    pub(crate) request: &'s ContextRequest,
    pub(crate) machines: &'s Machines<'m>,
}

/// What several stages wait for.
pub(crate) type Stage<'s, T> = Shared<BoxFuture<'s, T>>;
pub(crate) type Base<'s> = Stage<'s, Result<Arc<LoadedLayers>, ContextError>>;
type Located<'s> = Stage<'s, Result<Arc<ProjectContext>, Lost>>;
type Configured<'s> = Stage<'s, Result<Arc<Configuration>, ContextError>>;

/// The configuration of the first environment that is reached.
#[derive(Debug, Default)]
struct Configuration {
    config: Config,
    diagnostics: Vec<ConfigDiagnostic>,
}

/// Why nothing is known of an environment.
#[derive(Clone, Debug)]
enum Lost {
    /// It does not answer.
    Unreachable(Arc<io::Error>),
    /// It answers, and cannot be used as it was asked for.
    Refused(ContextError),
}

impl From<ContextError> for Lost {
    fn from(error: ContextError) -> Self {
        Self::Refused(error)
    }
}

impl<'m> Session<'_, 'm> {
    /// Runs the stages.
    pub(crate) async fn run(&self) -> Result<Loaded, ContextError> {
        let sources = self.config_sources();
        schedule::expect_start(self, sources.as_ref());
        let base: Base<'_> = self.base(sources.as_ref()).boxed().shared();
        let environments = self.request.environments.iter();
        let located = environments.map(|it| self.locate(it, base.clone()).boxed().shared());
        let located: Vec<Located<'_>> = located.collect();
        let configured: Configured<'_> = self.configure(base.clone(), &located).boxed().shared();
        let plugins = self.plugins(base.clone()).boxed().shared();

        let instructions = self.instructions(&located, configured.clone());
        let skills = self.skills(&located, configured.clone(), plugins.clone());
        let found = join3(base.clone(), configured, join_all(located.clone()));
        let ((base, configured, found), instructions, plugins, skills) =
            join4(found, instructions, plugins, skills).await;

        let (base, configured) = (base?, configured?);
        let environments = self.environments(found)?;
        Ok(Loaded {
            base: (*base).clone(),
            config: configured.config.clone(),
            config_diagnostics: configured.diagnostics.clone(),
            environments,
            instructions: instructions?,
            plugins,
            skills: skills?,
        })
    }

    /// What became of each environment of the request.
    fn environments(
        &self,
        found: Vec<Result<Arc<ProjectContext>, Lost>>,
    ) -> Result<Vec<EnvironmentContext>, ContextError> {
        let mut environments = Vec::with_capacity(found.len());
        for (environment, found) in self.request.environments.iter().zip(found) {
            environments.push(EnvironmentContext {
                environment: environment.clone(),
                state: match found {
                    Ok(project) => EnvironmentState::Reached(project),
                    Err(Lost::Unreachable(error)) => EnvironmentState::Unreachable(error),
                    Err(Lost::Refused(error)) => return Err(error),
                },
            });
        }
        let unreachable = environments.iter().map(|it| match &it.state {
            EnvironmentState::Reached(_) => None,
            EnvironmentState::Unreachable(error) => {
                Some((it.environment.id.clone(), Arc::clone(error)))
            }
        });
        match unreachable.collect() {
            Some(environments) => Err(ContextError::Unreachable { environments }),
            None => Ok(environments),
        }
    }

    /// The machine that holds the user's files.
    pub(crate) fn host(&self) -> Option<&Machine<'m>> {
        let host = self.request.sources.environment.as_ref()?;
        self.machines.get(&host.id)
    }

    /// Where the base layers are; `None` for a host without files.
    fn config_sources(&self) -> Option<ConfigSources<'_>> {
        let sources = &self.request.sources;
        Some(ConfigSources {
            filesystem: &self.host()?.files,
            config_home: sources.config_home.clone()?,
            system_config: sources.system_config.clone(),
            managed_config: sources.managed_config.clone(),
            profile: self.request.profile.clone(),
            overrides: self.request.overrides.clone(),
        })
    }

    async fn base(
        &self,
        sources: Option<&ConfigSources<'_>>,
    ) -> Result<Arc<LoadedLayers>, ContextError> {
        let base = match (self.host(), sources) {
            (Some(host), Some(sources)) => {
                let layers = load_base_layers_with(&host.files, sources);
                host.phase("configuration", layers).await?
            }
            _ => self.overrides()?,
        };
        if base.stack.project_root_markers().0.is_err() {
            // Parsing the values tells where the bad one is.
            Config::from_stack(base.stack.clone())?;
        }
        Ok(Arc::new(base))
    }

    /// The base layers of a host without files.
    fn overrides(&self) -> Result<LoadedLayers, ConfigError> {
        let overrides = &self.request.overrides;
        let mut layers = Vec::new();
        if !overrides.is_empty() {
            let table = parse_overrides(overrides)?;
            layers.push(ConfigLayerEntry::new(
                ConfigLayerSource::SessionFlags,
                table,
            ));
        }
        Ok(LoadedLayers {
            stack: ConfigLayerStack::new(layers)?,
            diagnostics: Vec::new(),
        })
    }

    fn marker_errors(&self) -> FindUpErrorPolicy {
        match self.request.document_errors {
            DocumentErrorPolicy::FailEnvironment => FindUpErrorPolicy::Propagate,
            DocumentErrorPolicy::KeepReadable => FindUpErrorPolicy::Ignore,
        }
    }

    /// The project of an environment and the trust in it, while it is found out whether it answers.
    async fn locate(
        &self,
        environment: &Environment,
        base: Base<'_>,
    ) -> Result<Arc<ProjectContext>, Lost> {
        let Some(machine) = self.machines.get(&environment.id) else {
            return Err(ContextError::NoEnvironment.into());
        };
        let search = async {
            let base = base.clone().await?;
            Ok(self.search(machine, environment, &base).await)
        };
        // A bad `-c` argument costs no call, and a directory that is known to be missing no search.
        let base = async { base.clone().await.map_err(Lost::from) };
        let (base, (), mut project) = try_join3(base, reach(machine, environment), search).await?;
        if self.request.parts.configuration {
            let trust = self.trust(machine, environment, &base, &project);
            project.trust = machine.phase("trust", trust).await?;
        }
        let budget = Config::from_stack(base.stack.clone()).ok();
        let budget = budget.as_ref().map(|(config, _)| config);
        schedule::expect_project(self, machine, environment, &project, budget);
        Ok(Arc::new(project))
    }

    async fn search(
        &self,
        machine: &Machine<'_>,
        environment: &Environment,
        base: &LoadedLayers,
    ) -> ProjectContext {
        let cwd = &environment.cwd;
        let convention = cwd.convention().unwrap_or_else(PathConvention::native);
        let markers = base.stack.usable_project_root_markers(convention);
        expect_project_root(&machine.files, cwd, &markers);
        let policy = self.marker_errors();
        let search = find_project_root_with(&machine.files, cwd, markers.clone(), policy);
        let search = machine.phase("markers", search).await.map_err(Arc::new);
        ProjectContext {
            directories: match &search {
                Ok(search) => search.directories(cwd),
                Err(_) => vec![cwd.clone()],
            },
            markers,
            search,
            trust: ProjectTrust::default(),
        }
    }

    async fn trust(
        &self,
        machine: &Machine<'_>,
        environment: &Environment,
        base: &LoadedLayers,
        project: &ProjectContext,
    ) -> Result<ProjectTrust, ContextError> {
        let table = ProjectTrustTable::from_stack(&base.stack)?;
        let (cwd, search) = (&environment.cwd, project.search.as_ref().ok());
        let (files, id) = (&machine.files, &environment.id);
        let git_root = match table.is_empty() {
            // Nothing is written about any directory, so it is not asked which one is the Git root.
            true => Ok(search.and_then(|search| search.git_root()).flatten()),
            false => {
                expect_project_trust(files, cwd, project.root());
                let options = FindUpOptions::new(FindUpErrorPolicy::Propagate);
                let found = find_up_with(files, cwd, &[GIT_MARKER], &options, None).await;
                found.map(|outcome| outcome.ancestor)
            }
        };
        let git_root = git_root.as_ref().map(Option::as_ref);
        let root = project.root();
        let trust = find_project_trust_with(files, id, cwd, root, git_root, &table);
        Ok(trust.await)
    }

    /// The configuration of the first environment that is reached, as soon as it is known which one
    /// that is; the default where none is.
    async fn configure(
        &self,
        base: Base<'_>,
        located: &[Located<'_>],
    ) -> Result<Arc<Configuration>, ContextError> {
        for (environment, located) in self.request.environments.iter().zip(located) {
            let project = match located.clone().await {
                Ok(project) => project,
                Err(Lost::Refused(error)) => return Err(error),
                Err(Lost::Unreachable(_)) => continue,
            };
            let Some(machine) = self.machines.get(&environment.id) else {
                continue;
            };
            return Ok(Arc::new(
                self.values(&*base.await?, machine, &project).await?,
            ));
        }
        Ok(Arc::default())
    }

    async fn values(
        &self,
        base: &LoadedLayers,
        machine: &Machine<'_>,
        project: &ProjectContext,
    ) -> Result<Configuration, ContextError> {
        if !self.request.parts.configuration {
            return Ok(Configuration::default());
        }
        let decide = |directory: &PathUri| project.trust.layer(directory);
        let (files, directories) = (&machine.files, &project.directories);
        let layers = load_project_layers_with(files, base.stack.clone(), directories, &decide);
        let layers = machine.phase("project layers", layers).await?;
        let (config, of_values) = Config::from_stack(layers.stack)?;
        Ok(Configuration {
            config,
            diagnostics: [layers.diagnostics, of_values].concat(),
        })
    }

    /// The documents of the user, and of every environment that is reached.
    async fn instructions(
        &self,
        located: &[Located<'_>],
        configured: Configured<'_>,
    ) -> Result<Option<Instructions>, ContextError> {
        if !self.request.parts.instructions {
            return Ok(None);
        }
        let found = self.request.environments.iter().zip(located);
        let found = found.map(|(environment, located)| {
            let both = join(configured.clone(), located.clone());
            both.map(move |(configured, located)| {
                let machine = self.machines.get(&environment.id)?;
                let (configured, project) = (configured.ok()?, located.ok()?);
                schedule::expect_documents(machine, &configured.config, &project);
                Some(turn(machine.environment, &project))
            })
        });
        let (configured, user, found) =
            join3(configured.clone(), self.user(), join_all(found)).await;
        let config = &configured?.config;
        let snapshot = TurnEnvironmentSnapshot {
            turn_environments: found.into_iter().flatten().collect(),
        };
        let options = InstructionsOptions {
            document_errors: self.request.document_errors,
            window: self.request.window,
        };
        let instructions = user.instructions.clone();
        let files = |id: &EnvironmentId| self.machines.files(id);
        let documents =
            load_project_instructions_through(files, config, instructions, &snapshot, &options);
        let mut outcome = self.phase("documents", documents).await;
        if self.request.parts.listings {
            let listings = add_listings(&mut outcome.report, &snapshot);
            self.phase("listings", listings).await;
        }
        let outcome = Arc::new(outcome);
        Ok(Some(Instructions { user, outcome }))
    }

    async fn user(&self) -> UserInstructionsOutcome {
        let config_home = self.request.sources.config_home.as_ref();
        let (Some(host), Some(config_home)) = (self.host(), config_home) else {
            return UserInstructionsOutcome::default();
        };
        let user = load_user_instructions_with(&host.files, config_home);
        host.phase("user instructions", user).await
    }

    async fn plugins(&self, base: Base<'_>) -> Arc<Plugins> {
        if !self.request.parts.plugins {
            return Arc::default();
        }
        // Selected directories do not wait for configuration.
        Arc::new(self.find_plugins(base).await)
    }

    /// The skills of the projects, the user, the machine, the plugins and the selected roots.
    async fn skills(
        &self,
        located: &[Located<'_>],
        configured: Configured<'_>,
        plugins: Stage<'_, Arc<Plugins>>,
    ) -> Result<Option<Skills>, ContextError> {
        if !self.request.parts.skills {
            return Ok(None);
        }
        let located = join_all(located.iter().cloned());
        let (configured, located, plugins) = join3(configured, located, plugins).await;
        let config = &configured?.config;
        let window = match self.request.context_window {
            Some(tokens) => Some(tokens),
            None => context_window(config)?,
        };
        let budget = CatalogBudget::for_context_window(window);
        let roots = self.skill_roots(config, &located, &plugins);
        let options = SkillLoadOptions {
            window: self.request.window,
            product: self.request.product,
            ..SkillLoadOptions::default()
        };
        let skills = load_skills_with(|id| self.machines.files(id), &roots, &options);
        let mut outcome = self.phase("skills", skills).await;
        let (rules, ignored_rules) = skill_config_rules(&config.config_layer_stack);
        outcome.apply_config(&rules);
        let selectors = rules.into_iter().map(|rule| rule.selector);
        let idle = selectors.filter(|it| !outcome.skills.iter().any(|skill| it.selects(skill)));
        Ok(Some(Skills {
            idle_selectors: idle.collect(),
            ignored_rules,
            rendered: render_skills(&outcome, budget, None),
            budget,
            outcome,
        }))
    }

    /// The roots of every scope, in load order.
    fn skill_roots(
        &self,
        config: &Config,
        located: &[Result<Arc<ProjectContext>, Lost>],
        plugins: &Plugins,
    ) -> Vec<SkillRoot> {
        let environments = self.request.environments.iter().zip(located);
        let reached = environments
            .filter_map(|(environment, located)| Some((environment, located.as_ref().ok()?)));
        let mut projects =
            reached.map(|(environment, project)| self.project_roots(environment, project));
        let first = SkillRootsInput {
            project: projects.next(),
            host: self.host_roots(config),
            plugins: plugins.installed_skill_roots(),
            ..SkillRootsInput::default()
        };
        let mut roots = skill_roots(&first);
        roots.extend(plugins.selected_skill_roots());
        roots.extend(skill_roots(&SkillRootsInput {
            selected: self.request.skill_roots.clone(),
            ..SkillRootsInput::default()
        }));
        for project in projects {
            roots.extend(skill_roots(&SkillRootsInput {
                project: Some(project),
                ..SkillRootsInput::default()
            }));
        }
        let mut known = std::collections::HashSet::new();
        roots.retain(|root| known.insert((root.environment_id.clone(), root.path.clone())));
        roots
    }

    pub(crate) fn host_roots(&self, config: &Config) -> Option<HostSkillRoots> {
        let sources = &self.request.sources;
        let config_home = sources.config_home.clone()?;
        Some(HostSkillRoots {
            environment_id: sources.environment.as_ref()?.id.clone(),
            home: sources.home.clone().or_else(|| config_home.parent())?,
            admin_folder: sources.admin_folder.clone(),
            bundled: bundled_skills_enabled(&config.config_layer_stack),
            config_home,
        })
    }

    /// Where the skills of a project are, from its root down to the start directory.
    pub(crate) fn project_roots(
        &self,
        environment: &Environment,
        project: &ProjectContext,
    ) -> ProjectSkillRoots {
        let sources = &self.request.sources;
        let is_host = sources
            .environment
            .as_ref()
            .is_some_and(|it| it.id == environment.id);
        // What the user keeps is the user's, also where the project lies around it.
        let of_user = sources.config_home.as_ref().filter(|_| is_host);
        let folders = project.directories.iter();
        let folders = folders.filter_map(|it| it.join(CONFIG_FOLDER).ok());
        ProjectSkillRoots {
            environment_id: environment.id.clone(),
            config_folders: folders.filter(|it| Some(it) != of_user).collect(),
            directories: project.directories.clone(),
        }
    }

    /// Names what all machines are asked for while `stage` runs.
    async fn phase<T>(&self, name: &'static str, stage: impl Future<Output = T>) -> T {
        phase(&self.machines.0, name, stage).await
    }
}

/// An environment as the loader of documents takes it.
pub(crate) fn turn(
    environment: &codex_file_system::Environment,
    project: &ProjectContext,
) -> TurnEnvironment {
    let environment = environment.clone();
    let (id, cwd) = (environment.id().clone(), environment.cwd().clone());
    TurnEnvironment::new(id, environment, cwd)
        .with_project_documents(project.trust.documents)
        .with_project_root(match &project.search {
            Ok(search) => ProjectRootInput::Known(search.clone()),
            Err(error) => ProjectRootInput::Failed(Arc::clone(error)),
        })
}

/// Whether an environment answers, and its start directory is one.
async fn reach(machine: &Machine<'_>, environment: &Environment) -> Result<(), Lost> {
    if environment.start_directory == StartDirectory::Known {
        return Ok(());
    }
    let found = machine.files.get_metadata(&environment.cwd, None);
    let refused = |source| {
        Lost::Refused(ContextError::StartDirectory {
            environment_id: environment.id.clone(),
            path: environment.cwd.clone(),
            source,
        })
    };
    match machine.phase("start directory", found).await {
        Ok(metadata) if metadata.kind == FileKind::Directory => Ok(()),
        Ok(_) => Err(refused(None)),
        Err(error) if is_no_answer(error.kind()) => Err(Lost::Unreachable(Arc::new(error))),
        Err(error) => Err(refused(Some(Arc::new(error)))),
    }
}

/// Whether an error tells of the way to a machine and not of a directory there.
fn is_no_answer(kind: io::ErrorKind) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        kind,
        Kind::BrokenPipe
            | Kind::ConnectionAborted
            | Kind::ConnectionRefused
            | Kind::ConnectionReset
            | Kind::InvalidData
            | Kind::NotConnected
            | Kind::TimedOut
            | Kind::UnexpectedEof
    )
}

/// The tokens of the model's context window, if configuration tells.
fn context_window(config: &Config) -> Result<Option<u64>, ContextError> {
    let stack = &config.config_layer_stack;
    let merged = stack.effective_config();
    let Some(value) = merged.get(CONTEXT_WINDOW_KEY) else {
        return Ok(None);
    };
    match value.as_integer().map(u64::try_from) {
        Some(Ok(tokens)) => Ok(Some(tokens)),
        _ => Err(ContextError::from(ConfigError::InvalidValue {
            key: CONTEXT_WINDOW_KEY.to_owned(),
            origin: stack.origin(&[CONTEXT_WINDOW_KEY]),
            expected: "a number of tokens",
            found: match value {
                TomlValue::Integer(number) => number.to_string(),
                TomlValue::Array(_) => "an array".to_owned(),
                other => format!("a {}", other.type_str()),
            },
        })),
    }
}
