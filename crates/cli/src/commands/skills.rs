//! `skills`: what an agent is told of skills, a file of one of them, or how one stands to the
//! specification.
//!
//! `skills [DIR]` and `skills read` make one session start; `skills validate` loads nothing but the
//! files it is given.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use codex_context::{Context, Environment as SessionEnvironment, Parts, ProjectContext, Skills};
use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use codex_skills::{SKILL_FILE_NAME, SkillMetadata};

use self::list::SkillsListArguments;
use self::read::SkillsReadArguments;
use self::validate::SkillsValidateArguments;
use crate::environments::Arity;
use crate::environments::target::LOCAL;
use crate::exit::Failure;
use crate::options::{CapabilityRootOptions, CommonOptions};
use crate::output::words;
use crate::run::{CommandContext, CommandOutput, StartPoint};

mod document;
mod list;
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

/// A session, and the skills in it.
struct Loaded<'a> {
    session: &'a Context,
    skills: &'a Skills,
    /// The environment that the session is about, and its project.
    first: &'a SessionEnvironment,
    project: &'a ProjectContext,
}

impl<'a> Loaded<'a> {
    /// What a session found.
    ///
    /// # Errors
    /// None: a session with skills has them, and an environment.
    fn new(start: &StartPoint, session: &'a Context) -> Result<Self, Failure> {
        let (first, project) = start.first(session)?;
        let skills = session.skills().get();
        let skills =
            skills.ok_or_else(|| Failure::new("no skills were loaded", "report this as a bug"))?;
        Ok(Self {
            session,
            skills,
            first,
            project,
        })
    }

    /// A path as the table spells it: from the project root or, where there is none, from the start
    /// directory, both of which stand above it, or from the home directory, where that is shorter.
    fn short(&self, environment: &EnvironmentId, path: &PathUri) -> String {
        let project = Some(self.project.root().unwrap_or(&self.first.cwd));
        let project = project.filter(|_| *environment == self.first.id);
        let home = self.session.request().sources.home.as_ref();
        let home = home.filter(|_| environment.as_str() == LOCAL);
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
}

/// Where a session with skills starts.
fn start(
    context: &CommandContext,
    common: &CommonOptions,
    directory: Option<&PathBuf>,
    roots: &CapabilityRootOptions,
) -> Result<StartPoint, Failure> {
    let mut start = StartPoint::new(context, common, directory, Arity::Several)?;
    start.request.parts = Parts {
        configuration: true,
        skills: true,
        plugins: true,
        ..Parts::NONE
    };
    start.request.skill_roots = start.selected(common, roots)?;
    Ok(start)
}
