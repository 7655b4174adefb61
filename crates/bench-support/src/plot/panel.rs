//! One coordinate system: lines through points, or groups of bars.

use super::Axis;
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

/// A coordinate system with its axes and series.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    content: Content,
    y: Axis,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Lines {
        x: Axis,
        series: Vec<Series<Point>>,
    },
    Bars {
        groups: Vec<String>,
        series: Vec<Series<f64>>,
    },
}

#[derive(Clone, Debug, PartialEq)]
struct Series<T> {
    name: String,
    values: Vec<T>,
}

/// The corners of what a panel may draw in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Panel {
    /// A panel of lines.
    #[must_use]
    pub fn lines(x: Axis, y: Axis) -> Self {
        let series = Vec::new();
        let content = Content::Lines { x, series };
        Self { content, y }
    }

    /// A panel of bars, one of each series in every group.
    pub fn bars<G: Into<String>>(groups: impl IntoIterator<Item = G>, y: Axis) -> Self {
        let groups = groups.into_iter().map(Into::into).collect();
        let series = Vec::new();
        let content = Content::Bars { groups, series };
        Self { content, y }
    }

    /// Adds a series: of points to a panel of lines; to a panel of bars their heights, of which
    /// each `x` is the number of the group, from 0.
    #[must_use]
    pub fn with_series(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let name = name.into();
        let mut points: Vec<Point> = points.into_iter().collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        match &mut self.content {
            Content::Lines { series, .. } => series.push(Series {
                name,
                values: points,
            }),
            Content::Bars { series, .. } => series.push(Series {
                name,
                values: points.into_iter().map(|(_, height)| height).collect(),
            }),
        }
        self
    }

    pub(super) fn series_names(&self) -> Vec<&str> {
        match &self.content {
            Content::Lines { series, .. } => series.iter().map(|it| &*it.name).collect(),
            Content::Bars { series, .. } => series.iter().map(|it| &*it.name).collect(),
        }
    }

    /// Draws the panel; the place of a series in `names` is its colour.
    pub(super) fn draw(&self, canvas: &mut Canvas, room: Frame, names: &[&str]) {
        let color = |name: &str| names.iter().position(|it| *it == name).unwrap_or(0);
        let frame = Frame {
            left: room.left + LEFT,
            top: room.top + TOP,
            right: room.right - RIGHT,
            bottom: room.bottom - BOTTOM,
        };
        let heights = self.y.up_to(self.greatest());
        frame.draw_heights(canvas, &heights);
        let middle = f64::midpoint(frame.top, frame.bottom);
        canvas.upright_text("muted", (room.left + 10.0, middle), &self.y.label);
        match &self.content {
            Content::Lines { x, series } => {
                let across = across(x, series);
                frame.draw_across(canvas, &across);
                frame.name_below(canvas, &x.label);
                let mut labels = Vec::new();
                for Series { name, values } in series {
                    frame.draw_curve(
                        canvas,
                        color(name),
                        values,
                        (&across, &heights),
                        &mut labels,
                    );
                }
            }
            Content::Bars { groups, series } => {
                let colors: Vec<usize> = series.iter().map(|it| color(&it.name)).collect();
                for (number, group) in groups.iter().enumerate() {
                    let bars = series.iter().zip(&colors);
                    let bars =
                        bars.filter_map(|(it, color)| Some((*color, *it.values.get(number)?)));
                    let room = frame.share(number, groups.len());
                    room.draw_group(canvas, group, &bars.collect::<Vec<_>>(), &heights);
                }
            }
        }
        canvas.line(
            "axis",
            (frame.left, frame.bottom),
            (frame.right, frame.bottom),
        );
    }

    fn greatest(&self) -> f64 {
        let heights: Vec<f64> = match &self.content {
            Content::Lines { series, .. } => series
                .iter()
                .flat_map(|it| it.values.iter().map(|(_, y)| *y))
                .collect(),
            Content::Bars { series, .. } => series
                .iter()
                .flat_map(|it| it.values.iter().copied())
                .collect(),
        };
        heights.into_iter().fold(0.0, f64::max)
    }
}

/// Whether figures at two places do not run into each other.
fn is_apart(one: Point, other: Point) -> bool {
    (one.0 - other.0).abs() > 36.0 || (one.1 - other.1).abs() > 11.0
}

/// The part of the horizontal axis that holds all points.
fn across(axis: &Axis, series: &[Series<Point>]) -> Range {
    let places = || {
        series
            .iter()
            .flat_map(|it| it.values.iter().map(|(x, _)| *x))
    };
    let (least, most) = (
        places().fold(f64::MAX, f64::min),
        places().fold(0.0, f64::max),
    );
    axis.between(least, most)
}

impl Frame {
    fn x(&self, share: f64) -> f64 {
        self.left + share * (self.right - self.left)
    }

    fn y(&self, share: f64) -> f64 {
        self.bottom - share * (self.bottom - self.top)
    }

    /// One of several equal parts, side by side.
    fn share(self, number: usize, of: usize) -> Self {
        let part = |number: usize| self.x(number as f64 / of.max(1) as f64);
        Self {
            left: part(number),
            right: part(number + 1),
            ..self
        }
    }

    fn draw_heights(&self, canvas: &mut Canvas, range: &Range) {
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

    fn draw_across(&self, canvas: &mut Canvas, range: &Range) {
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

    fn name_below(&self, canvas: &mut Canvas, label: &str) {
        let middle = f64::midpoint(self.left, self.right);
        canvas.text("muted", Anchor::Middle, (middle, self.bottom + 38.0), label);
    }

    fn draw_curve(
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

    fn draw_group(&self, canvas: &mut Canvas, name: &str, bars: &[(usize, f64)], range: &Range) {
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
