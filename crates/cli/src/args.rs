//! What a person may type: commands, options, their limits and their help.
//!
//! Parsing checks shapes only (a number in range, a known format). Whether a directory exists or a
//! profile has a file is found out by the commands. Every command but `serve` takes every common
//! option, after the command's name; none is inherited, so a `-c` can never be dropped by another one.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser as _, ValueHint};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use codex_file_system::Window;

mod environments;
mod serve;
mod skills;

pub(crate) use environments::EnvironmentOptions;
pub(crate) use serve::{AuthMode, AuthOptions, Listen, ReferenceAuthOptions, ServeArguments};
pub(crate) use skills::{
    CapabilityRootOptions, PluginsArguments, SkillsArguments, SkillsCommand, SkillsListArguments,
    SkillsReadArguments, SkillsValidateArguments,
};

use crate::trace::TraceTarget;

const AFTER_HELP: &str = "\
Results go to standard output, everything else to standard error.

Exit codes:
    0  fine
    1  something was cut, invalid or unreadable (only with --check)
    2  usage or configuration
    3  no environment could be reached
  130  interrupted with Ctrl-C";

/// See what a coding agent is given in a directory, why, and what finding it out cost.
#[derive(Debug, Parser)]
#[command(name = "codex-context", version, after_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// One command and its options.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Ask(Question),
    /// Serve the files of this machine to a client on another one
    Serve(ServeArguments),
}

/// A command that has a result.
#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// The instructions an agent is given: every considered directory, what was kept and what was lost
    Instructions(InstructionsArguments),
    /// The skills an agent is told of, where each comes from and what it costs
    Skills(Box<SkillsArguments>),
    /// What directories declare as plugins; nothing is started
    Plugins(PluginsArguments),
    /// The project root and the marker that decided it
    Root(RootArguments),
    /// The effective configuration, the place every value comes from, and the layers
    Config(ConfigArguments),
    /// The canonical URI of paths and URIs, or why there is none
    Uri(UriArguments),
    /// A completion script for a shell
    Completions(CompletionsArguments),
}

impl Question {
    /// Its name, as it is typed.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Instructions(_) => "instructions",
            Self::Skills(_) => "skills",
            Self::Plugins(_) => "plugins",
            Self::Root(_) => "root",
            Self::Config(_) => "config",
            Self::Uri(_) => "uri",
            Self::Completions(_) => "completions",
        }
    }

    /// The options that every such command takes.
    pub(crate) fn common(&self) -> &CommonOptions {
        match self {
            Self::Instructions(arguments) => &arguments.common,
            Self::Skills(arguments) => arguments.common(),
            Self::Plugins(arguments) => &arguments.common,
            Self::Root(arguments) => &arguments.common,
            Self::Config(arguments) => &arguments.common,
            Self::Uri(arguments) => &arguments.common,
            Self::Completions(arguments) => &arguments.common,
        }
    }
}

/// `instructions [DIR]`
#[derive(Debug, Args)]
pub(crate) struct InstructionsArguments {
    /// The directory the agent starts in; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Print exactly the text that the model is given, and nothing else
    #[arg(long, conflicts_with_all = ["sources", "format"])]
    pub(crate) text: bool,
    /// Print the paths that the text comes from, one a line
    #[arg(long, conflicts_with = "format")]
    pub(crate) sources: bool,
    /// Keep the documents that can be read when another one cannot
    #[arg(long)]
    pub(crate) keep_readable: bool,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// `root [DIR]`
#[derive(Debug, Args)]
pub(crate) struct RootArguments {
    /// The directory to start in; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// List every probe up to the one that decided, with its outcome
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// `config [DIR]`
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// The directory whose project layers count; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// `uri PATH-OR-URI...`
#[derive(Debug, Args)]
pub(crate) struct UriArguments {
    /// Native paths of either convention, relative paths of this machine, or `file:` URIs
    #[arg(value_name = "PATH-OR-URI", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<OsString>,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// `completions SHELL`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// Options that mean the same for every command.
#[derive(Debug, Args)]
pub(crate) struct CommonOptions {
    #[command(flatten)]
    pub(crate) environments: EnvironmentOptions,
    #[command(flatten)]
    pub(crate) configuration: ConfigurationOptions,
    #[command(flatten)]
    pub(crate) output: OutputOptions,
    #[command(flatten)]
    pub(crate) cost: CostOptions,
}

/// Where configuration is read from.
#[derive(Debug, Args)]
#[command(next_help_heading = "Configuration")]
pub(crate) struct ConfigurationOptions {
    /// The directory of the user's files [default: $CODEX_HOME, else ~/.codex]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) config_home: Option<PathBuf>,
    /// Overlay NAME.config.toml of the config home
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Set one value for this run, as TOML; may be repeated, the last one wins
    #[arg(short = 'c', value_name = "KEY=VALUE", action = ArgAction::Append)]
    pub(crate) overrides: Vec<String>,
    /// The machine's configuration file [default on Unix: /etc/codex/config.toml]
    #[arg(long, value_name = "FILE", hide = true, value_hint = ValueHint::FilePath)]
    pub(crate) system_config: Option<PathBuf>,
    /// The machine's managed configuration file [default on Unix: /etc/codex/managed_config.toml]
    #[arg(long, value_name = "FILE", hide = true, value_hint = ValueHint::FilePath)]
    pub(crate) managed_config: Option<PathBuf>,
    /// The administrator's folder of skills [default on Unix: /etc/codex]
    #[arg(long, value_name = "DIR", hide = true, value_hint = ValueHint::DirPath)]
    pub(crate) admin_folder: Option<PathBuf>,
}

/// How results and findings are shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputOptions {
    /// The shape of the result [default: table on a terminal, else tab-separated rows]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// When to use colours: auto, always or never; auto honours NO_COLOR and CLICOLOR_FORCE
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub(crate) color: ColorWhen,
    /// Exit with 1 if something was cut, invalid or unreadable
    #[arg(long)]
    pub(crate) check: bool,
    /// Also show findings that lose nothing, and trace on standard error; twice: every call
    #[arg(short, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// What a load costs, and what it would cost far away.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cost")]
pub(crate) struct CostOptions {
    /// Print calls, round trips, bytes and time on standard error
    #[arg(long)]
    pub(crate) stats: bool,
    /// Draw every call on a time axis: FILE.svg, FILE.json for Perfetto, - for standard error
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
        value_parser = OsStringValueParser::new().try_map(TraceTarget::new))]
    pub(crate) trace: Option<TraceTarget>,
    /// Wait this long in every round trip, as if the files were far away
    #[arg(long, value_name = "MS", value_parser = parse_latency, allow_negative_numbers = true)]
    pub(crate) latency: Option<Duration>,
    /// Keep at most N calls in flight, 1 to 64
    #[arg(long, value_name = "N", value_parser = parse_window, allow_negative_numbers = true)]
    pub(crate) window: Option<Window>,
}

impl CostOptions {
    /// Whether calls are looked at, or made differently.
    pub(crate) fn is_any(&self) -> bool {
        let is_changed = self.latency.is_some() || self.window.is_some();
        self.stats || self.trace.is_some() || is_changed
    }

    /// The window of a phase: as asked for, else 8.
    pub(crate) fn window_or_default(&self) -> Window {
        const USUAL: Window = match Window::new(8) {
            Some(window) => window,
            None => Window::SERIAL,
        };
        self.window.unwrap_or(USUAL)
    }
}

/// The shape of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns for people
    Table,
    /// One JSON object
    Json,
    /// One JSON object a line
    Jsonl,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal, unless the environment says otherwise
    Auto,
    /// In a pipe, too
    Always,
    /// Not even on a terminal
    Never,
}

fn parse_window(text: &str) -> Result<Window, String> {
    text.parse()
        .ok()
        .and_then(Window::new)
        .ok_or_else(|| "not a number from 1 to 64".to_owned())
}

fn parse_latency(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(milliseconds @ 0..=60_000) => Ok(Duration::from_millis(milliseconds)),
        _ => Err("not a number of milliseconds from 0 to 60000".to_owned()),
    }
}
