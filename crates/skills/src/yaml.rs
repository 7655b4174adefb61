//! The only place that knows the YAML engine.
//!
//! A document is deserialized into a small tree of values with their places. Scalars keep their source
//! text, so `1.10` and `2024-01-02` stay what the author wrote. Anchors, aliases, merge keys and tags
//! are honoured by the engine, within the budgets of this crate. Nothing here knows a key of a skill.

use std::fmt;
use std::marker::PhantomData;

use codex_file_system::TextPosition;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Error, Location, Spanned, granit_parser};

use crate::limits::{MAX_YAML_DEPTH, MAX_YAML_NODES};
use crate::text::Foreign;

#[cfg(test)]
mod differential_test;

/// Why a text is not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum YamlProblem {
    /// Not one YAML document.
    Invalid {
        /// Why.
        detail: String,
        /// Where, if that is known.
        place: Option<TextPosition>,
    },
    /// Too many nodes, or too many collections inside each other.
    OverBudget(String),
    /// A value of another shape than the one that is due.
    WrongType {
        /// What is to have the shape.
        what: String,
        expected: &'static str,
        found: &'static str,
        place: Option<TextPosition>,
    },
    /// A key that is due once stands twice, the second time here.
    DuplicateKey {
        key: &'static str,
        place: Option<TextPosition>,
    },
}

impl YamlProblem {
    /// The same problem, told of a text with this many more lines above.
    pub(crate) fn below(mut self, lines: u32) -> Self {
        if let Self::Invalid { place, .. }
        | Self::WrongType { place, .. }
        | Self::DuplicateKey { place, .. } = &mut self
            && let Some(place) = place
        {
            place.line += lines;
        }
        self
    }
}

impl fmt::Display for YamlProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self {
            Self::Invalid { detail, place } => {
                write!(formatter, "no valid YAML: {}", Foreign(detail))?;
                place
            }
            Self::OverBudget(what) => {
                return write!(formatter, "more YAML than is read: {}", Foreign(what));
            }
            Self::WrongType {
                what,
                expected,
                found,
                place,
            } => {
                write!(formatter, "{what} is {found}, and should be {expected},")?;
                place
            }
            Self::DuplicateKey { key, place } => {
                write!(formatter, "`{key}` stands twice, the second time")?;
                place
            }
        };
        match place {
            Some(place) => write!(formatter, " at line {} column {}", place.line, place.column),
            None => Ok(()),
        }
    }
}

/// A document within the budgets, ready to be read.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    source: &'a str,
    root: Option<Node>,
}

/// A value with its place.
#[derive(Debug)]
struct Node {
    content: Content,
    location: Location,
}

/// What a value is.
#[derive(Debug)]
enum Content {
    Null,
    Text(String),
    Bool(bool),
    Number,
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// The root, `dependencies`, `tools` and one of them: nothing deeper is looked at, so nothing deeper is
/// kept, and no document can use up the stack.
type KeptLevels = Above<Above<Above<Above<Leaf>>>>;

impl<'a> Document<'a> {
    /// The outermost value; null for a text without one.
    pub(crate) fn root(&self) -> Value<'_> {
        Value {
            source: self.source,
            node: self.root.as_ref(),
        }
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

fn parse_mapping<'a>(text: &'a str, what: &str) -> Result<Document<'a>, YamlProblem> {
    if let Some(control) = text.chars().find(|character| is_refused(*character)) {
        let shown = control.escape_unicode();
        return Err(YamlProblem::Invalid {
            detail: format!("control character {shown}"),
            place: None,
        });
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: MAX_YAML_NODES,
            max_depth: MAX_YAML_DEPTH,
            flow_nesting_limit: 2 * MAX_YAML_DEPTH,
            enforce_alias_anchor_ratio: false,
        },
        // Which repetitions do harm is for the reader of a key to say.
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
        strict_booleans: true,
        ignore_binary_tag_for_string: true,
        with_snippet: false,
    };
    let root: Result<Option<Spanned<Kept<KeptLevels>>>, _> =
        serde_saphyr::from_str_with_options(text, options);
    let document = Document {
        source: text,
        root: root.map_err(|error| problem(&error))?.map(Node::from),
    };
    document.root().expect_mapping(what)?;
    Ok(document)
}

fn problem(error: &Error) -> YamlProblem {
    let error = error.without_snippet();
    let text = error.to_string();
    // The place is told apart.
    let detail = text.split(" at line ").next().unwrap_or_default();
    let mut cause = error;
    while let Error::AliasError { error: inner, .. } = cause {
        cause = inner.without_snippet();
    }
    match cause {
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => YamlProblem::OverBudget(detail.to_owned()),
        _ => YamlProblem::Invalid {
            detail: detail.to_owned(),
            place: error.location().and_then(|it| place(&it)),
        },
    }
}

fn place(location: &Location) -> Option<TextPosition> {
    let number = |it: u64| u32::try_from(it).ok().filter(|it| *it > 0);
    Some(TextPosition {
        line: number(location.line())?,
        column: number(location.column())?,
    })
}

/// Characters that YAML does not allow as they are, whatever an engine makes of them.
fn is_refused(character: char) -> bool {
    let is_layout = matches!(character, '\t' | '\n' | '\r' | '\u{85}');
    (character.is_control() && !is_layout) || matches!(character, '\u{FFFE}' | '\u{FFFF}')
}

/// Whether a text is one YAML value of the kind that it begins with, as far as that can be told
/// without its surroundings: an alias may refer to an anchor outside.
pub(crate) fn is_valid_alone(text: &str) -> bool {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        emit_comments: false,
    };
    let is_quoted = text.starts_with(['"', '\'']);
    let (mut documents, mut nodes) = (0, 0);
    for event in granit_parser::Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((granit_parser::Event::DocumentStart(..), _)) => documents += 1,
            Ok((event, _)) => nodes += usize::from(event.is_node()),
            Err(_) => return false,
        }
        // A quoted text that goes on is the key of a mapping, which cannot stand in a value.
        if documents > 1 || is_quoted && nodes > 1 {
            return false;
        }
        if nodes > MAX_YAML_NODES {
            return true;
        }
    }
    true
}

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'d> {
    source: &'d str,
    node: Option<&'d Node>,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Null,
    Scalar,
    Sequence,
    Mapping,
}

impl Shape {
    fn describe(self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Scalar => "a text",
            Self::Sequence => "a list",
            Self::Mapping => "a mapping",
        }
    }
}

impl<'d> Value<'d> {
    pub(crate) fn shape(self) -> Shape {
        match self.node.map(|node| &node.content) {
            None | Some(Content::Null) => Shape::Null,
            Some(Content::Text(_) | Content::Bool(_) | Content::Number) => Shape::Scalar,
            Some(Content::List(_)) => Shape::Sequence,
            Some(Content::Map(_)) => Shape::Mapping,
        }
    }

    /// The source text of a scalar that is not null.
    pub(crate) fn text(self) -> Option<&'d str> {
        match &self.node?.content {
            Content::Text(text) => Some(text),
            Content::Bool(_) | Content::Number => self.slice(),
            _ => None,
        }
    }

    /// The truth value, if this is a YAML boolean.
    pub(crate) fn boolean(self) -> Option<bool> {
        match self.node?.content {
            Content::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// Whether this is a scalar and no number, boolean or null.
    pub(crate) fn is_string(self) -> bool {
        matches!(self.node.map(|node| &node.content), Some(Content::Text(_)))
    }

    /// The line it begins on, from 1.
    pub(crate) fn line(self) -> u32 {
        self.place().map_or(1, |place| place.line)
    }

    /// Where it begins.
    pub(crate) fn place(self) -> Option<TextPosition> {
        place(&self.node?.location)
    }

    /// Whether YAML took the rest of the line behind this plain text for a comment.
    pub(crate) fn is_plain_before_comment(self) -> bool {
        let Some((text, rest)) = self.slice().zip(self.rest()) else {
            return false;
        };
        // A block scalar ends with its last line.
        let is_plain = !text.starts_with(['"', '\'']) && !text.ends_with('\n');
        is_plain && rest.trim_start_matches([' ', '\t']).starts_with('#')
    }

    /// How it is written.
    fn slice(self) -> Option<&'d str> {
        self.source.get(self.start()?..self.end()?)
    }

    /// What is written behind it.
    fn rest(self) -> Option<&'d str> {
        self.source.get(self.end()?..)
    }

    fn start(self) -> Option<usize> {
        usize::try_from(self.node?.location.span().byte_offset()?).ok()
    }

    fn end(self) -> Option<usize> {
        let length = self.node?.location.span().byte_len()?;
        Some(self.start()? + usize::try_from(length).ok()?)
    }

    /// The items of a sequence; none for another shape.
    pub(crate) fn items(self) -> impl Iterator<Item = Value<'d>> {
        let items: &[Node] = match self.node.map(|node| &node.content) {
            Some(Content::List(items)) => items,
            _ => &[],
        };
        items.iter().map(move |item| self.at(item))
    }

    /// The entries of a mapping in order, merged ones included; none for another shape.
    pub(crate) fn entries(self) -> impl Iterator<Item = (Value<'d>, Value<'d>)> {
        let entries: &[(Node, Node)] = match self.node.map(|node| &node.content) {
            Some(Content::Map(entries)) => entries,
            _ => &[],
        };
        entries
            .iter()
            .map(move |(key, value)| (self.at(key), self.at(value)))
    }

    fn at(self, node: &'d Node) -> Self {
        Self {
            node: Some(node),
            ..self
        }
    }

    /// The value of a key that may stand once; null if the key is absent.
    ///
    /// # Errors
    /// [`YamlProblem::DuplicateKey`] if it stands twice.
    pub(crate) fn get(self, key: &'static str) -> Result<Value<'d>, YamlProblem> {
        let mut named = self.entries().filter(|it| it.0.text() == Some(key));
        match (named.next(), named.next()) {
            (Some(_), Some((second, _))) => Err(YamlProblem::DuplicateKey {
                key,
                place: second.place(),
            }),
            (first, _) => Ok(first.map_or(Self { node: None, ..self }, |it| it.1)),
        }
    }

    /// As [`get`](Self::get), for a key whose repetition does no harm: the first one counts.
    pub(crate) fn get_first(self, key: &str) -> Value<'d> {
        let mut entries = self.entries();
        let named = entries.find(|it| it.0.text() == Some(key));
        named.map_or(Self { node: None, ..self }, |it| it.1)
    }

    /// The value of another shape than the one that is due.
    pub(crate) fn wrong_type(self, what: &str, expected: &'static str) -> YamlProblem {
        YamlProblem::WrongType {
            what: what.to_owned(),
            expected,
            found: self.shape().describe(),
            place: self.place(),
        }
    }

    /// Whether this is a mapping or null.
    ///
    /// # Errors
    /// [`YamlProblem::WrongType`] if it is not.
    pub(crate) fn expect_mapping(self, what: &str) -> Result<(), YamlProblem> {
        match self.shape() {
            Shape::Mapping | Shape::Null => Ok(()),
            Shape::Scalar | Shape::Sequence => Err(self.wrong_type(what, "a mapping")),
        }
    }
}

/// How many levels of collections are kept.
trait Levels {
    type Below: Levels;
    const ARE_KEPT: bool;
}

/// A scalar, or a collection of which nothing is kept.
struct Leaf;

/// One level more.
struct Above<L>(PhantomData<L>);

impl Levels for Leaf {
    type Below = Self;
    const ARE_KEPT: bool = false;
}

impl<L: Levels> Levels for Above<L> {
    type Below = L;
    const ARE_KEPT: bool = true;
}

/// A value as far as its levels are kept.
struct Kept<L>(Content, PhantomData<L>);

impl<L> From<Spanned<Kept<L>>> for Node {
    fn from(kept: Spanned<Kept<L>>) -> Self {
        Self {
            content: kept.value.0,
            location: kept.defined,
        }
    }
}

impl<'de, L: Levels> Deserialize<'de> for Kept<L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let content = deserializer.deserialize_any(ContentVisitor::<L>(PhantomData))?;
        Ok(Self(content, PhantomData))
    }
}

struct ContentVisitor<L>(PhantomData<L>);

impl<'de, L: Levels> Visitor<'de> for ContentVisitor<L> {
    type Value = Content;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Content, E> {
        Ok(Content::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Content, E> {
        Ok(Content::Text(text))
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Content, E> {
        Ok(Content::Bool(truth))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Content, E> {
        Ok(Content::Number)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Content, E> {
        Ok(Content::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Content, E> {
        Ok(Content::Number)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Content, E> {
        Ok(Content::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Content, E> {
        Ok(Content::Number)
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content, A::Error> {
        let mut list = Vec::new();
        if !L::ARE_KEPT {
            while items.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Content::List(list));
        }
        while let Some(item) = items.next_element::<Spanned<Kept<L::Below>>>()? {
            list.push(item.into());
        }
        Ok(Content::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Content, A::Error> {
        let mut map = Vec::new();
        if !L::ARE_KEPT {
            while entries.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Content::Map(map));
        }
        while let Some(key) = entries.next_key::<Spanned<Kept<Leaf>>>()? {
            let value = entries.next_value::<Spanned<Kept<L::Below>>>()?;
            map.push((key.into(), value.into()));
        }
        Ok(Content::Map(map))
    }
}
