//! The only place that knows the YAML engine.
//!
//! The engine's event parser says what is YAML; [`compose`] builds a small tree from its events
//! under the budgets of this crate, and [`value`] reads the tree. Texts that can be read in one way
//! only are spared the engine by [`plain`]. Scalars keep their source text, so
//! `1.10` and `2024-01-02` stay what the author wrote. Anchors, aliases, merge keys and tags are
//! honoured. Nothing here knows a key of a skill, and nothing recurses deeper than
//! [`MAX_YAML_DEPTH`](crate::MAX_YAML_DEPTH).

mod compose;
#[cfg(test)]
mod differential_test;
mod plain;
mod schema;
mod tree;
mod value;

use std::fmt;

use serde_saphyr::granit_parser;

use crate::limits::MAX_YAML_NODES;
use crate::text::Foreign;
pub(crate) use value::{Shape, Value};

/// Why a text is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum YamlProblem {
    /// Not one YAML document.
    Invalid {
        /// Why.
        detail: String,
        /// Where, if that is known.
        place: Option<Place>,
    },
    /// Too many nodes, or too many collections inside each other.
    OverBudget(&'static str),
    /// A value of another shape than the one that is due.
    WrongType(String),
    /// A key that is due once stands twice.
    DuplicateKey(&'static str),
}

/// Where in a text something stands, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    line: usize,
    column: Option<usize>,
}

impl YamlProblem {
    /// The same problem, told of a text with this many more lines above.
    pub(crate) fn below(mut self, lines: usize) -> Self {
        if let Self::Invalid {
            place: Some(place), ..
        } = &mut self
        {
            place.line += lines;
        }
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, " at line {}", self.line)?;
        match self.column {
            Some(column) => write!(formatter, " column {column}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for YamlProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { detail, place } => {
                write!(formatter, "no valid YAML: {}", Foreign(detail))?;
                place.map_or(Ok(()), |place| place.fmt(formatter))
            }
            Self::OverBudget(what) => write!(formatter, "more YAML than is read: {what}"),
            Self::WrongType(what) => formatter.write_str(what),
            Self::DuplicateKey(key) => write!(formatter, "`{key}` stands twice"),
        }
    }
}

/// A document within the budgets, ready to be read.
#[derive(Clone, Debug)]
pub(crate) struct Document<'a> {
    tree: tree::Tree<'a>,
}

impl Document<'_> {
    /// The outermost value; null for a text without one.
    pub(crate) fn root(&self) -> Value<'_> {
        Value::root(&self.tree)
    }
}

/// Reads a frontmatter block: one mapping, or nothing but comments.
pub(crate) fn parse_frontmatter(block: &str) -> Result<Document<'_>, YamlProblem> {
    parse_mapping(block, "the frontmatter")
}

/// Reads a sidecar: one mapping, or nothing but comments.
pub(crate) fn parse_sidecar(text: &str) -> Result<Document<'_>, YamlProblem> {
    parse_mapping(text, "the sidecar")
}

/// Whether a text is one YAML value as far as it can be told without its surroundings: an alias may
/// refer to an anchor outside. A value that no budget allows is not read to its end.
pub(crate) fn is_valid_alone(text: &str) -> bool {
    !goes_on_behind_its_end(text) && is_parsed_alone(text)
}

fn is_parsed_alone(text: &str) -> bool {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_comments: false,
    };
    let (mut documents, mut nodes) = (0, 0);
    for event in granit_parser::Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((granit_parser::Event::DocumentStart(..), _)) => documents += 1,
            Ok((event, _)) => nodes += usize::from(event.is_node()),
            Err(_) => return false,
        }
        if documents > 1 {
            return false;
        }
        if nodes > MAX_YAML_NODES {
            return true;
        }
    }
    true
}

/// Whether a text that begins a flow value on its only line surely goes on behind the end of it, or
/// never ends it: what may follow the end begins with a colon or is a comment. Asking this first is
/// much cheaper than asking the engine, which a block may call for line by line.
fn goes_on_behind_its_end(text: &str) -> bool {
    let end = match text.as_bytes().first() {
        Some(b'[') => ']',
        Some(b'{') => '}',
        Some(b'"') => '"',
        Some(b'\'') => '\'',
        _ => return false,
    };
    // No more nodes than the budget, beyond which nothing is read, and no line ends but those of ASCII.
    let is_simple = text.len() < MAX_YAML_NODES && text.is_ascii();
    is_simple && !text.contains([':', '#', '\n', '\r']) && !text.trim_end().ends_with(end)
}

fn parse_mapping<'a>(text: &'a str, what: &str) -> Result<Document<'a>, YamlProblem> {
    if let Some(tree) = plain::compose_plain(text) {
        return Ok(Document { tree });
    }
    if let Some(control) = text.chars().find(|character| is_refused(*character)) {
        let shown = control.escape_unicode();
        return Err(YamlProblem::Invalid {
            detail: format!("control character {shown}"),
            place: None,
        });
    }
    let document = Document {
        tree: compose::compose(text)?,
    };
    match document.root().shape() {
        Shape::Mapping | Shape::Null => Ok(document),
        Shape::Scalar | Shape::Sequence => {
            Err(YamlProblem::WrongType(format!("{what} is not a mapping")))
        }
    }
}

/// Characters that YAML does not allow as they are, whatever an engine makes of them.
fn is_refused(character: char) -> bool {
    let is_layout = matches!(character, '\t' | '\n' | '\r' | '\u{85}');
    (character.is_control() && !is_layout) || matches!(character, '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{goes_on_behind_its_end, is_parsed_alone};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn the_engine_refuses_what_goes_on_behind_its_end(
            open in prop::sample::select(vec!["[", "{", "\"", "'"]),
            rest in "[\\[\\]{}\"', ab?&*!|>%@\\\\\t-]{0,10}",
        ) {
            let text = format!("{open}{rest}");
            prop_assert!(!goes_on_behind_its_end(&text) || !is_parsed_alone(&text), "{text:?}");
        }
    }
}
