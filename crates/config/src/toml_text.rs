//! TOML text as a table, with the place of every value.
//!
//! The parser says where values stand: a value at the first character of its text, the table of a
//! header at its bracket, a table that only a dotted key or a deeper header implies at its name
//! there.

use std::collections::BTreeMap;

use codex_file_system::TextPosition;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::layer::TomlTable;

mod nesting;

use nesting::{MAX_NESTING, too_deep_at};

/// Why text is no TOML.
#[derive(Debug)]
pub(crate) struct TomlTextError {
    pub(crate) position: TextPosition,
    pub(crate) message: String,
}

/// The places of the values of one text; empty for values that were not parsed from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    root: Node,
    positions: BTreeMap<usize, TextPosition>,
}

/// One value, in the shape of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Node {
    offset: usize,
    entries: BTreeMap<String, Node>,
    elements: Vec<Node>,
}

impl Places {
    /// The place of the value at `key`.
    pub(crate) fn value(&self, key: &[&str]) -> Option<TextPosition> {
        self.position(self.node(key)?)
    }

    /// The place of element `index` of the array at `key`.
    pub(crate) fn element(&self, key: &[&str], index: usize) -> Option<TextPosition> {
        self.position(self.node(key)?.elements.get(index)?)
    }

    fn node(&self, key: &[&str]) -> Option<&Node> {
        key.iter()
            .try_fold(&self.root, |node, segment| node.entries.get(*segment))
    }

    fn position(&self, node: &Node) -> Option<TextPosition> {
        self.positions.get(&node.offset).copied()
    }
}

/// Parses a document, its byte order mark removed.
pub(crate) fn parse(text: &str) -> Result<(TomlTable, Places), TomlTextError> {
    let fail = |offset: usize, message: String| TomlTextError {
        position: position(text, offset),
        message,
    };
    if let Some(offset) = too_deep_at(text) {
        let message = format!("nested more than {MAX_NESTING} levels deep");
        return Err(fail(offset, message));
    }
    // The parser drops a mark of its own accord, so a second one would pass for the first.
    if text.starts_with('\u{feff}') {
        return Err(fail(0, "unexpected byte order mark".to_owned()));
    }
    let refused = |error: toml::de::Error| {
        let offset = error.span().map_or(0, |span| span.start);
        fail(offset, error.message().to_owned())
    };
    let spanned = DeTable::parse(text).map_err(refused)?;
    let table = toml::from_str(text).map_err(refused)?;
    let mut offsets = Vec::new();
    let root = of_table(spanned.get_ref(), &mut offsets);
    let positions = positions(text, offsets);
    Ok((table, Places { root, positions }))
}

fn of_table(table: &DeTable<'_>, offsets: &mut Vec<usize>) -> Node {
    let entries = table.iter();
    let entries = entries.map(|(key, value)| (key.get_ref().to_string(), of_value(value, offsets)));
    Node {
        entries: entries.collect(),
        ..Node::default()
    }
}

fn of_value(value: &Spanned<DeValue<'_>>, offsets: &mut Vec<usize>) -> Node {
    let offset = value.span().start;
    offsets.push(offset);
    let node = match value.get_ref() {
        DeValue::Table(table) => of_table(table, offsets),
        DeValue::Array(elements) => Node {
            elements: elements
                .iter()
                .map(|element| of_value(element, offsets))
                .collect(),
            ..Node::default()
        },
        _ => Node::default(),
    };
    Node { offset, ..node }
}

/// The position of the character at or before `offset`.
pub(crate) fn position(text: &str, offset: usize) -> TextPosition {
    let found = positions(text, vec![offset]).into_values().next();
    found.unwrap_or(TextPosition { line: 1, column: 1 })
}

/// The positions of all `offsets`, in one pass however long a line is.
fn positions(text: &str, mut offsets: Vec<usize>) -> BTreeMap<usize, TextPosition> {
    offsets.sort_unstable();
    offsets.dedup();
    let mut characters = text.char_indices().peekable();
    let (mut line, mut column) = (1_u32, 1_u32);
    let position = |offset| {
        while let Some((index, character)) = characters.peek().copied()
            && index + character.len_utf8() <= offset
        {
            characters.next();
            (line, column) = match character {
                '\n' => (line.saturating_add(1), 1),
                _ => (line, column.saturating_add(1)),
            };
        }
        (offset, TextPosition { line, column })
    };
    offsets.into_iter().map(position).collect()
}
