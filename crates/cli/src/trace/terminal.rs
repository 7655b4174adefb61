//! A waterfall for the terminal: one line per call, a bar on a time axis.
//!
//! Calls stand below their phase. How a call ended is told by the bar's pattern, so colours only
//! help. No line is wider than the terminal.

use std::time::Duration;

use super::{Outcome, Trace, axis, method, words};
use crate::cost::recording::Call;
use crate::output::escape::escaped;
use crate::output::text::{Keep, Painter, Style, counted, cut, grouped, width};

/// Of a terminal that does not say how wide it is.
const USUAL_WIDTH: usize = 100;
const NARROWEST: usize = 40;
const INDENT: usize = 2;
const GAP: usize = 2;
/// Room for a call's time behind its bar.
const TIME_WIDTH: usize = 8;
/// One label of the axis takes about this much room.
const TICK_WIDTH: usize = 12;

/// How the columns share the terminal's width.
#[derive(Clone, Copy)]
struct Columns {
    label: usize,
    bars: usize,
}

/// The trace as lines of at most `available` terminal columns.
pub(crate) fn shown(trace: &Trace, available: Option<usize>, painter: Painter) -> String {
    let available = available.unwrap_or(USUAL_WIDTH).max(NARROWEST);
    let end = trace.end();
    let columns = columns(trace, available);
    let totals = format!("trace: {}, {}", trace.totals(), axis::shown(end));
    let mut lines = vec![cut(&totals, available, Keep::Start)];
    if !trace.calls.is_empty() {
        lines.push(axis_line(end, columns, painter));
    }
    let names_environments = trace.environments().len() > 1;
    for phase in trace.phases() {
        let mut title = words(phase.name);
        if names_environments {
            title = format!("{}: {title}", phase.environment);
        }
        let calls = counted(phase.calls, "call");
        let title = cut(&title, available - width(&calls) - GAP, Keep::Start);
        lines.push(format!(
            "{}  {}",
            painter.paint(Style::Bold, &title),
            painter.paint(Style::Dim, &calls)
        ));
        let calls = trace.calls.iter().filter(|call| phase.holds(call));
        lines.extend(calls.map(|call| call_line(call, end, columns, painter)));
    }
    if !trace.calls.is_empty() {
        let legend = cut(&legend(trace), available, Keep::Start);
        lines.push(painter.paint(Style::Dim, &legend));
    }
    lines.join("\n") + "\n"
}

fn columns(trace: &Trace, available: usize) -> Columns {
    let labels = trace
        .calls
        .iter()
        .map(|call| INDENT + width(&label(call, usize::MAX)));
    let label = labels.max().unwrap_or(0).min(available * 45 / 100);
    Columns {
        label,
        bars: available - label - 2 * GAP - TIME_WIDTH,
    }
}

/// The method and as much of the path as there is room for.
fn label(call: &Call, room: usize) -> String {
    let method = method(call.kind);
    let path = call.path.inferred_native_path_string();
    let room = room.saturating_sub(width(method) + 1);
    format!("{method} {}", cut(&escaped(&path), room, Keep::End))
}

fn call_line(call: &Call, end: Duration, columns: Columns, painter: Painter) -> String {
    let room = columns.label - INDENT;
    let label = cut(&label(call, room), room, Keep::Start);
    let (from, to) = cells(call, end, columns.bars);
    let (glyph, style) = look(Outcome::of(call));
    let bar: String = std::iter::repeat_n(glyph, to - from).collect();
    format!(
        "{:INDENT$}{label}{:pad$}{}{:rest$}{:>TIME_WIDTH$}",
        "",
        "",
        painter.paint(style, &bar),
        "",
        axis::shown(call.stop.saturating_sub(call.start)),
        pad = room - width(&label) + GAP + from,
        rest = columns.bars - to + GAP,
    )
}

/// The first cell of a call's bar and the one behind its last; every bar has at least one.
fn cells(call: &Call, end: Duration, bars: usize) -> (usize, usize) {
    let cell = |moment| cell(moment, end, bars);
    let from = cell(call.start).min(bars - 1);
    (from, cell(call.stop).clamp(from + 1, bars))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share is from 0 to 1, so the cell is one of the bars"
)]
fn cell(moment: Duration, end: Duration, bars: usize) -> usize {
    (axis::share(moment, end) * bars as f64).round() as usize
}

fn axis_line(end: Duration, columns: Columns, painter: Painter) -> String {
    let mut line = String::new();
    let most = u32::try_from(columns.bars / TICK_WIDTH).unwrap_or(1);
    for tick in axis::ticks(end, most) {
        let label = axis::shown(tick);
        // The last label ends where the axis ends.
        let start =
            cell(tick, end, columns.bars).min(columns.bars + GAP + TIME_WIDTH - width(&label));
        if start >= width(&line) + usize::from(!line.is_empty()) {
            line.extend(std::iter::repeat_n(' ', start - width(&line)));
            line.push_str(&label);
        }
    }
    let indent = columns.label + GAP;
    format!("{:indent$}{}", "", painter.paint(Style::Dim, &line))
}

fn legend(trace: &Trace) -> String {
    let counted = Outcome::ALL.map(|outcome| {
        let calls = trace
            .calls
            .iter()
            .filter(|call| Outcome::of(call) == outcome);
        (outcome, calls.count() as u64)
    });
    let shown = counted.into_iter().filter(|(_, count)| *count > 0);
    let parts = shown.map(|(outcome, count)| {
        let (glyph, _) = look(outcome);
        format!("{glyph} {} {}", grouped(count), outcome.word())
    });
    parts.collect::<Vec<_>>().join("  ")
}

fn look(outcome: Outcome) -> (char, Style) {
    match outcome {
        Outcome::Answered => ('█', Style::Good),
        Outcome::Absent => ('▒', Style::Dim),
        Outcome::Failed => ('▓', Style::Bad),
        Outcome::Dropped => ('░', Style::Warn),
    }
}
