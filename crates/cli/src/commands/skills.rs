//! `skills`: what an agent is told of skills, a file of one of them, or how one stands to the
//! specification.
//!
//! `skills [DIR]` and `skills read` make one session start and one load; `skills validate` loads
//! nothing but the files it is given.

use codex_file_system::{EnvironmentId, EnvironmentSet, FindUpErrorPolicy};
use codex_path_uri::PathUri;
use codex_skills::SkillMetadata;

use super::{Answer, Run};
use crate::args::{CapabilityRootOptions, CommonOptions, SkillsArguments, SkillsCommand};
use crate::environments;
use crate::environments::choice::LOCAL;
use crate::exit::Failure;
use crate::render::finding::Finding;
use crate::render::project_root::root_findings;
use crate::render::words;
use crate::session::skills::{SessionSkills, SkillSources};
use crate::session::{Session, SessionStart};

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
    session: Session,
    skills: SessionSkills,
    /// The user's home directory, which is on this machine.
    home: PathUri,
}

impl Loaded {
    /// A path as the table spells it: from the project root or, where there is none, from the start
    /// directory, both of which stand above it, or from the home directory, where that is shorter.
    fn short(&self, environment: &EnvironmentId, path: &PathUri) -> String {
        let Session { first, .. } = &self.session;
        let search = first.located.search.as_ref().ok();
        let root = search.and_then(|search| search.root.as_ref());
        let project = Some(root.unwrap_or(first.environment.cwd()));
        let project = project.filter(|_| environment == first.environment.id());
        let home = Some(&self.home).filter(|_| environment.as_str() == LOCAL);
        words::short(path, project, home)
    }

    /// Where a skill is, as the table spells it.
    fn source(&self, skill: &SkillMetadata) -> String {
        let handle = &skill.handle;
        self.short(handle.environment_id(), handle.entrypoint())
    }

    /// What cannot be reached, and what configuration had to say.
    fn configuration_findings(&self) -> Result<Vec<Finding>, Failure> {
        let of_config = self.session.diagnostics().map(Finding::of_applied_config);
        let mut found = self.session.unreachable.clone();
        found.extend(of_config.collect::<Result<Vec<_>, _>>()?);
        Ok(found)
    }

    /// What configuration, the root search, the rules and the skills had to say.
    fn findings(&self) -> Result<Vec<Finding>, Failure> {
        let mut found = self.configuration_findings()?;
        found.extend(root_findings(self.session.located())?);
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
    let session = start.begin(FindUpErrorPolicy::Propagate);
    let session = session.await?;
    let home = sources.home().clone();
    let skills = start.skills(environments, &session, sources, options.cost.window);
    Ok(Loaded {
        skills: skills.await?,
        session,
        home,
    })
}

/// The usual directories and the selected ones.
fn sources(
    options: &CapabilityRootOptions,
    common: &CommonOptions,
) -> Result<SkillSources, Failure> {
    let selected = options.roots.iter();
    let selected = selected.map(|root| environments::path(common, root));
    SkillSources::new(selected.collect::<Result<_, _>>()?)
}
