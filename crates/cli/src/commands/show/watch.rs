//! `show --watch`: the page, then what changed since, each time that it is asked for.
//!
//! A refresh that fails is told and the last context stays, since a file may be half written. The input
//! is read on a thread of its own, so that connections to other machines are kept alive meanwhile.

use std::io;
use std::thread;
use std::time::Duration;

use codex_context::Context;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::{ShowArguments, page};
use crate::exit::Failure;
use crate::options::Format;
use crate::output::diagnostic::Diagnostic;
use crate::output::escape::escaped;
use crate::output::text::counted;
use crate::run::{self, CommandContext, CommandOutput, tell};
use crate::runtime;

/// What ends the wait between two loads.
enum Signal {
    Refresh,
    End,
}

/// Shows the page and what changes, until the input ends.
///
/// # Errors
/// When this machine has no thread left, the result cannot be written, or a signal ends the run.
pub(super) fn run(
    arguments: &ShowArguments,
    context: &CommandContext,
    loaded: Context,
    diagnostics: Vec<Diagnostic>,
) -> Result<CommandOutput, Failure> {
    let mut display = context.display;
    display.format = Format::Table;
    let first = CommandOutput {
        output: page(&loaded, &diagnostics, context),
        diagnostics,
    };
    run::show(&first, &arguments.common, &display)?;

    let mut signals = listen(arguments.interval)
        .map_err(|error| Failure::new("cannot wait for input", runtime::ADVICE).caused_by(error))?;
    let mut current = loaded;
    while let Some(Signal::Refresh) = context.meter.run(signals.recv())? {
        let (before, _) = context.meter.calls_so_far();
        match context.load(current.refresh())? {
            Ok((next, changes)) => {
                let (after, _) = context.meter.calls_so_far();
                let mut lines = changes
                    .iter()
                    .map(|it| format!("{}\n", escaped(&it.to_string())));
                let cost = counted(after - before, "call");
                run::print(&match changes.is_empty() {
                    true => format!("nothing changed, {cost}\n"),
                    false => lines.by_ref().collect::<String>() + &format!("{cost}\n"),
                })?;
                current = next;
            }
            Err(error) => tell(&Failure::from(error).report(display.stderr)),
        }
    }
    Ok(CommandOutput {
        output: String::new(),
        diagnostics: Vec::new(),
    })
}

/// Signals from the lines of the input and, where there is an interval, from the clock.
fn listen(interval: Option<Duration>) -> io::Result<Receiver<Signal>> {
    let (sender, receiver) = mpsc::channel(1);
    let clock = sender.clone();
    thread::Builder::new().spawn(move || read_lines(&sender))?;
    if let Some(interval) = interval {
        let tick = move || {
            while !clock.is_closed() {
                thread::sleep(interval);
                // A refresh that is asked for already serves this turn, too.
                let _ = clock.try_send(Signal::Refresh);
            }
        };
        thread::Builder::new().spawn(tick)?;
    }
    Ok(receiver)
}

fn read_lines(sender: &Sender<Signal>) {
    let mut line = String::new();
    loop {
        line.clear();
        let signal = match io::stdin().read_line(&mut line) {
            Ok(bytes) if bytes > 0 => Signal::Refresh,
            _ => Signal::End,
        };
        let is_end = matches!(signal, Signal::End);
        if sender.blocking_send(signal).is_err() || is_end {
            return;
        }
    }
}
