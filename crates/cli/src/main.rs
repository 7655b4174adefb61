//! `codex-context`: see what a coding agent is given in a directory, and why.
//!
//! The host application in miniature. A run reads its [arguments] and the facts of the [host],
//! binds the [environments], lets one [command](commands) ask the libraries, and shows the
//! [output]: results on standard output, everything else on standard error.
//!
//! ```text
//! arguments, host -> environments -> run -> commands -> output -> exit
//!                       ^ cost: counts, round trips, latency
//! ```
//!
//! A session start is one call of `codex_context::load`. No logic that a host would need lives here:
//! rules are in the libraries, this crate calls and shows.

mod arguments;
mod commands;
mod cost;
mod environments;
mod exit;
mod host;
mod options;
mod output;
mod run;
mod runtime;
mod subscriber;
mod trace;

use std::io;
use std::process::ExitCode;

use crate::arguments::{Arguments, Command, Question};
use crate::commands::serve::arguments::ServeArguments;
use crate::cost::Meter;
use crate::exit::Failure;
use crate::host::Display;
use crate::options::{ColorWhen, CostOptions};
use crate::output::text::Painter;
use crate::run::{CommandContext, show, tell};
use crate::trace::{Trace, TraceTarget};

fn main() -> ExitCode {
    let arguments = match Arguments::parsed() {
        Ok(arguments) => arguments,
        Err(said) => return arguments::show_error(said),
    };
    match arguments.command {
        Command::Ask(question) => ask(&question),
        Command::Serve(arguments) => serve(&arguments),
    }
}

/// Runs a command that asks something, and shows what it is told.
fn ask(question: &Question) -> ExitCode {
    let common = question.common();
    if !common.environments.is_remote() {
        // Without the handler an interrupt ends the process too, by the signal itself.
        let _ = exit::at_interrupt();
    }
    let display = Display::new(&common.output);
    let painter = display.stderr;
    subscriber::install(common.output.verbose, common.cost.trace.as_ref(), painter);
    if let Err(failure) = reserve(&common.cost) {
        return report(&failure, painter);
    }
    let meter = match Meter::new(&common.cost, &common.environments) {
        Ok(meter) => meter,
        Err(failure) => return report(&failure, painter),
    };
    let context = CommandContext { display, meter };

    let ended = commands::run(question, &context);
    let mut options = common.clone();
    // Such a command has no other purpose.
    options.output.check |= matches!(question, Question::Check(_));
    let ended = ended.and_then(|output| show(&output, &options, &context.display));
    end(
        question.name(),
        &common.cost,
        &context.meter,
        ended,
        painter,
    )
}

fn serve(arguments: &ServeArguments) -> ExitCode {
    let painter = host::painter(ColorWhen::Auto, &io::stderr());
    let log = match subscriber::install_for_server(arguments.verbose, painter) {
        Ok(log) => log,
        Err(error) => {
            let failure = Failure::new("cannot start a server", runtime::ADVICE);
            return report(&failure.caused_by(error), painter);
        }
    };
    if let Err(failure) = reserve(&arguments.cost) {
        return report(&failure, painter);
    }
    let meter = Meter::of_server(&arguments.cost);
    let ended = commands::serve::run(arguments, &meter);
    log.flush();
    end("serve", &arguments.cost, &meter, ended, painter)
}

/// Makes sure that there is a place for the trace before anything is done that it would show.
fn reserve(options: &CostOptions) -> Result<(), Failure> {
    options.trace.as_ref().map_or(Ok(()), TraceTarget::reserve)
}

/// Tells what the calls cost, draws them, and tells why there is no result if there is none.
fn end(
    name: &str,
    options: &CostOptions,
    meter: &Meter,
    ended: Result<ExitCode, Failure>,
    painter: Painter,
) -> ExitCode {
    if options.stats {
        tell(&meter.stats());
    }
    let traced = draw(name, options, meter, painter);
    let code = ended.unwrap_or_else(|failure| report(&failure, painter));
    match traced.map_err(|failure| report(&failure, painter)) {
        // A picture that cannot be drawn must not hide why there is no result.
        Err(untraced) if code == ExitCode::SUCCESS => untraced,
        _ => code,
    }
}

/// Tells why there is no result.
fn report(failure: &Failure, painter: Painter) -> ExitCode {
    tell(&failure.report(painter));
    failure.code()
}

/// Draws the calls of the run, where a trace is asked for.
fn draw(name: &str, options: &CostOptions, meter: &Meter, painter: Painter) -> Result<(), Failure> {
    let Some(target) = &options.trace else {
        return Ok(());
    };
    let title = format!("codex-context {name}");
    let trace = Trace::new(title, meter.recorded());
    tell(&target.deliver(&trace, host::terminal_width(), painter)?);
    Ok(())
}
