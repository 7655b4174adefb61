//! `skills`: what an agent is told of skills, a file of one of them, or how one stands to the
//! specification.
//!
//! `skills [DIR]` and `skills read` make one session start and one load; `skills validate` loads
//! nothing but the files it is given.

use clap::{Args, Subcommand};
use codex_file_system::{EnvironmentId, EnvironmentSet, FindUpErrorPolicy};
use codex_path_uri::PathUri;
use codex_skills::{SKILL_FILE_NAME, SkillMetadata};

use self::list::SkillsListArguments;
use self::read::SkillsReadArguments;
use self::validate::SkillsValidateArguments;
use crate::commands::root::root_diagnostics;
use crate::environments;
use crate::environments::target::LOCAL;
use crate::exit::Failure;
use crate::options::{CapabilityRootOptions, CommonOptions};
use crate::output::diagnostic::Diagnostic;
use crate::output::words;
use crate::run::{CommandContext, CommandOutput};
use crate::session::skills::{SessionSkills, SkillSources};
use crate::session::{Session, SessionStart};

mod document;
pub(crate) mod list;
mod read;
mod validate;

/// `skills [DIR]`, or something to do with skills.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct SkillsArguments {
    #[command(subcommand)]
    pub(crate) command: Option<SkillsCommand>,
    #[command(flatten)]
    pub(crate) list: SkillsListArguments,
}

impl SkillsArguments {
    /// The options that every command takes.
    pub(crate) fn common(&self) -> &CommonOptions {
        match &self.command {
            None => &self.list.common,
            Some(SkillsCommand::Read(arguments)) => &arguments.common,
            Some(SkillsCommand::Validate(arguments)) => &arguments.common,
        }
    }
}

/// What else can be done with skills. A directory of such a name is written `./read`.
#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// Print a file of a skill, read as an agent would read it
    Read(SkillsReadArguments),
    /// Hold skills against the Agent Skills specification
    Validate(SkillsValidateArguments),
}

/// Does what is asked with skills.
///
/// # Errors
/// When the directory is none, configuration cannot be used, or there is nothing to print.
pub(crate) fn run(
    arguments: &SkillsArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    match &arguments.command {
        None => list::run(&arguments.list, context),
        Some(SkillsCommand::Read(arguments)) => read::run(arguments, context),
        Some(SkillsCommand::Validate(arguments)) => validate::run(arguments, context),
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
        let file = handle.entrypoint();
        // Every such file has the same name, so its directory tells as much.
        let is_usual = file.basename().as_deref() == Some(SKILL_FILE_NAME);
        let directory = file.parent().filter(|_| is_usual);
        self.short(handle.environment_id(), directory.as_ref().unwrap_or(file))
    }

    /// What cannot be reached, and what configuration had to say.
    fn configuration_diagnostics(&self) -> Result<Vec<Diagnostic>, Failure> {
        let of_config = self
            .session
            .diagnostics()
            .map(Diagnostic::of_applied_config);
        let mut found = self.session.unreachable.clone();
        found.extend(of_config.collect::<Result<Vec<_>, _>>()?);
        Ok(found)
    }

    /// What configuration, the root search, the rules and the skills had to say.
    fn diagnostics(&self) -> Result<Vec<Diagnostic>, Failure> {
        let mut found = self.configuration_diagnostics()?;
        found.extend(root_diagnostics(self.session.located())?);
        let SessionSkills {
            outcome,
            ignored_rules,
            ..
        } = &self.skills;
        for diagnostic in ignored_rules.iter().chain(&outcome.diagnostics) {
            found.push(Diagnostic::of_skills(diagnostic)?);
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
