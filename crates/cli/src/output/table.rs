//! Rows and columns: aligned for a terminal, tab-separated for a pipe.
//!
//! A cell is one line. A column without any text is left out. Where the terminal is too narrow, the
//! gaps shrink first, then the columns that may give way are cut, widest first; what still does not
//! fit is cut at the edge, so no row ever takes two lines, but for numbers, of which a part would be
//! another number. All text is escaped here, once. A table knows nothing of what it shows.

use super::escape::escaped;
use super::text::{Keep, Painter, Style, cut, width};

const GAP: usize = 2;
/// Where there is no room for more.
const NARROW_GAP: usize = 1;
/// A column that gives way keeps its title and at least this many terminal columns.
const NARROWEST: usize = 8;

/// How a column behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// Text of which one end may be cut away.
    Text(&'static str, Keep),
    /// A name, which is cut only where all text has given way.
    Name(&'static str),
    /// Short text that is never cut to make room.
    Word(&'static str),
    /// A number, aligned to the right.
    Number(&'static str),
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Text(title, _) | Self::Name(title) | Self::Word(title) | Self::Number(title) => {
                title
            }
        }
    }

    /// The terminal columns that are left to it when it gives way.
    fn narrowest(self) -> usize {
        match self {
            Self::Text(title, _) | Self::Name(title) => width(title).max(NARROWEST),
            Self::Word(_) | Self::Number(_) => usize::MAX,
        }
    }

    fn is_text(self) -> bool {
        matches!(self, Self::Text(..))
    }

    fn keep(self) -> Keep {
        match self {
            Self::Text(_, keep) => keep,
            Self::Name(_) | Self::Word(_) | Self::Number(_) => Keep::Start,
        }
    }
}

/// One cell.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell with this text, which is escaped here.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self {
            text: escaped(text.as_ref()).into_owned(),
            style: Style::Plain,
        }
    }

    /// The same cell in another style.
    pub(crate) fn styled(mut self, style: Style) -> Self {
        self.style = style;
        self
    }
}

/// Rows under titled columns.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: impl Into<Vec<Column>>) -> Self {
        Self {
            columns: columns.into(),
            rows: Vec::new(),
        }
    }

    /// Adds a row: one cell for each column.
    pub(crate) fn push(&mut self, row: impl Into<Vec<Cell>>) {
        self.rows.push(row.into());
    }

    /// The table with titles and aligned columns, no line wider than `available`.
    pub(crate) fn aligned(&self, available: Option<usize>, painter: Painter) -> String {
        let available = available.unwrap_or(usize::MAX);
        let layout = self.layout(available);
        let titles = self.columns.iter();
        let titles = titles.map(|column| Cell::new(column.title()).styled(Style::Bold));
        let titles: Vec<Cell> = titles.collect();
        let lines = std::iter::once(&titles).chain(&self.rows);
        let lines = lines.map(|row| self.line(row, &layout, available, painter) + "\n");
        lines.collect()
    }

    /// The rows without titles, cells separated by tabs.
    pub(crate) fn tab_separated(&self) -> String {
        let mut shown = String::new();
        for row in &self.rows {
            let cells: Vec<&str> = row.iter().map(|cell| cell.text.as_str()).collect();
            shown.push_str(&cells.join("\t"));
            shown.push('\n');
        }
        shown
    }

    /// How wide each column is, and the gap between two.
    fn layout(&self, available: usize) -> Layout {
        let natural = self.columns.iter().enumerate().map(|(index, column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            match cells.map(|cell| width(&cell.text)).max().unwrap_or(0) {
                0 => 0,
                widest => widest.max(width(column.title())),
            }
        });
        let mut widths: Vec<usize> = natural.collect();
        let gaps = widths.iter().filter(|width| **width > 0).count();
        let gaps = gaps.saturating_sub(1);
        let taken = |widths: &[usize], gap: usize| widths.iter().sum::<usize>() + gap * gaps;
        let gap = match taken(&widths, GAP) <= available {
            true => GAP,
            false => NARROW_GAP,
        };
        while taken(&widths, gap) > available {
            let columns = self.columns.iter().zip(&mut widths);
            let flexible = columns.filter(|(column, width)| **width > column.narrowest());
            let widest = flexible.max_by_key(|(column, width)| (column.is_text(), **width));
            match widest {
                Some((_, width)) => *width -= 1,
                None => break,
            }
        }
        Layout { widths, gap }
    }

    fn line(&self, row: &[Cell], layout: &Layout, available: usize, painter: Painter) -> String {
        let mut line = String::new();
        // Where the line ends, and where the column begins, in terminal columns.
        let (mut end, mut begin) = (0, 0);
        for ((column, cell), &whole) in self.columns.iter().zip(row).zip(&layout.widths) {
            if whole == 0 {
                continue;
            }
            let room = whole.min(available.saturating_sub(begin));
            let text = match column {
                Column::Number(_) if width(&cell.text) > room => cut("…", room, Keep::Start),
                _ => cut(&cell.text, room, column.keep()),
            };
            if !text.is_empty() {
                let start = match column {
                    Column::Number(_) => begin + room - width(&text),
                    Column::Text(..) | Column::Name(_) | Column::Word(_) => begin,
                };
                line.extend(std::iter::repeat_n(' ', start - end));
                line.push_str(&painter.paint(cell.style, &text));
                end = start + width(&text);
            }
            begin += whole + layout.gap;
        }
        line
    }
}

/// How the columns of a table share the terminal's width.
struct Layout {
    /// Zero for a column without text.
    widths: Vec<usize>,
    gap: usize,
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = [
            Column::Text("DIRECTORY", Keep::End),
            Column::Word("STATE"),
            Column::Number("KEPT"),
        ];
        let mut table = Table::new(columns);
        table.push([
            Cell::new("crates/a-long-name/core"),
            Cell::new("loaded"),
            Cell::new("1,234"),
        ]);
        table.push([Cell::new("."), Cell::new(""), Cell::new("7")]);
        table
    }

    #[test]
    fn columns_are_aligned_and_no_line_ends_in_blanks() {
        let shown = table().aligned(None, Painter { colored: false });
        let expected = "\
DIRECTORY                STATE    KEPT
crates/a-long-name/core  loaded  1,234
.                                    7
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_flexible_column_gives_way_first() {
        let shown = table().aligned(Some(22), Painter { colored: false });
        let expected = "\
DIRECTORY STATE   KEPT
…ame/core loaded 1,234
.                    7
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn names_stay_whole_as_long_as_text_can_give_way() {
        let mut table = Table::new([
            Column::Name("NAME"),
            Column::Text("DESCRIPTION", Keep::Start),
        ]);
        table.push([
            Cell::new("release-of-the-shop"),
            Cell::new("Cuts a release."),
        ]);
        let shown = table.aligned(Some(32), Painter { colored: false });
        let expected = "\
NAME                DESCRIPTION
release-of-the-shop Cuts a rele…
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_number_is_whole_or_not_shown() {
        for available in 0..45 {
            let shown = table().aligned(Some(available), Painter { colored: false });
            for line in shown.lines().filter(|line| line.contains("loaded")) {
                let number = line.rsplit(' ').next().unwrap_or_default();
                let is_part = number.starts_with("1,") && number != "1,234";
                assert!(!is_part, "{available}: {line}");
            }
        }
    }

    #[test]
    fn a_column_without_text_is_left_out() {
        let mut table = Table::new([Column::Word("STATE"), Column::Text("NOTES", Keep::Start)]);
        table.push([Cell::new("loaded"), Cell::new("")]);
        let shown = table.aligned(None, Painter { colored: false });
        assert_eq!(shown, "STATE\nloaded\n");
        assert_eq!(table.tab_separated(), "loaded\t\n");
    }

    #[test]
    fn a_name_of_pictures_moves_no_column_after_it() {
        let mut table = Table::new([
            Column::Text("DIRECTORY", Keep::End),
            Column::Text("DOCUMENT", Keep::Start),
            Column::Number("RAW"),
        ]);
        let pictures = "☀\u{fe0f}".repeat(40);
        table.push([Cell::new(&pictures), Cell::new(&pictures), Cell::new("1")]);
        for available in 0..200 {
            let shown = table.aligned(Some(available), Painter { colored: false });
            assert!(
                shown.lines().all(|line| width(line) <= available),
                "{shown}"
            );
        }
    }

    #[test]
    fn every_line_fits_every_terminal() {
        for available in 0..45 {
            for colored in [false, true] {
                let shown = table().aligned(Some(available), Painter { colored });
                for line in shown.lines() {
                    let plain = strip(line);
                    assert!(width(&plain) <= available, "{available}: {plain:?}");
                    assert_eq!(plain.trim_end(), plain);
                }
                assert_eq!(shown.lines().count(), 3);
            }
        }
    }

    #[test]
    fn a_pipe_gets_tabs_and_no_titles() {
        let mut table = table();
        table.push([Cell::new("a\tb\nc"), Cell::new("x"), Cell::new("1")]);
        let expected = "crates/a-long-name/core\tloaded\t1,234\n.\t\t7\na\\tb\\nc\tx\t1\n";
        assert_eq!(table.tab_separated(), expected);
    }

    fn strip(line: &str) -> String {
        let mut parts = line.split('\u{1b}');
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |plain, part| {
            plain + part.split_once('m').map_or("", |(_, rest)| rest)
        })
    }
}
