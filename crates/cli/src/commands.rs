//! One file per command, its arguments included: a few calls into the libraries, then rendering.

use crate::arguments::Question;
use crate::exit::Failure;
use crate::run::{CommandContext, CommandOutput};

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod host;
pub(crate) mod instructions;
pub(crate) mod plugins;
pub(crate) mod root;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod skills;
pub(crate) mod uri;

/// Does what is asked.
///
/// # Errors
/// When there is no result.
pub(crate) fn run(question: &Question, context: &CommandContext) -> Result<CommandOutput, Failure> {
    match question {
        Question::Show(arguments) => show::run(arguments, context),
        Question::Check(arguments) => check::run(arguments, context),
        Question::Instructions(arguments) => instructions::run(arguments, context),
        Question::Skills(arguments) => skills::run(arguments, context),
        Question::Plugins(arguments) => plugins::run(arguments, context),
        Question::Root(arguments) => root::run(arguments, context),
        Question::Config(arguments) => config::run(arguments, context),
        Question::Uri(arguments) => uri::run(arguments, context),
        Question::Host(arguments) => host::run(arguments, context),
        Question::Completions(arguments) => completions::run(arguments),
    }
}
