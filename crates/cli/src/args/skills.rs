//! What a person may type about skills and plugins.

use std::path::PathBuf;

use clap::{Args, Subcommand, builder::ValueHint};

use super::CommonOptions;

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

/// `skills [DIR]`
#[derive(Debug, Args)]
pub(crate) struct SkillsListArguments {
    /// The directory the agent starts in; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Print exactly the section that the model is given, and nothing else
    #[arg(long, conflicts_with = "format")]
    pub(crate) catalog: bool,
    #[command(flatten)]
    pub(crate) capability_roots: CapabilityRootOptions,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// `skills read NAME [FILE]`
#[derive(Debug, Args)]
pub(crate) struct SkillsReadArguments {
    /// The skill as the list shows it: its name, its path, or its locator in the catalog
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// A file below the skill's directory; SKILL.md if not given
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<String>,
    #[command(flatten)]
    pub(crate) capability_roots: CapabilityRootOptions,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// `skills validate PATH...`
#[derive(Debug, Args)]
pub(crate) struct SkillsValidateArguments {
    /// Directories with a SKILL.md, such files, or directories of skills
    #[arg(value_name = "PATH", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// Directories that a person selects beside the usual ones.
#[derive(Debug, Args)]
pub(crate) struct CapabilityRootOptions {
    /// Add a capability root; may be repeated
    #[arg(long = "root", value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub(crate) roots: Vec<PathBuf>,
}

/// `plugins PATH...`
#[derive(Debug, Args)]
pub(crate) struct PluginsArguments {
    /// Directories that may hold a plugin
    #[arg(value_name = "PATH", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Also show the MCP servers that plugins register; none is started
    #[arg(long)]
    pub(crate) mcp: bool,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}
