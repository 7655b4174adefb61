//! The legend: a swatch, a name and a count for every phase and for every way to end.

use std::fmt::Write as _;

use super::{COLORS, MARGIN, Outcome, Trace, WIDTH, words, xml};
use crate::render::text::{grouped, width};

const LINE: f64 = 20.0;
/// The usual width of a character of the legend's font.
const CHARACTER: f64 = 6.2;
const SWATCH: f64 = 18.0;
const GAP: f64 = 20.0;

/// Draws the legend below `top` and gives where it ends.
pub(super) fn draw(trace: &Trace, drawn: &mut String, top: f64) -> f64 {
    let phases = trace
        .phase_names()
        .into_iter()
        .enumerate()
        .map(|(index, name)| {
            let calls = trace.calls.iter().filter(|call| call.phase == name).count();
            (format!("p{}", index % COLORS), words(name), calls)
        });
    let bottom = line(phases, drawn, top);
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
    line(outcomes, drawn, bottom)
}

/// One line of entries, or several where they do not fit.
fn line(
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
