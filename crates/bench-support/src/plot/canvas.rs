//! The SVG text: a few shapes, each in a class of the style sheet, and escaping.

use std::fmt::{self, Write as _};

const STYLE: &str = include_str!("style.css");
/// How many colours the style sheet has.
const COLORS: usize = 6;

/// Which end of a text a position is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A position in pixels, from the top left.
pub(super) type Point = (f64, f64);

/// A picture that is being drawn.
pub(super) struct Canvas {
    drawn: String,
}

impl Canvas {
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let (title, description) = (escaped(title), escaped(description));
        Self {
            drawn: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
                 viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n\
                 <desc>{description}</desc>\n<style>\n{STYLE}</style>\n\
                 <rect class=\"page\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n"
            ),
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.drawn.push_str("</svg>\n");
        self.drawn
    }

    pub(super) fn text(&mut self, class: &str, anchor: Anchor, (x, y): Point, text: &str) {
        let (anchor, text) = (anchor.word(), escaped(text));
        self.add(format_args!(
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
        ));
    }

    /// Text that is read from the bottom to the top, centred at a position.
    pub(super) fn upright_text(&mut self, class: &str, (x, y): Point, text: &str) {
        let text = escaped(text);
        self.add(format_args!(
            "<text class=\"{class}\" text-anchor=\"middle\" \
             transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{text}</text>"
        ));
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): Point, (x2, y2): Point) {
        self.add(format_args!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// A line through points, with a dot at each.
    pub(super) fn curve(&mut self, color: usize, points: &[Point]) {
        let color = color % COLORS;
        let mut path = String::new();
        for (x, y) in points {
            let _ = write!(path, "{x:.1},{y:.1} ");
        }
        let path = path.trim_end();
        self.add(format_args!(
            "<polyline class=\"line l{color}\" points=\"{path}\"/>"
        ));
        for (x, y) in points {
            self.add(format_args!(
                "<circle class=\"dot p{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>"
            ));
        }
    }

    /// A bar from one corner to the other.
    pub(super) fn bar(&mut self, color: usize, (left, top): Point, (right, bottom): Point) {
        let (color, wide, tall) = (color % COLORS, right - left, (bottom - top).max(1.0));
        self.add(format_args!(
            "<rect class=\"p{color}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" \
             height=\"{tall:.1}\" rx=\"1.5\"/>"
        ));
    }

    /// A small square that shows a colour.
    pub(super) fn swatch(&mut self, color: usize, (left, top): Point) {
        self.bar(color, (left, top), (left + 12.0, top + 12.0));
    }

    fn add(&mut self, element: fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.drawn, "{element}");
    }
}

impl Anchor {
    fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
