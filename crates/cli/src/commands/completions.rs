//! `completions SHELL`: a script that completes this command's arguments.

use clap::CommandFactory as _;

use super::Answer;
use crate::args::{Arguments, CompletionsArguments};
use crate::exit::Failure;

/// Generates the script; no file is touched.
///
/// # Errors
/// When the generated script is not UTF-8.
pub(crate) fn run(arguments: &CompletionsArguments) -> Result<Answer, Failure> {
    let mut command = Arguments::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    let output = String::from_utf8(script).map_err(|error| {
        Failure::new("cannot write the completion script", "report this as a bug").caused_by(error)
    })?;
    Ok(Answer {
        output,
        findings: Vec::new(),
    })
}
