//! What a person may type about the machines whose files are meant.

use clap::{ArgAction, Args};

use crate::environments::choice::{DirectoryChoice, EnvironmentChoice};

/// Where the files are.
#[derive(Debug, Args)]
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
    /// What an ssh: target runs over there, before --listen stdio
    #[arg(long, value_name = "COMMAND", default_value = "codex-context serve")]
    pub(crate) server_command: String,
}

impl EnvironmentOptions {
    /// Whether all files are on this machine, and `--cwd` wins over another start directory there.
    pub(crate) fn is_overridden_here(&self) -> bool {
        !self.is_remote() && !self.directories.is_empty()
    }

    /// Whether a machine other than this one may have to be asked.
    pub(crate) fn is_remote(&self) -> bool {
        self.chosen.iter().any(|choice| !choice.target.is_local())
    }
}
