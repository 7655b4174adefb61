//! Labelled lines: what a table of rows is about, and records of one thing.

use super::escape::escaped;
use super::text::{Keep, Painter, Style, cut, width};

const GAP: usize = 2;

/// Lines of a label and a value, values aligned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    lines: Vec<(&'static str, String, Style)>,
}

impl Facts {
    /// Adds a line; an empty label continues the line before it.
    pub(crate) fn push(&mut self, label: &'static str, value: impl AsRef<str>) {
        self.push_styled(label, value, Style::Plain);
    }

    /// Adds a line whose value has a style.
    pub(crate) fn push_styled(&mut self, label: &'static str, value: impl AsRef<str>, style: Style) {
        self.lines.push((label, escaped(value.as_ref()).into_owned(), style));
    }

    /// The lines, none wider than `available`.
    pub(crate) fn shown(&self, available: Option<usize>, painter: Painter) -> String {
        let labels = self.lines.iter().map(|(label, ..)| width(label)).max().unwrap_or(0);
        let available = available.unwrap_or(usize::MAX);
        let mut shown = String::new();
        for (label, value, style) in &self.lines {
            let label = cut(label, available, Keep::Start);
            let padding = labels + GAP - width(&label);
            let value = cut(value, available.saturating_sub(labels + GAP), Keep::Start);
            shown.push_str(&painter.paint(Style::Dim, &label));
            if !value.is_empty() {
                shown.extend(std::iter::repeat_n(' ', padding));
                shown.push_str(&painter.paint(*style, &value));
            }
            shown.push('\n');
        }
        shown
    }
}
