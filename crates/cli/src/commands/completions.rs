//! `completions SHELL`: a script that completes this command's arguments.

use clap::Args;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::exit::Failure;
use crate::options::CommonOptions;
use crate::run::CommandOutput;

/// `completions SHELL`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// Generates the script; no file is touched.
///
/// # Errors
/// When the generated script is not UTF-8.
pub(crate) fn run(arguments: &CompletionsArguments) -> Result<CommandOutput, Failure> {
    let mut command = Arguments::described();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    let output = String::from_utf8(script).map_err(|error| {
        Failure::new("cannot write the completion script", "report this as a bug").caused_by(error)
    })?;
    Ok(CommandOutput {
        output,
        diagnostics: Vec::new(),
    })
}
