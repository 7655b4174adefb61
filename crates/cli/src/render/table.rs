//! Rows and columns: aligned for a terminal, tab-separated for a pipe.
//!
//! A cell is one line. Where the terminal is too narrow, the columns that may give way are cut,
//! widest first; what still does not fit is cut at the edge, so no row ever takes two lines. All
//! text is escaped here, once. A table knows nothing of what it shows.

use super::escape::escaped;
use super::text::{Keep, Painter, Style, cut, width};

const GAP: usize = 2;
/// A column that gives way keeps its title and at least this many terminal columns.
const NARROWEST: usize = 8;

/// How a column behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// Text of which one end may be cut away.
    Text(&'static str, Keep),
    /// Short text that is never cut to make room.
    Word(&'static str),
    /// A number, aligned to the right.
    Number(&'static str),
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Self::Text(title, _) | Self::Word(title) | Self::Number(title) => title,
        }
    }

    /// The terminal columns that are left to it when it gives way.
    fn narrowest(self) -> usize {
        match self {
            Self::Text(title, _) => width(title).max(NARROWEST),
            Self::Word(_) | Self::Number(_) => usize::MAX,
        }
    }

    fn keep(self) -> Keep {
        match self {
            Self::Text(_, keep) => keep,
            Self::Word(_) | Self::Number(_) => Keep::Start,
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
        let widths = self.widths(available);
        let titles = self
            .columns
            .iter()
            .map(|column| Cell::new(column.title()).styled(Style::Bold));
        let titles: Vec<Cell> = titles.collect();
        let available = available.unwrap_or(usize::MAX);
        let lines = std::iter::once(&titles).chain(&self.rows);
        let lines = lines.map(|row| self.line(row, &widths, available, painter) + "\n");
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

    fn widths(&self, available: Option<usize>) -> Vec<usize> {
        let natural = self.columns.iter().enumerate().map(|(index, column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            let widest = cells.map(|cell| width(&cell.text)).max().unwrap_or(0);
            widest.max(width(column.title()))
        });
        let mut widths: Vec<usize> = natural.collect();
        let gaps = GAP * widths.len().saturating_sub(1);
        let room = available.unwrap_or(usize::MAX).saturating_sub(gaps);
        while widths.iter().sum::<usize>() > room {
            let flexible = self.columns.iter().zip(&mut widths);
            let widest = flexible
                .filter(|(column, width)| **width > column.narrowest())
                .max_by_key(|(_, width)| **width);
            match widest {
                Some((_, width)) => *width -= 1,
                None => break,
            }
        }
        widths
    }

    fn line(&self, row: &[Cell], widths: &[usize], available: usize, painter: Painter) -> String {
        let mut line = String::new();
        // Where the line ends, and where the column begins, in terminal columns.
        let (mut end, mut begin) = (0, 0);
        for ((column, cell), &whole) in self.columns.iter().zip(row).zip(widths) {
            let room = whole.min(available.saturating_sub(begin));
            let text = cut(&cell.text, room, column.keep());
            if !text.is_empty() {
                let start = match column {
                    Column::Number(_) => begin + room - width(&text),
                    Column::Text(..) | Column::Word(_) => begin,
                };
                line.extend(std::iter::repeat_n(' ', start - end));
                line.push_str(&painter.paint(cell.style, &text));
                end = start + width(&text);
            }
            begin += whole + GAP;
        }
        line
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
        let shown = table().aligned(Some(24), Painter { colored: false });
        let expected = "\
DIRECTORY  STATE    KEPT
…ame/core  loaded  1,234
.                      7
";
        assert_eq!(shown, expected);
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
