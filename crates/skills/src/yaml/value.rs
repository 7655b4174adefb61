//! Reading a tree: by key, by item, by shape.
//!
//! A key is its text, however it is quoted. A mapping's own keys come before those it merges, and
//! what is merged first comes before what is merged later.

use super::schema;
use super::tree::{Content, Node, NodeId, Tree};
use super::{Place, YamlProblem};

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'d> {
    tree: &'d Tree<'d>,
    node: Option<&'d Node<'d>>,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Null,
    Scalar,
    Sequence,
    Mapping,
}

impl<'d> Value<'d> {
    pub(super) fn root(tree: &'d Tree<'d>) -> Self {
        Self::at(tree, tree.root.unwrap_or(usize::MAX))
    }

    fn at(tree: &'d Tree<'d>, node: NodeId) -> Self {
        Self {
            tree,
            node: tree.nodes.get(node),
        }
    }

    pub(crate) fn shape(self) -> Shape {
        let Some(node) = self.node else {
            return Shape::Null;
        };
        match &node.content {
            Content::Scalar { .. } if schema::is_null(node) => Shape::Null,
            Content::Scalar { .. } => Shape::Scalar,
            Content::Sequence(_) => Shape::Sequence,
            Content::Mapping(_) => Shape::Mapping,
        }
    }

    /// The source text of a scalar that is not null.
    pub(crate) fn text(self) -> Option<&'d str> {
        match &self.node?.content {
            Content::Scalar { text, .. } if self.shape() == Shape::Scalar => Some(text),
            _ => None,
        }
    }

    /// The truth value, if this is a YAML boolean.
    pub(crate) fn boolean(self) -> Option<bool> {
        self.node.and_then(schema::boolean)
    }

    /// Whether this is a scalar and no number, boolean or null.
    pub(crate) fn is_string(self) -> bool {
        self.node.is_some_and(schema::is_string)
    }

    /// The line it begins on, from 1.
    pub(crate) fn line(self) -> usize {
        self.node.map_or(1, |node| node.line)
    }

    /// Whether YAML took the rest of the line behind this plain text for a comment.
    pub(crate) fn is_plain_before_comment(self) -> bool {
        let Some(node) = self.node else { return false };
        let is_plain = matches!(node.content, Content::Scalar { is_plain: true, .. });
        let next = self
            .tree
            .comments
            .partition_point(|comment| *comment < node.end);
        let between = self
            .tree
            .comments
            .get(next)
            .and_then(|comment| self.tree.source.get(node.end..*comment));
        is_plain && between.is_some_and(|text| text.chars().all(|it| matches!(it, ' ' | '\t')))
    }

    /// The items of a sequence; none for another shape.
    pub(crate) fn items(self) -> impl Iterator<Item = Value<'d>> {
        let items: &[NodeId] = match self.node.map(|node| &node.content) {
            Some(Content::Sequence(items)) => items,
            _ => &[],
        };
        items.iter().map(move |item| Self::at(self.tree, *item))
    }

    /// The mapping's own entries in order, without merge keys; none for another shape.
    pub(crate) fn entries(self) -> impl Iterator<Item = (Value<'d>, Value<'d>)> {
        self.pairs()
            .iter()
            .map(move |(key, value)| (Self::at(self.tree, *key), Self::at(self.tree, *value)))
            .filter(|(key, _)| !key.node.is_some_and(schema::is_merge_key))
    }

    /// The value of a key that may stand once; null if the key is absent.
    ///
    /// # Errors
    /// [`YamlProblem::DuplicateKey`] if it stands twice, [`YamlProblem::Invalid`] if what is merged
    /// is no mapping.
    pub(crate) fn get(self, key: &'static str) -> Result<Value<'d>, YamlProblem> {
        let mut own = self.own(key);
        match (own.next(), own.next()) {
            (Some(_), Some(_)) => Err(YamlProblem::DuplicateKey(key)),
            (Some(value), None) => Ok(value),
            (None, _) => Ok(self.merged(key)?.unwrap_or(Self {
                tree: self.tree,
                node: None,
            })),
        }
    }

    /// As [`get`](Self::get), for a key whose repetition does no harm: the first one counts.
    pub(crate) fn get_first(self, key: &'static str) -> Result<Value<'d>, YamlProblem> {
        match self.own(key).next() {
            Some(value) => Ok(value),
            None => self.get(key),
        }
    }

    fn own(self, key: &'static str) -> impl Iterator<Item = Value<'d>> {
        let named = move |(found, value): (Value<'d>, Value<'d>)| {
            (found.key_text() == Some(key)).then_some(value)
        };
        self.entries().filter_map(named)
    }

    /// The text of a scalar used as a key, null or not.
    pub(crate) fn key_text(self) -> Option<&'d str> {
        match &self.node?.content {
            Content::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    fn pairs(self) -> &'d [(NodeId, NodeId)] {
        match self.node.map(|node| &node.content) {
            Some(Content::Mapping(pairs)) => pairs,
            _ => &[],
        }
    }

    /// The value of a key in the mappings that this one merges. The node budget bounds the search,
    /// because it counts what merging expands.
    fn merged(self, key: &'static str) -> Result<Option<Value<'d>>, YamlProblem> {
        for (merge, source) in self.pairs() {
            let is_merge = self
                .tree
                .nodes
                .get(*merge)
                .is_some_and(schema::is_merge_key);
            if !is_merge {
                continue;
            }
            let source = Self::at(self.tree, *source);
            let sources = match source.shape() {
                Shape::Mapping => vec![source],
                Shape::Sequence => source.items().collect(),
                Shape::Null | Shape::Scalar => return Err(merge_problem(source)),
            };
            for source in sources {
                if source.shape() != Shape::Mapping {
                    return Err(merge_problem(source));
                }
                let found = match source.own(key).next() {
                    Some(value) => Some(value),
                    None => source.merged(key)?,
                };
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }
}

fn merge_problem(source: Value<'_>) -> YamlProblem {
    YamlProblem::Invalid {
        detail: "a merge of something that is no mapping".to_owned(),
        place: Some(Place {
            line: source.line(),
            column: None,
        }),
    }
}
