//! The options that commands share: where files are, configuration, output and cost.
//!
//! Parsing checks shapes only (a number in range, a known format). Whether a directory exists or a
//! profile has a file is found out by the commands. Every such option is taken after the command's
//! name; none is inherited, so a `-c` can never be dropped by another one.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser as _, ValueHint};
use clap::{ArgAction, Args, ValueEnum};
use codex_context::{HostSources, ProcessOverrides};
use codex_file_system::Window;

use crate::environments::target::{DirectoryChoice, EnvironmentChoice};
use crate::exit::Failure;
use crate::trace::TraceTarget;

/// Options that mean the same for every command.
#[derive(Clone, Debug, Args)]
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

/// Where the files are.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Environments")]
pub(crate) struct EnvironmentOptions {
    /// Where the files are: local, ws://HOST:PORT, wss://..., ssh:HOST, sftp:HOST, exec:PROGRAM
    /// ARG..., or a NAME of environments.toml; may be repeated where several make sense
    #[arg(long = "env", value_name = "[ID=]TARGET", action = ArgAction::Append)]
    pub(crate) chosen: Vec<EnvironmentChoice>,
    /// The start directory in the environment, absolute or a URI; wins over DIR [default: DIR]
    #[arg(long = "cwd", value_name = "[ID=]PATH", action = ArgAction::Append)]
    pub(crate) directories: Vec<DirectoryChoice>,
    /// The variable that holds the bearer token of ws:// and wss:// targets; wins over the one in
    /// environments.toml and means nothing to other targets
    #[arg(long, value_name = "NAME")]
    pub(crate) token_env: Option<String>,
    /// Send the token to ws:// targets on other machines too, where whoever is on the way can read it
    #[arg(long)]
    pub(crate) allow_clear_text_token: bool,
    /// What an ssh: target runs over there, before --listen stdio
    #[arg(long, value_name = "COMMAND", default_value = "codex-context serve")]
    pub(crate) server_command: String,
}

impl EnvironmentOptions {
    /// Whether all files are on this machine, and `--cwd` wins over another start directory there.
    pub(crate) fn is_overridden_here(&self) -> bool {
        !self.is_remote() && !self.directories.is_empty()
    }

    /// Whether a path alone does not say on which machine it is.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.is_remote() || self.chosen.len() > 1
    }

    /// Whether a machine other than this one may have to be asked.
    pub(crate) fn is_remote(&self) -> bool {
        self.chosen.iter().any(|choice| !choice.target.is_local())
    }
}

/// Directories that a person selects beside the usual ones.
#[derive(Clone, Debug, Args)]
pub(crate) struct CapabilityRootOptions {
    /// Add a capability root, of the environment ID or else of the first one; may be repeated
    #[arg(long = "root", value_name = "[ID=]PATH", value_hint = ValueHint::DirPath)]
    pub(crate) roots: Vec<PathBuf>,
}

/// Where configuration is read from.
#[derive(Clone, Debug, Args)]
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

impl ConfigurationOptions {
    /// Where the files of the user and of the machine are, the usual places filled in.
    ///
    /// # Errors
    /// When a directory that is needed cannot be told.
    pub(crate) fn sources(&self) -> Result<HostSources, Failure> {
        let config_home = self.config_home.clone();
        let overrides = ProcessOverrides {
            config_home: config_home.map(|directory| (directory, "--config-home")),
            system_config: self.system_config.clone(),
            managed_config: self.managed_config.clone(),
            admin_folder: self.admin_folder.clone(),
        };
        Ok(HostSources::from_process_with(&overrides)?)
    }
}

/// How results and diagnostics are shown.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputOptions {
    /// The shape of the result [default: table on a terminal, else tsv]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
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
#[derive(Clone, Debug, Args)]
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
    /// Keep at most N calls in flight, 1 to 256
    #[arg(long, value_name = "N", value_parser = parse_window, allow_negative_numbers = true)]
    pub(crate) window: Option<Window>,
}

impl CostOptions {
    /// Whether calls are looked at, or made differently.
    pub(crate) fn is_any(&self) -> bool {
        let is_changed = self.latency.is_some() || self.window.is_some();
        self.stats || self.trace.is_some() || is_changed
    }
}

/// The shape of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns for people
    Table,
    /// Rows without titles, their cells separated by tabs
    Tsv,
    /// One JSON object
    Json,
    /// One JSON object a line
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
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
        .ok_or_else(|| "not a number from 1 to 256".to_owned())
}

fn parse_latency(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(milliseconds @ 0..=60_000) => Ok(Duration::from_millis(milliseconds)),
        _ => Err("not a number of milliseconds from 0 to 60000".to_owned()),
    }
}
