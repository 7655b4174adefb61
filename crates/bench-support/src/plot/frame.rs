//! Where things are within a panel, and how they are drawn there.

use super::axis::Range;
use super::canvas::{Anchor, Canvas, Point};
use super::number::shown;

/// Room for the figures and the label of an axis.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 44.0;
/// The part of a group's room that its bars fill.
const FILLED: f64 = 0.86;

/// The corners of what a panel may draw in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Frame {
    /// What is left for the content between the axes.
    pub(super) fn inside(self) -> Self {
        Self {
            left: self.left + LEFT,
            top: self.top + TOP,
            right: self.right - RIGHT,
            bottom: self.bottom - BOTTOM,
        }
    }

    fn x(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    fn y(&self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }

    /// One of several equal parts, side by side.
    pub(super) fn share(self, number: usize, of: usize) -> Self {
        let part = |number: usize| self.x(number as f64 / of.max(1) as f64);
        Self {
            left: part(number),
            right: part(number + 1),
            ..self
        }
    }

    pub(super) fn draw_heights(&self, canvas: &mut Canvas, range: &Range) {
        for tick in &range.fine {
            let y = self.y(range.share(*tick));
            canvas.line("fine", (self.left, y), (self.right, y));
        }
        for tick in &range.ticks {
            let y = self.y(range.share(*tick));
            canvas.line("grid", (self.left, y), (self.right, y));
            canvas.text(
                "muted",
                Anchor::End,
                (self.left - 8.0, y + 4.0),
                &shown(*tick),
            );
        }
    }

    pub(super) fn draw_across(&self, canvas: &mut Canvas, range: &Range) {
        for tick in &range.ticks {
            let x = self.x(range.share(*tick));
            canvas.line("axis", (x, self.bottom), (x, self.bottom + 4.0));
            canvas.text(
                "muted",
                Anchor::Middle,
                (x, self.bottom + 18.0),
                &shown(*tick),
            );
        }
    }

    pub(super) fn name_below(&self, canvas: &mut Canvas, label: &str) {
        let middle = f64::midpoint(self.left, self.right);
        canvas.text("muted", Anchor::Middle, (middle, self.bottom + 38.0), label);
    }

    pub(super) fn draw_curve(
        &self,
        canvas: &mut Canvas,
        color: usize,
        values: &[Point],
        (across, heights): (&Range, &Range),
        labels: &mut Vec<Point>,
    ) {
        let at = |(x, y): &Point| (self.x(across.share(*x)), self.y(heights.share(*y)));
        canvas.curve(color, &values.iter().map(at).collect::<Vec<_>>());
        for (number, value) in values.iter().enumerate() {
            let (x, y) = at(value);
            let anchor = match number {
                0 => Anchor::Start,
                _ if number + 1 == values.len() => Anchor::End,
                _ => Anchor::Middle,
            };
            let free = |place: &Point| {
                place.1 < self.bottom - 3.0 && labels.iter().all(|other| is_apart(*place, *other))
            };
            if let Some(place) = [(x, y - 9.0), (x, y + 17.0)]
                .iter()
                .find(|place| free(place))
            {
                canvas.text("value", anchor, *place, &shown(value.1));
                labels.push(*place);
            }
        }
    }

    pub(super) fn draw_group(
        &self,
        canvas: &mut Canvas,
        name: &str,
        bars: &[(usize, f64)],
        range: &Range,
    ) {
        let middle = f64::midpoint(self.left, self.right);
        canvas.text("prose", Anchor::Middle, (middle, self.bottom + 20.0), name);
        let room = Self {
            left: middle - (middle - self.left) * FILLED,
            right: middle + (self.right - middle) * FILLED,
            ..*self
        };
        for (number, (color, height)) in bars.iter().enumerate() {
            let bar = room.share(number, bars.len());
            let top = self.y(range.share(*height));
            canvas.bar(
                *color,
                (bar.left + 1.0, top),
                (bar.right - 1.0, self.bottom),
            );
            let middle = f64::midpoint(bar.left, bar.right);
            canvas.text(
                "value",
                Anchor::Middle,
                (middle, top - 4.0),
                &shown(*height),
            );
        }
    }
}

/// Whether figures at two places do not run into each other.
fn is_apart(one: Point, other: Point) -> bool {
    /// The room of a figure of the usual length, in pixels.
    const WIDE: f64 = 36.0;
    const TALL: f64 = 11.0;
    (one.0 - other.0).abs() > WIDE || (one.1 - other.1).abs() > TALL
}
