//! `skills`: what an agent is told of skills, a file of one of them, or how one stands to the
//! specification.
//!
//! `skills [DIR]` and `skills read` make one session start and one load; `skills validate` loads
//! nothing but the files it is given.

use codex_file_system::FindUpErrorPolicy;
use codex_plugin::SelectedCapabilityRoot;
use futures::future::try_join;

use super::{Answer, Run};
use crate::args::{CapabilityRootOptions, CommonOptions, SkillsArguments, SkillsCommand};
use crate::environments::{self, Bound};
use crate::exit::Failure;
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
    unreachable: Vec<Finding>,
    configured: Configured,
    skills: SessionSkills,
}

impl Loaded {
    /// What cannot be reached, and what configuration had to say.
    fn configuration_findings(&self) -> Result<Vec<Finding>, Failure> {
        let of_config = self.configured.diagnostics().map(Finding::of_config);
        let mut found = self.unreachable.clone();
        found.extend(of_config.collect::<Result<Vec<_>, _>>()?);
        Ok(found)
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
    bound: &Bound,
    sources: SkillSources,
    options: &CommonOptions,
) -> Result<Loaded, Failure> {
    let window = options.cost.window_or_default();
    let policy = FindUpErrorPolicy::Propagate;
    let located = start.locate(policy).await?;
    let (others, base) = (bound.others(), located.base.clone());
    let (configured, elsewhere) = try_join(
        start.configure_from(located, ProjectLayers::Enabled, window),
        start.elsewhere(&others, &base, policy),
    )
    .await?;
    let environments = &bound.environments;
    let window = options.cost.window;
    let skills = start.skills(environments, &configured, &elsewhere, sources, window);
    Ok(Loaded {
        unreachable: bound.findings.clone(),
        skills: skills.await?,
        configured,
    })
}

/// The usual directories and the selected ones, which are called `cap0`, `cap1` and so on.
fn sources(
    start: &SessionStart<'_>,
    options: &CapabilityRootOptions,
    common: &CommonOptions,
) -> Result<SkillSources, Failure> {
    let id = start.environment.id();
    let mut selected = Vec::with_capacity(options.roots.len());
    for (number, root) in options.roots.iter().enumerate() {
        let path = environments::path(common, root)?;
        selected.push(SelectedCapabilityRoot::new(
            format!("cap{number}"),
            id.clone(),
            path,
        ));
    }
    SkillSources::new(selected)
}
