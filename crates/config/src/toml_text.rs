//! TOML text as a table, with the position of every value.
//!
//! A value stands where its text begins; a table that a header opens stands at the `[` of that
//! header, also when the header names a table below it; a table that a dotted key makes stands at
//! its segment of the key.

use toml::Spanned;
use toml::de::{DeFloat, DeInteger, DeTable, DeValue};

use crate::layer::TomlTable;
use crate::nesting::{MAX_NESTING, too_deep_at};
use crate::positions::Positions;
use crate::text_index::TextIndex;
use crate::{TextPosition, TomlValue};

/// Why text is no TOML.
#[derive(Debug)]
pub(crate) struct TomlTextError {
    pub(crate) position: TextPosition,
    pub(crate) message: String,
}

/// Parses a document, its byte order mark removed.
pub(crate) fn parse(text: &str) -> Result<(TomlTable, Positions), TomlTextError> {
    let index = TextIndex::new(text);
    let fail = |(offset, message)| TomlTextError {
        position: index.position(offset),
        message,
    };
    if let Some(offset) = too_deep_at(text) {
        return Err(fail((
            offset,
            format!("nested more than {MAX_NESTING} levels deep"),
        )));
    }
    // The parser drops a mark of its own accord, so a second one would pass for the first.
    if text.starts_with('\u{feff}') {
        return Err(fail((0, "unexpected byte order mark".to_owned())));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        fail((offset, error.message().to_owned()))
    })?;
    let reader = Reader {
        text,
        index: &index,
    };
    reader
        .table(document.get_ref(), Writing::Headers)
        .map_err(fail)
}

/// Offset and message of a value that TOML allows and this representation does not.
type Refused = (usize, String);

/// How the tables inside a value are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writing {
    /// With headers or dotted keys, a line each.
    Headers,
    /// Inside brackets.
    Inline,
}

struct Reader<'a> {
    text: &'a str,
    index: &'a TextIndex<'a>,
}

impl Reader<'_> {
    fn table(
        &self,
        table: &DeTable<'_>,
        writing: Writing,
    ) -> Result<(TomlTable, Positions), Refused> {
        let mut values = TomlTable::new();
        let mut positions = Positions::default();
        for (key, value) in table {
            let (value, place) = self.value(value, writing)?;
            positions.entries.insert(key.get_ref().to_string(), place);
            values.insert(key.get_ref().to_string(), value);
        }
        Ok((values, positions))
    }

    fn value(
        &self,
        value: &Spanned<DeValue<'_>>,
        writing: Writing,
    ) -> Result<(TomlValue, Positions), Refused> {
        let start = value.span().start;
        let refuse = |message: &str| (start, message.to_owned());
        let (converted, mut positions) = match value.get_ref() {
            DeValue::String(text) => leaf(TomlValue::String(text.to_string())),
            DeValue::Integer(integer) => leaf(TomlValue::Integer(
                to_i64(integer).ok_or_else(|| refuse("integer does not fit in 64 bits"))?,
            )),
            DeValue::Float(float) => leaf(TomlValue::Float(
                to_f64(float).ok_or_else(|| refuse("float does not fit in 64 bits"))?,
            )),
            DeValue::Boolean(boolean) => leaf(TomlValue::Boolean(*boolean)),
            DeValue::Datetime(datetime) => leaf(TomlValue::Datetime(*datetime)),
            DeValue::Array(array) => self.array(array, writing_of_array(value, writing))?,
            DeValue::Table(table) => {
                let (table, positions) =
                    self.table(table, self.writing_of_table(start, writing))?;
                (TomlValue::Table(table), positions)
            }
        };
        let place = if converted.is_table() {
            self.table_start(start, writing)
        } else {
            start
        };
        positions.value = Some(self.index.position(place));
        Ok((converted, positions))
    }

    fn array(
        &self,
        array: &[Spanned<DeValue<'_>>],
        writing: Writing,
    ) -> Result<(TomlValue, Positions), Refused> {
        let mut values = Vec::with_capacity(array.len());
        let mut positions = Positions::default();
        for element in array {
            let (value, place) = self.value(element, writing)?;
            positions.elements.push(place);
            values.push(value);
        }
        Ok((TomlValue::Array(values), positions))
    }

    /// An inline table begins with its brace; every other one with a bracket or a key.
    fn writing_of_table(&self, start: usize, writing: Writing) -> Writing {
        if self
            .text
            .get(start..)
            .is_some_and(|rest| rest.starts_with('{'))
        {
            Writing::Inline
        } else {
            writing
        }
    }

    /// The parser places a table that only the header of a deeper one implies at its key there.
    fn table_start(&self, start: usize, writing: Writing) -> usize {
        // Inline tables are excluded before their line is searched: one line may hold very many.
        if self.writing_of_table(start, writing) == Writing::Inline {
            return start;
        }
        let line_start = self
            .text
            .get(..start)
            .and_then(|before| before.rfind('\n'))
            .map_or(0, |newline| newline + 1);
        let line = self.text.get(line_start..start).unwrap_or_default();
        let first = line_start + (line.len() - line.trim_start().len());
        let is_in_header = self
            .text
            .get(first..start)
            .is_some_and(|before| before.starts_with('['));
        if is_in_header { first } else { start }
    }
}

fn leaf(value: TomlValue) -> (TomlValue, Positions) {
    (value, Positions::default())
}

/// An array of tables begins where its first header does; any other array begins before its
/// first element.
fn writing_of_array(array: &Spanned<DeValue<'_>>, writing: Writing) -> Writing {
    let first = array
        .get_ref()
        .as_array()
        .and_then(|elements| elements.first());
    match first {
        Some(first) if first.span().start == array.span().start => writing,
        _ => Writing::Inline,
    }
}

/// `inf` and `nan` are TOML; a number that only becomes infinite is not.
fn to_f64(float: &DeFloat<'_>) -> Option<f64> {
    let text = float.as_str();
    let number: f64 = text.parse().ok()?;
    (!number.is_infinite() || text.ends_with("inf")).then_some(number)
}

fn to_i64(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}
