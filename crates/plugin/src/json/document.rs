//! A scanned text, and views of the values in it.

use std::borrow::Cow;

use crate::{ManifestError, ManifestProblem};

use super::escapes::decode;
use super::place::place_of;
use super::scan::scan;

/// The JSON type of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Number,
    String,
    /// A string that must be decoded.
    EscapedString,
    Array,
    Object,
}

/// One value, or one key, of the text. The children of a container follow it directly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Containers on the longest way down, this one included; 0 for other values.
    pub(super) height: u32,
    /// Offset of the first character.
    pub(super) start: usize,
    /// Offset behind the last character.
    pub(super) end: usize,
    /// Index of the first node behind this one and all below it.
    pub(super) next: usize,
}

/// A text that is one JSON value.
#[derive(Debug)]
pub(crate) struct Document<'t> {
    text: &'t str,
    nodes: Vec<Node>,
}

/// A value of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'d> {
    text: &'d str,
    nodes: &'d [Node],
    node: Node,
    /// Index behind this node.
    first_child: usize,
}

/// A key of an object and its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'d> {
    key: Value<'d>,
    pub(crate) value: Value<'d>,
}

/// The values inside a container, in document order.
#[derive(Clone, Debug)]
pub(crate) struct Elements<'d> {
    text: &'d str,
    nodes: &'d [Node],
    index: usize,
    end: usize,
}

/// The keys and values of an object, in document order.
#[derive(Clone, Debug)]
pub(crate) struct Members<'d>(Elements<'d>);

impl<'t> Document<'t> {
    /// Scans a text.
    pub(crate) fn scan(text: &'t str) -> Result<Self, ManifestError> {
        match scan(text) {
            Ok(nodes) => Ok(Self { text, nodes }),
            Err(fault) => Err(ManifestError::new(
                fault.problem,
                "",
                place_of(text, fault.at),
            )),
        }
    }

    /// The whole text's value, which must be an object.
    pub(crate) fn root_object(&self) -> Result<Value<'_>, ManifestError> {
        let Some(root) = value_at(self.text, &self.nodes, 0) else {
            return Err(ManifestError::new(
                ManifestProblem::UnexpectedEnd,
                "",
                (1, 1),
            ));
        };
        if root.node.kind == Kind::Object {
            return Ok(root);
        }
        Err(
            ManifestError::new(ManifestProblem::NotAnObject, "", root.place())
                .with_explanation(format!("found {}", root.shape())),
        )
    }
}

impl<'d> Value<'d> {
    /// The JSON type.
    pub(crate) fn kind(&self) -> Kind {
        self.node.kind
    }

    /// The JSON type in words, with an article.
    pub(crate) fn shape(&self) -> &'static str {
        match self.node.kind {
            Kind::Null => "null",
            Kind::Boolean => "a boolean",
            Kind::Number => "a number",
            Kind::String | Kind::EscapedString => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }

    /// Line and column of the first character, counted from 1.
    pub(crate) fn place(&self) -> (usize, usize) {
        place_of(self.text, self.node.start)
    }

    /// Containers on the longest way down, this value included.
    pub(crate) fn height(&self) -> u32 {
        self.node.height
    }

    /// The text of the value as it stands in the document.
    pub(crate) fn raw(&self) -> &'d str {
        self.text
            .get(self.node.start..self.node.end)
            .unwrap_or_default()
    }

    /// Whether the value is `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.node.kind == Kind::Null
    }

    /// Whether the value is a string.
    pub(crate) fn is_string(&self) -> bool {
        matches!(self.node.kind, Kind::String | Kind::EscapedString)
    }

    /// The decoded text of a string.
    pub(crate) fn as_text(&self) -> Option<Cow<'d, str>> {
        let quoted = self
            .text
            .get(self.node.start + 1..self.node.end.saturating_sub(1));
        match self.node.kind {
            Kind::String => quoted.map(Cow::Borrowed),
            Kind::EscapedString => quoted.map(decode),
            _ => None,
        }
    }

    /// The elements of an array.
    pub(crate) fn elements(&self) -> Option<Elements<'d>> {
        (self.node.kind == Kind::Array).then(|| self.children())
    }

    /// The members of an object, repeated keys included.
    pub(crate) fn members(&self) -> Option<Members<'d>> {
        (self.node.kind == Kind::Object).then(|| Members(self.children()))
    }

    /// The value of the first member with this key, if this is an object that has one.
    pub(crate) fn member(&self, key: &str) -> Option<Value<'d>> {
        self.members()?
            .find(|member| member.key() == key)
            .map(|member| member.value)
    }

    fn children(&self) -> Elements<'d> {
        let Self {
            text,
            nodes,
            node,
            first_child,
        } = *self;
        Elements {
            text,
            nodes,
            index: first_child,
            end: node.next,
        }
    }
}

impl<'d> Iterator for Elements<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        if self.index >= self.end {
            return None;
        }
        let element = value_at(self.text, self.nodes, self.index)?;
        self.index = element.node.next;
        Some(element)
    }
}

impl<'d> Iterator for Members<'d> {
    type Item = Member<'d>;

    fn next(&mut self) -> Option<Member<'d>> {
        let key = self.0.next()?;
        self.0.next().map(|value| Member { key, value })
    }
}

impl<'d> Member<'d> {
    /// The decoded key.
    pub(crate) fn key(&self) -> Cow<'d, str> {
        self.key.as_text().unwrap_or_default()
    }

    /// Line and column of the key's quote, counted from 1.
    pub(crate) fn key_place(&self) -> (usize, usize) {
        self.key.place()
    }
}

fn value_at<'d>(text: &'d str, nodes: &'d [Node], index: usize) -> Option<Value<'d>> {
    nodes.get(index).map(|node| Value {
        text,
        nodes,
        node: *node,
        first_child: index + 1,
    })
}
