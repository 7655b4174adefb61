//! One coordinate system: lines through points, or groups of bars.

use super::Axis;
use super::axis::Range;
use super::canvas::{Canvas, Point};
use super::frame::Frame;

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
        let frame = room.inside();
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
