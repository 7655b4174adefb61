//! `skills`: what an agent is told of skills, a file of one of them, or how one stands to the
//! specification.
//!
//! `skills [DIR]` and `skills read` make one session start and one load; `skills validate` loads
//! nothing but the files it is given.

use codex_file_system::{EnvironmentSet, FindUpErrorPolicy};
use codex_plugin::SelectedCapabilityRoot;

use super::{Answer, Run};
use crate::args::{CapabilityRootOptions, CommonOptions, SkillsArguments, SkillsCommand};
use crate::exit::Failure;
use crate::host;
use crate::render::finding::Finding;
use crate::render::project_root::root_findings;
use crate::session::skills::{SessionSkills, SkillSources};
use crate::session::{Configured, ProjectLayers, SessionStart};

mod document;
mod list;
mod read;
mod table;
mod validate;

/// Does what is asked with skills.
///
/// # Errors
/// When the directory is none, configuration cannot be used, or there is nothing to print.
pub(crate) fn run(arguments: &SkillsArguments, run: &Run) -> Result<Answer, Failure> {
    match &arguments.command {
        None => list::run(&arguments.list, run),
        Some(SkillsCommand::Read(arguments)) => read::run(arguments, run),
        Some(SkillsCommand::Validate(arguments)) => validate::run(arguments, run),
    }
}

/// Everything that one load found.
struct Loaded {
    configured: Configured,
    skills: SessionSkills,
}

impl Loaded {
    /// What configuration had to say.
    fn configuration_findings(&self) -> Result<Vec<Finding>, Failure> {
        let of_config = self.configured.diagnostics().map(Finding::of_config);
        Ok(of_config.collect::<Result<_, _>>()?)
    }

    /// What configuration, the root search, the rules and the skills had to say.
    fn findings(&self) -> Result<Vec<Finding>, Failure> {
        let mut found = self.configuration_findings()?;
        found.extend(root_findings(&self.configured.located)?);
        let SessionSkills {
            outcome,
            ignored_rules,
            ..
        } = &self.skills;
        for diagnostic in ignored_rules.iter().chain(&outcome.diagnostics) {
            found.push(Finding::of_skills(diagnostic)?);
        }
        Ok(found)
    }
}

/// One session start, then its skills.
async fn load(
    start: &SessionStart<'_>,
    environments: &EnvironmentSet,
    sources: SkillSources,
    options: &CommonOptions,
) -> Result<Loaded, Failure> {
    let window = options.cost.window_or_default();
    let policy = FindUpErrorPolicy::Propagate;
    let configured = start.configure(policy, ProjectLayers::Enabled, window);
    let configured = configured.await?;
    let skills = start.skills(environments, &configured, sources, options.cost.window);
    let skills = skills.await?;
    Ok(Loaded { configured, skills })
}

/// The usual directories and the selected ones, which are called `cap0`, `cap1` and so on.
fn sources(
    start: &SessionStart<'_>,
    options: &CapabilityRootOptions,
) -> Result<SkillSources, Failure> {
    let id = start.environment.id();
    let mut selected = Vec::with_capacity(options.roots.len());
    for (number, root) in options.roots.iter().enumerate() {
        let path = host::uri(root)?;
        selected.push(SelectedCapabilityRoot::new(
            format!("cap{number}"),
            id.clone(),
            path,
        ));
    }
    SkillSources::new(selected)
}
