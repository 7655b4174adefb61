//! What a person may type: the commands, their help, and what is said of a mistake.
//!
//! Each command's own arguments stand in its file, those that several take in [`options`]. Every
//! command takes all common options, so that a script can give them to each; help names those that
//! have an effect. clap repeats an argument as it was typed, and who typed it may have been deceived
//! (a newline forges a line, an escape sequence repaints the screen), so what clap says is escaped.
//!
//! [`options`]: crate::options

use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::error::{ContextKind, ContextValue, Error};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum as _};

use crate::commands::check::CheckArguments;
use crate::commands::completions::CompletionsArguments;
use crate::commands::config::ConfigArguments;
use crate::commands::host::HostArguments;
use crate::commands::instructions::InstructionsArguments;
use crate::commands::plugins::PluginsArguments;
use crate::commands::root::RootArguments;
use crate::commands::serve::arguments::ServeArguments;
use crate::commands::show::ShowArguments;
use crate::commands::skills::SkillsArguments;
use crate::commands::uri::UriArguments;
use crate::options::{CommonOptions, Format};
use crate::output::escape::escaped;

/// Options of sessions, without effect where no session is started.
const OF_SESSIONS: [&str; 3] = ["profile", "overrides", "directories"];
/// Options of what asks a filesystem, without effect where nothing is asked.
const OF_CALLS: [&str; 9] = [
    "chosen",
    "token_env",
    "allow_clear_text_token",
    "server_command",
    "config_home",
    "stats",
    "trace",
    "latency",
    "window",
];
/// Options of results with rows and diagnostics, without effect on a script.
const OF_RESULTS: [&str; 4] = ["format", "json", "check", "verbose"];

const AFTER_HELP: &str = "\
Results go to standard output, everything else to standard error.

Exit codes:
    0  fine
    1  something was cut, invalid or unreadable (only with --check, and of `check`)
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
    /// Everything an agent starts with on one page: its sources, their size, and what was lost
    Show(ShowArguments),
    /// What agents lose anywhere in a repository, for continuous integration; exits with 1 on a loss
    Check(CheckArguments),
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
    /// The context of sessions for hosts in any language: JSON-RPC on standard input and output
    Host(HostArguments),
    /// A completion script for a shell
    Completions(CompletionsArguments),
}

impl Question {
    /// Its name, as it is typed.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Show(_) => "show",
            Self::Check(_) => "check",
            Self::Instructions(_) => "instructions",
            Self::Skills(_) => "skills",
            Self::Plugins(_) => "plugins",
            Self::Root(_) => "root",
            Self::Config(_) => "config",
            Self::Uri(_) => "uri",
            Self::Host(_) => "host",
            Self::Completions(_) => "completions",
        }
    }

    /// The options that every such command takes.
    pub(crate) fn common(&self) -> &CommonOptions {
        match self {
            Self::Show(arguments) => &arguments.common,
            Self::Check(arguments) => &arguments.common,
            Self::Instructions(arguments) => &arguments.common,
            Self::Skills(arguments) => arguments.common(),
            Self::Plugins(arguments) => &arguments.common,
            Self::Root(arguments) => &arguments.common,
            Self::Config(arguments) => &arguments.common,
            Self::Uri(arguments) => &arguments.common,
            Self::Host(arguments) => &arguments.common,
            Self::Completions(arguments) => &arguments.common,
        }
    }
}

impl Arguments {
    /// What was typed.
    ///
    /// # Errors
    /// Help that is asked for, and what is wrong.
    pub(crate) fn parsed() -> Result<Self, Error> {
        let mut command = Self::described();
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches(&matches).map_err(|said| said.format(&mut command))
    }

    /// The commands, with the options in the help of each that have an effect there.
    pub(crate) fn described() -> clap::Command {
        let without = |command: clap::Command, unused: &[&[&str]]| {
            let unused = unused.concat();
            command.mut_args(|option| {
                let is_unused = unused.contains(&option.get_id().as_str());
                let is_hidden = option.is_hide_set() || is_unused;
                option.hide(is_hidden)
            })
        };
        Self::command()
            .mut_subcommands(without_reports)
            .mut_subcommand("plugins", |it| without(it, &[&OF_SESSIONS]))
            .mut_subcommand("skills", |it| {
                it.mut_subcommand("validate", |it| without(it, &[&OF_SESSIONS]))
            })
            .mut_subcommand("uri", |it| without(it, &[&OF_SESSIONS, &OF_CALLS]))
            .mut_subcommand("host", |it| without(it, &[&["directories"], &OF_RESULTS]))
            .mut_subcommand("completions", |it| {
                without(it, &[&OF_SESSIONS, &OF_CALLS, &OF_RESULTS, &["color"]])
            })
    }
}

/// The command without the formats that only `check` has.
fn without_reports(command: clap::Command) -> clap::Command {
    if command.get_name() == "check" {
        return command;
    }
    let command = command.mut_subcommands(without_reports);
    command.mut_args(|option| {
        if option.get_id().as_str() != "format" {
            return option;
        }
        let formats = Format::value_variants().iter();
        let formats = formats.filter(|it| !matches!(it, Format::Sarif | Format::Github));
        let formats = formats.filter_map(Format::to_possible_value);
        let parser = PossibleValuesParser::new(formats.collect::<Vec<_>>());
        option.value_parser(parser.try_map(|name| Format::from_str(&name, false)))
    })
}

/// Shows what clap has to say, and gives the exit code that belongs to it.
pub(crate) fn show_error(said: Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(said.exit_code()).unwrap_or(u8::MAX));
    // Nothing is left to do if it cannot be shown.
    let _ = harmless(said).print();
    code
}

/// The same with every argument escaped. The tip that shows how to write an odd one is left out.
fn harmless(mut said: Error) -> Error {
    let odd = said.context().filter_map(|(kind, value)| {
        let shown = shown(value)?;
        (shown != *value).then_some((kind, shown))
    });
    let odd: Vec<(ContextKind, ContextValue)> = odd.collect();
    if !odd.is_empty() {
        said.remove(ContextKind::Suggested);
    }
    for (kind, value) in odd {
        said.insert(kind, value);
    }
    said
}

/// What was typed, escaped; `None` for what clap has put together itself.
fn shown(value: &ContextValue) -> Option<ContextValue> {
    let escaped = |text: &String| escaped(text).into_owned();
    match value {
        ContextValue::String(text) => Some(ContextValue::String(escaped(text))),
        ContextValue::Strings(texts) => {
            Some(ContextValue::Strings(texts.iter().map(escaped).collect()))
        }
        _ => None,
    }
}
