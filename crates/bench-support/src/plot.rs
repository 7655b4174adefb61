//! Pictures of measurements as self-contained SVG, legible on light and on dark pages.
//!
//! A [`Picture`] is one or more [`Panel`]s side by side, with a legend of the series of all of
//! them. The same picture gives the same text; nothing is measured or written here.

mod axis;
mod canvas;
mod frame;
mod number;
mod panel;

pub use axis::Axis;
pub use panel::Panel;

use canvas::{Anchor, Canvas};
use frame::Frame;

const WIDTH: f64 = 880.0;
const HEIGHT: f64 = 440.0;
const MARGIN: f64 = 24.0;
/// Where the legend begins and the panels do.
const LEGEND: f64 = 72.0;
const PANELS: f64 = 96.0;

/// A picture: a title, a sentence below it, a legend and panels.
///
/// # Examples
/// ```
/// use codex_bench_support::plot::{Axis, Panel, Picture};
///
/// let panel = Panel::lines(Axis::linear("round-trip time, ms"), Axis::linear("time, ms"))
///     .with_series("here", [(0.0, 3.0), (50.0, 203.0)])
///     .with_series("elsewhere", [(0.0, 10.0), (50.0, 910.0)]);
/// let svg = Picture::new("Time against distance", "One tree, medians of five").with_panel(panel).to_svg();
/// assert!(svg.starts_with("<svg ") && svg.contains(">elsewhere</text>"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    title: String,
    subtitle: String,
    panels: Vec<Panel>,
}

impl Picture {
    /// A picture without panels.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            subtitle: subtitle.into(),
            panels: Vec::new(),
        }
    }

    /// Adds a panel to the right of those that are there.
    #[must_use]
    pub fn with_panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The picture as one SVG element.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, &self.title, &self.subtitle);
        canvas.text("title", Anchor::Start, (MARGIN, 34.0), &self.title);
        canvas.text("prose muted", Anchor::Start, (MARGIN, 54.0), &self.subtitle);
        let names = self.series();
        legend(&mut canvas, &names);
        let width = (WIDTH - 2.0 * MARGIN) / self.panels.len().max(1) as f64;
        for (number, panel) in self.panels.iter().enumerate() {
            let frame = Frame {
                left: MARGIN + width * number as f64,
                top: PANELS,
                right: MARGIN + width * (number + 1) as f64,
                bottom: HEIGHT - MARGIN,
            };
            panel.draw(&mut canvas, frame, &names);
        }
        canvas.finish()
    }

    /// The names of all series, each once; their order decides the colours.
    fn series(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for name in self.panels.iter().flat_map(Panel::series_names) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// One line of swatches and names.
fn legend(canvas: &mut Canvas, names: &[&str]) {
    /// The usual width of a character of the legend's font, in pixels.
    const CHARACTER: f64 = 6.4;
    let mut left = MARGIN;
    for (color, name) in names.iter().enumerate() {
        canvas.swatch(color, (left, LEGEND));
        canvas.text("prose", Anchor::Start, (left + 18.0, LEGEND + 10.0), name);
        left += 18.0 + CHARACTER * name.chars().count() as f64 + 22.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_of_two_panels_stands_in_the_legend_once() {
        let panel = |name: &str| {
            Panel::lines(Axis::linear("x"), Axis::linear("y")).with_series(name, [(1.0, 2.0)])
        };
        let picture = Picture::new("t", "s")
            .with_panel(panel("both"))
            .with_panel(panel("both").with_series("one", [(3.0, 4.0)]));
        assert_eq!(picture.series(), ["both", "one"]);
        assert_eq!(picture.to_svg().matches(">both</text>").count(), 1);
    }

    #[test]
    fn text_is_escaped() {
        let svg = Picture::new("a < b & \"c\"", "").to_svg();
        assert!(
            svg.contains(">a &lt; b &amp; &quot;c&quot;</text>"),
            "{svg}"
        );
    }
}
