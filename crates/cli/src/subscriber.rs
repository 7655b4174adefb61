//! What becomes of the tracing spans and events of the libraries.
//!
//! They are shown on standard error where a person asks for them with `-v`. A trace of the calls
//! needs only the spans, whose names are its phases. Without either there is no subscriber, and
//! spans cost next to nothing.

use std::io;

use tracing::Metadata;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::fmt::time::uptime;
use tracing_subscriber::prelude::*;

use crate::commands::serve::log::LossyLog;
use crate::output::text::Painter;
use crate::trace::TraceTarget;

/// Shows events from the first `-v` on, and every call from the second.
///
/// The loaders' warnings are left out: each is a diagnostic, too, and nothing is told twice.
pub(crate) fn install(verbose: u8, trace: Option<&TraceTarget>, painter: Painter) {
    let most = match verbose {
        0 if trace.is_some() => {
            tracing_subscriber::registry()
                .with(LevelFilter::DEBUG)
                .init();
            return;
        }
        0 => return,
        1 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    show(most, painter, io::stderr, |event| {
        *event.level() > LevelFilter::WARN || is_of_connection(event.target())
    });
}

/// Shows what a server warns of, events from the first `-v` on, and every message from the second.
///
/// # Errors
/// When the host has no thread left for what is said.
pub(crate) fn install_for_server(verbose: u8, painter: Painter) -> io::Result<LossyLog> {
    let most = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let log = LossyLog::start()?;
    show(most, painter, log.clone(), |_| true);
    Ok(log)
}

/// Whether a module talks to another machine. What it warns of is nobody's diagnostic.
fn is_of_connection(module: &str) -> bool {
    module.starts_with("codex_sftp") || module.starts_with("codex_exec_server")
}

fn show(
    most: LevelFilter,
    painter: Painter,
    writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static,
    is_shown: fn(&Metadata<'_>) -> bool,
) {
    // A call is a span, and tells of itself when it ends. A phase has nothing to tell a person.
    let spans = match most {
        LevelFilter::TRACE => FmtSpan::CLOSE,
        _ => FmtSpan::NONE,
    };
    let layer = tracing_subscriber::fmt::layer()
        .with_span_events(spans)
        .with_timer(uptime())
        .with_ansi(painter.colored)
        .with_target(false)
        .with_writer(writer)
        .with_filter(filter_fn(is_shown));
    tracing_subscriber::registry().with(most).with(layer).init();
}
