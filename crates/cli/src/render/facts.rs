//! Labelled lines: what a table of rows is about, and records of one thing.

use super::escape::escaped;
use super::text::{Keep, Painter, Style, cut, width};

const GAP: usize = 2;

/// Lines of a label and a value, values aligned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    lines: Vec<Fact>,
}

#[derive(Clone, Debug)]
struct Fact {
    label: &'static str,
    value: String,
    style: Style,
    keep: Keep,
}

impl Facts {
    /// Adds a line; an empty label continues the line before it.
    pub(crate) fn push(&mut self, label: &'static str, value: impl AsRef<str>) {
        self.push_styled(label, value, Style::Plain);
    }

    /// Adds a line whose value has a style.
    pub(crate) fn push_styled(
        &mut self,
        label: &'static str,
        value: impl AsRef<str>,
        style: Style,
    ) {
        let value = escaped(value.as_ref()).into_owned();
        self.lines.push(Fact {
            label,
            value,
            style,
            keep: Keep::Start,
        });
    }

    /// Puts a line before all others.
    pub(crate) fn lead(&mut self, label: &'static str, value: impl AsRef<str>, style: Style) {
        self.push_styled(label, value, style);
        self.lines.rotate_right(1);
    }

    /// Adds a line whose value is a path, of which the end tells most.
    pub(crate) fn push_path(&mut self, label: &'static str, path: impl AsRef<str>, style: Style) {
        self.push_styled(label, path, style);
        if let Some(fact) = self.lines.last_mut() {
            fact.keep = Keep::End;
        }
    }

    /// The lines, none wider than `available`.
    pub(crate) fn shown(&self, available: Option<usize>, painter: Painter) -> String {
        let labels = self
            .lines
            .iter()
            .map(|fact| width(fact.label))
            .max()
            .unwrap_or(0);
        let available = available.unwrap_or(usize::MAX);
        let mut shown = String::new();
        for Fact {
            label,
            value,
            style,
            keep,
        } in &self.lines
        {
            let label = cut(label, available, Keep::Start);
            let value = cut(value, available.saturating_sub(labels + GAP), *keep);
            shown.push_str(&painter.paint(Style::Dim, &label));
            if !value.is_empty() {
                shown.extend(std::iter::repeat_n(' ', labels + GAP - width(&label)));
                shown.push_str(&painter.paint(*style, &value));
            }
            shown.push('\n');
        }
        shown
    }
}
