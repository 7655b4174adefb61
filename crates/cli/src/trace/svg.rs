//! A waterfall as a self-contained SVG picture: no script, no font, no link.
//!
//! One bar per call, grouped by environment and phase, coloured by phase, filled by how the call
//! ended; a legend with counts. Every bar has a row and a label, unless there are so many that
//! nobody would read them. Readable on light and dark backgrounds. Hovering over a bar tells the
//! whole call. Text is escaped for XML after it was made visible.

use std::fmt::Write as _;
use std::time::Duration;

use codex_file_system::error::kind_name;
use codex_file_system::wrap::CallEnd;

use super::axis::{self, Lanes};
use super::{Outcome, Trace, method, words};
use crate::cost::recording::Call;
use crate::output::escape::escaped;
use crate::output::text::{Keep, counted, cut, grouped, width};

const STYLE: &str = include_str!("svg.css");
const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 28.0;
/// Where the bars begin that have labels.
const LABELLED_LEFT: f64 = 430.0;
/// Room for a call's time, at the right edge.
const TIME_WIDTH: f64 = 84.0;
/// Where paths begin, and how many characters of them there is room for.
const PATH_LEFT: f64 = MARGIN + 122.0;
const PATH_CHARACTERS: usize = 40;
const ROW: f64 = 20.0;
/// Of traces with more calls than are labelled.
const DENSE_ROW: f64 = 5.0;
const MOST_LABELLED: usize = 200;
const TICKS: u32 = 8;
/// Colours of phases; the next phase begins again.
const COLORS: usize = 8;

/// Where things are drawn.
struct Page<'a> {
    trace: &'a Trace,
    end: Duration,
    row: f64,
    is_labelled: bool,
    /// Where time begins and ends.
    axis: (f64, f64),
    /// The vertical middle of each call's row, by index.
    middles: Vec<f64>,
    drawn: String,
    below: f64,
}

/// The trace as one SVG document.
pub(crate) fn document(trace: &Trace) -> String {
    let is_labelled = trace.calls.len() <= MOST_LABELLED;
    let edge = WIDTH - MARGIN;
    let mut page = Page {
        trace,
        end: trace.end(),
        row: if is_labelled { ROW } else { DENSE_ROW },
        is_labelled,
        axis: if is_labelled {
            (LABELLED_LEFT, edge - TIME_WIDTH)
        } else {
            (MARGIN, edge)
        },
        middles: vec![0.0; trace.calls.len()],
        drawn: String::new(),
        below: MARGIN,
    };
    page.head();
    page.below = draw_legend(trace, &mut page.drawn, page.below);
    let axis_top = page.below + 26.0;
    page.below = axis_top;
    page.rows();
    let grid = page.grid(axis_top);
    let arrows = page.arrows();
    let height = page.below + MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\">\n\
         <title>{}</title>\n<desc>{}</desc>\n<style>\n{STYLE}</style>\n\
         <rect class=\"page\" width=\"100%\" height=\"100%\"/>\n{}{grid}{}{arrows}</svg>\n",
        xml(&trace.title),
        xml(&trace.totals()),
        page.bands(axis_top),
        page.drawn,
    )
}

impl Page<'_> {
    fn head(&mut self) {
        let totals = format!(
            "{} · {}",
            self.trace.totals().replace(", ", " · "),
            axis::shown(self.end)
        );
        let (title, totals) = (xml(&self.trace.title), xml(&totals));
        let (title_at, totals_at) = (self.below + 14.0, self.below + 36.0);
        self.add(format_args!(
            "<text class=\"title\" x=\"{MARGIN}\" y=\"{title_at}\">{title}</text>"
        ));
        self.add(format_args!(
            "<text class=\"prose muted\" x=\"{MARGIN}\" y=\"{totals_at}\">{totals}</text>"
        ));
        self.below += 48.0;
    }

    fn rows(&mut self) {
        let trace = self.trace;
        let (names, environments) = (trace.phase_names(), trace.environments());
        for environment in &environments {
            if environments.len() > 1 {
                let at = self.below + 17.0;
                let name = xml(environment);
                self.add(format_args!(
                    "<text class=\"head\" x=\"{MARGIN}\" y=\"{at}\">{name}</text>"
                ));
                self.below += 26.0;
            }
            for phase in trace
                .phases()
                .iter()
                .filter(|phase| phase.environment == *environment)
            {
                let color = names
                    .iter()
                    .position(|name| *name == phase.name)
                    .unwrap_or(0)
                    % COLORS;
                let calls = trace.calls.iter().enumerate();
                let calls = calls.filter(|(_, call)| phase.holds(call));
                let (top, mut lanes) = (self.below, Lanes::default());
                for (number, (index, call)) in calls.enumerate() {
                    // A label takes a row; bars without one share rows with those before them.
                    let row = if self.is_labelled {
                        number
                    } else {
                        lanes.take(call)
                    };
                    self.call(index, call, color, top + row as f64 * self.row);
                }
            }
        }
    }

    /// One call, in the row that begins at `row_top`.
    fn call(&mut self, index: usize, call: &Call, color: usize, row_top: f64) {
        let middle = row_top + self.row / 2.0;
        let baseline = middle + 4.0;
        if let Some(slot) = self.middles.get_mut(index) {
            *slot = middle;
        }
        let time = axis::shown(call.stop.saturating_sub(call.start));
        let (left, right) = (self.x(call.start), self.x(call.stop));
        let wide = (right - left).max(1.5);
        let tall = (self.row - 7.0).max(3.0);
        let top = middle - tall / 2.0;
        let outcome = match Outcome::of(call) {
            Outcome::Answered => "",
            other => other.word(),
        };
        let about = xml(&about(call, &time));
        if self.is_labelled {
            let path = call.path.inferred_native_path_string();
            let path = xml(&cut(&escaped(&path), PATH_CHARACTERS, Keep::End));
            let method = method(call.kind);
            self.add(format_args!(
                "<text class=\"muted\" x=\"{MARGIN}\" y=\"{baseline}\">{method}</text>"
            ));
            self.add(format_args!(
                "<text x=\"{PATH_LEFT}\" y=\"{baseline}\">{path}</text>"
            ));
            let edge = WIDTH - MARGIN;
            self.add(format_args!("<text class=\"muted\" text-anchor=\"end\" x=\"{edge}\" y=\"{baseline}\">{time}</text>"));
        }
        self.add(format_args!(
            "<rect class=\"p{color} {outcome}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" \
             height=\"{tall:.1}\" rx=\"2\"><title>{about}</title></rect>"
        ));
        self.below = self.below.max(row_top + self.row);
    }

    /// Every other row on a darker ground, where rows are high enough to be read across.
    fn bands(&self, top: f64) -> String {
        let mut bands = String::new();
        if self.is_labelled {
            let (left, wide, tall) = (MARGIN - 8.0, WIDTH - 2.0 * MARGIN + 16.0, self.row);
            let mut middles = self.middles.clone();
            middles.sort_by(f64::total_cmp);
            for middle in middles.iter().step_by(2) {
                let at = (middle - tall / 2.0).max(top);
                let _ = writeln!(
                    bands,
                    "<rect class=\"band\" x=\"{left}\" y=\"{at}\" width=\"{wide}\" height=\"{tall}\"/>"
                );
            }
        }
        bands
    }

    fn grid(&self, top: f64) -> String {
        let mut grid = String::new();
        let (bottom, label_at) = (self.below, top - 8.0);
        for tick in axis::ticks(self.end, TICKS) {
            let (x, label) = (self.x(tick), axis::shown(tick));
            let _ = writeln!(
                grid,
                "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{top}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>\n\
                 <text class=\"muted\" text-anchor=\"middle\" x=\"{x:.1}\" y=\"{label_at}\">{label}</text>"
            );
        }
        grid
    }

    /// From the answer that came last before a phase to the phase's first call.
    fn arrows(&self) -> String {
        let mut arrows = String::new();
        for phase in self.trace.phases() {
            let Some(from) = phase.after else { continue };
            let ends = (
                self.trace.calls.get(from),
                self.trace.calls.get(phase.first),
            );
            let middles = (self.middles.get(from), self.middles.get(phase.first));
            if let ((Some(before), Some(first)), (Some(from), Some(to))) = (ends, middles) {
                let (left, right) = (
                    self.x(before.stop).max(self.x(before.start) + 1.5),
                    self.x(first.start),
                );
                let bend = if to > from { 1.0 } else { -1.0 };
                let near = to - bend * (self.row / 2.0 - 1.0);
                let _ = writeln!(
                    arrows,
                    "<path class=\"arrow\" d=\"M{left:.1} {from:.1} C{:.1} {from:.1} {:.1} {:.1} {:.1} {near:.1}\"/>\n\
                     <circle class=\"tip\" cx=\"{:.1}\" cy=\"{near:.1}\" r=\"2\"/>",
                    left + 14.0,
                    right + 4.0,
                    from + bend * 6.0,
                    right + 4.0,
                    right + 4.0,
                );
            }
        }
        arrows
    }

    fn x(&self, moment: Duration) -> f64 {
        let (left, right) = self.axis;
        left + axis::share(moment, self.end) * (right - left)
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.drawn, "{element}");
    }
}

/// The whole call in words.
fn about(call: &Call, time: &str) -> String {
    let path = call.path.inferred_native_path_string();
    let end = match call.end {
        CallEnd::Answered { bytes: 0 } => "answered".to_owned(),
        CallEnd::Answered { bytes } => format!("answered, {}", counted(bytes, "byte")),
        CallEnd::Failed(kind) => format!("failed: {}", kind_name(kind)),
        CallEnd::Dropped => "dropped before its answer".to_owned(),
    };
    format!(
        "{} {path}\n{}, environment {}\nfrom {}, {time}; {end}",
        method(call.kind),
        words(call.phase),
        call.environment,
        axis::shown(call.start),
    )
}

/// `text` as XML content or attribute; characters that XML has no place for are shown as escapes.
fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            safe.push('\n');
        }
        for character in escaped(line).chars() {
            match character {
                '&' => safe.push_str("&amp;"),
                '<' => safe.push_str("&lt;"),
                '>' => safe.push_str("&gt;"),
                '"' => safe.push_str("&quot;"),
                '\'' => safe.push_str("&apos;"),
                '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
                _ => safe.push(character),
            }
        }
    }
    safe
}

const LINE: f64 = 20.0;
/// The usual width of a character of the legend's font.
const CHARACTER: f64 = 6.2;
const SWATCH: f64 = 18.0;
const GAP: f64 = 20.0;

/// Draws the legend below `top` and gives where it ends.
fn draw_legend(trace: &Trace, drawn: &mut String, top: f64) -> f64 {
    let phases = trace
        .phase_names()
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            let calls = trace.calls.iter().filter(|call| call.phase == name).count();
            (format!("p{}", index % COLORS), words(name), calls)
        });
    let bottom = legend_line(phases, drawn, top);
    let outcomes = Outcome::ALL.into_iter().filter_map(|outcome| {
        let calls = trace
            .calls
            .iter()
            .filter(|call| Outcome::of(call) == outcome);
        let class = match outcome {
            Outcome::Answered => "plain",
            Outcome::Absent => "plain absent",
            Outcome::Failed => "failed",
            Outcome::Dropped => "plain dropped",
        };
        let count = calls.count();
        (count > 0).then(|| (class.to_owned(), outcome.word().to_owned(), count))
    });
    legend_line(outcomes, drawn, bottom)
}

/// One line of entries, or several where they do not fit.
fn legend_line(
    entries: impl Iterator<Item = (String, String, usize)>,
    drawn: &mut String,
    top: f64,
) -> f64 {
    let (mut left, mut below) = (MARGIN, top);
    let mut bottom = top;
    for (class, name, count) in entries {
        let count = grouped(count as u64);
        let wide = SWATCH + CHARACTER * (width(&name) + 1 + width(&count)) as f64;
        if left + wide > WIDTH - MARGIN && left > MARGIN {
            (left, below) = (MARGIN, below + LINE);
        }
        let (swatch_at, text_left, baseline) = (below + 4.5, left + SWATCH, below + 14.0);
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            drawn,
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{swatch_at}\" width=\"12\" height=\"11\" rx=\"2\"/>\n\
             <text class=\"prose\" x=\"{text_left:.1}\" y=\"{baseline}\">{} <tspan class=\"muted\">{count}</tspan></text>",
            xml(&name),
        );
        left += wide + GAP;
        bottom = below + LINE;
    }
    bottom
}
