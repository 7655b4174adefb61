//! The skills of a session: which directories are asked, one load, and what the user says about it.
//!
//! Everything that decides where skills are was found by the session start; no root is searched
//! here. Loading never fails, so neither does this, but for values that cannot be used.

use codex_config::{Config, ConfigError, TomlValue};
use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, Window};
use codex_path_uri::PathUri;
use codex_plugin::SelectedCapabilityRoot;
use codex_skills::{
    CatalogBudget, DEFAULT_SKILL_WINDOW, HostSkillRoots, Product, ProjectSkillRoots,
    SkillDiagnostic, SkillLoadOptions, SkillLoadOutcome, SkillRootsInput, SkillSelector,
    bundled_skills_enabled, load_skills, skill_config_rules_in, skill_roots,
};

use super::{Located, Session, SessionStart};
use crate::exit::Failure;
use crate::host;

/// The directory of a project's own configuration.
const CONFIG_FOLDER: &str = ".codex";
const CONTEXT_WINDOW_KEY: [&str; 1] = ["model_context_window"];

/// The skills of a session.
pub(crate) struct SessionSkills {
    /// What was found, the user's rules applied.
    pub(crate) outcome: SkillLoadOutcome,
    /// Rules that could not be understood.
    pub(crate) ignored_rules: Vec<SkillDiagnostic>,
    /// What rules select that no skill is.
    pub(crate) idle_selectors: Vec<SkillSelector>,
    /// How large the section may be that the model is given.
    pub(crate) budget: CatalogBudget,
}

/// Where skills may be that the session start does not know of.
pub(crate) struct SkillSources {
    home: PathUri,
    selected: Vec<PathUri>,
}

impl SkillSources {
    /// The usual directories of this machine, and `selected` ones of the session's environment.
    ///
    /// # Errors
    /// When the user has no home directory.
    pub(crate) fn new(selected: Vec<PathUri>) -> Result<Self, Failure> {
        Ok(Self {
            home: PathUri::from_abs_path(&host::home()?),
            selected,
        })
    }

    /// The home directory, which is on this machine.
    pub(crate) fn home(&self) -> &PathUri {
        &self.home
    }

    /// The selected ones, which are called `cap0`, `cap1` and so on.
    fn selected(&self, environment: &EnvironmentId) -> Vec<SelectedCapabilityRoot> {
        let selected = self.selected.iter().enumerate();
        let named = selected.map(|(number, path)| {
            SelectedCapabilityRoot::new(format!("cap{number}"), environment.clone(), path.clone())
        });
        named.collect()
    }
}

impl SessionStart<'_> {
    /// Loads the skills of the project, the user, the machine and the selected roots.
    ///
    /// # Errors
    /// When the size of the model's context window is no number.
    pub(crate) async fn skills(
        &self,
        environments: &EnvironmentSet,
        session: &Session,
        sources: SkillSources,
        window: Option<Window>,
    ) -> Result<SessionSkills, Failure> {
        let budget = CatalogBudget::for_context_window(context_window(&session.config)?);
        let stack = &session.config.config_layer_stack;
        let mut roots = skill_roots(&self.skill_roots_input(session, sources));
        for other in &session.others {
            roots.extend(skill_roots(&SkillRootsInput {
                project: Some(other.skill_roots()),
                ..SkillRootsInput::default()
            }));
        }
        let options = SkillLoadOptions {
            window: window.unwrap_or(DEFAULT_SKILL_WINDOW),
            product: Some(Product::Codex),
            ..SkillLoadOptions::default()
        };
        let mut outcome = load_skills(environments, &roots, &options).await;
        let (rules, ignored_rules) = skill_config_rules_in(stack, session.first.environment.cwd());
        outcome.apply_config(&rules);
        let selectors = rules.into_iter().map(|rule| rule.selector);
        let is_idle =
            |selector: &SkillSelector| !outcome.skills.iter().any(|skill| selector.selects(skill));
        Ok(SessionSkills {
            idle_selectors: selectors.filter(is_idle).collect(),
            outcome,
            ignored_rules,
            budget,
        })
    }

    fn skill_roots_input(&self, session: &Session, sources: SkillSources) -> SkillRootsInput {
        let config_home = PathUri::from_abs_path(&self.settings.config_home);
        let mut project = session.first.skill_roots();
        let id = session.first.environment.id();
        let selected = sources.selected(id);
        if id == self.host.id() {
            // What the user keeps is the user's, also where the project lies around it.
            project
                .config_folders
                .retain(|folder| *folder != config_home);
        }
        SkillRootsInput {
            project: Some(project),
            host: Some(HostSkillRoots {
                environment_id: self.host.id().clone(),
                config_home,
                home: sources.home,
                admin_folder: self.settings.admin_folder.clone(),
                bundled: bundled_skills_enabled(&session.config.config_layer_stack),
            }),
            selected,
            ..SkillRootsInput::default()
        }
    }
}

/// Where the skills of a project are, from its root down to the start directory.
pub(super) fn project_roots(environment: &Environment, located: &Located) -> ProjectSkillRoots {
    let directories = located.directories(environment.cwd());
    let folders = directories
        .iter()
        .filter_map(|directory| directory.join(CONFIG_FOLDER).ok());
    ProjectSkillRoots {
        environment_id: environment.id().clone(),
        config_folders: folders.collect(),
        directories,
    }
}

/// The tokens of the model's context window, if configuration tells.
fn context_window(config: &Config) -> Result<Option<u64>, Failure> {
    let stack = &config.config_layer_stack;
    let [key] = CONTEXT_WINDOW_KEY;
    let merged = stack.effective_config();
    let Some(value) = merged.get(key) else {
        return Ok(None);
    };
    match value.as_integer().map(u64::try_from) {
        Some(Ok(tokens)) => Ok(Some(tokens)),
        _ => Err(Failure::from(ConfigError::InvalidValue {
            key: key.to_owned(),
            origin: stack.origin(&CONTEXT_WINDOW_KEY),
            expected: "a number of tokens",
            found: found(value),
        })),
    }
}

fn found(value: &TomlValue) -> String {
    match value {
        TomlValue::Integer(number) => number.to_string(),
        TomlValue::Array(_) => "an array".to_owned(),
        other => format!("a {}", other.type_str()),
    }
}
