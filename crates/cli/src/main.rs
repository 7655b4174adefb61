//! `codex-context`: see what a coding agent is given in a directory, and why.
//!
//! The host application in miniature. A run reads its [arguments](args) and the facts of the
//! [host], binds the [environments], lets one [command](commands) ask the libraries, and shows the
//! [rendered](render) answer: results on standard output, everything else on standard error.
//!
//! ```text
//! args, host -> environments -> session -> commands -> render -> main -> exit
//!                  ^ cost: counts, round trips, latency
//! ```
//!
//! [`session`] is one session start, the part worth copying into a host. No logic that a host
//! would need lives here: rules are in the libraries, this crate calls and shows.

mod args;
mod commands;
mod cost;
mod environments;
mod exit;
mod gate;
mod git_root;
mod host;
mod interrupt;
mod progress;
mod recording;
mod render;
mod runtime;
mod session;
mod settings;
mod subscriber;
mod trace;
mod usage;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{
    Arguments, ColorWhen, Command, CostOptions, OutputOptions, Question, ServeArguments,
};
use crate::commands::{Answer, Run};
use crate::cost::Meter;
use crate::exit::Failure;
use crate::host::Display;
use crate::render::finding::Finding;
use crate::render::text::Painter;
use crate::render::trace::Trace;
use crate::trace::TraceTarget;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(said) => return usage::show(said),
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
    let run = Run { display, meter };

    let ended = answer(question, &run).and_then(|answer| show(&answer, &common.output, &run));
    end(question.name(), &common.cost, &run.meter, ended, painter)
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

fn answer(question: &Question, run: &Run) -> Result<Answer, Failure> {
    match question {
        Question::Instructions(arguments) => commands::instructions::run(arguments, run),
        Question::Skills(arguments) => commands::skills::run(arguments, run),
        Question::Plugins(arguments) => commands::plugins::run(arguments, run),
        Question::Root(arguments) => commands::root::run(arguments, run),
        Question::Config(arguments) => commands::config::run(arguments, run),
        Question::Uri(arguments) => commands::uri::run(arguments, run),
        Question::Completions(arguments) => commands::completions::run(arguments),
    }
}

/// The result to standard output, then the findings to standard error.
fn show(answer: &Answer, output: &OutputOptions, run: &Run) -> Result<ExitCode, Failure> {
    print(&answer.output)?;
    if run.display.stdout_is_terminal && !answer.output.is_empty() && !answer.output.ends_with('\n')
    {
        // The result is exact, so what comes after it on a terminal begins its own line.
        tell("\n");
    }
    let findings = answer.findings.iter();
    let told = findings.filter(|finding| finding.is_told() || output.verbose > 0);
    tell(
        &told
            .map(|finding| finding.shown(run.display.stderr))
            .collect::<String>(),
    );
    let has_findings = answer.findings.iter().any(Finding::is_serious);
    Ok(ExitCode::from(if output.check && has_findings {
        exit::FINDINGS
    } else {
        exit::FINE
    }))
}

fn print(result: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(result.as_bytes())
        .and_then(|()| stdout.flush())
    {
        // Who stops reading has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let what = "cannot write the result to standard output";
            Err(Failure::new(what, "make room for it or send it elsewhere").caused_by(error))
        }
        _ => Ok(()),
    }
}

/// Text to standard error; who closed it does not want to know.
fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
