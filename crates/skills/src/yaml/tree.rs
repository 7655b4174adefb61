//! A composed document as plain data.
//!
//! Nodes refer to each other by index. An alias is the index of the node it stands for, so a tree
//! never grows by expansion; `size` and `height` say what expansion would give.

use std::borrow::Cow;

use super::schema::TagKind;

/// Index of a node.
pub(super) type NodeId = usize;

/// The nodes of one document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree<'a> {
    /// The text the nodes were read from.
    pub(super) source: &'a str,
    /// Every node; what a collection holds stands behind it.
    pub(super) nodes: Vec<Node<'a>>,
    /// The outermost node.
    pub(super) root: Option<NodeId>,
    /// Byte offsets at which comments begin, ascending.
    pub(super) comments: Vec<usize>,
}

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node<'a> {
    pub(super) content: Content<'a>,
    pub(super) tag: TagKind,
    /// Line of the first character, from 1.
    pub(super) line: usize,
    /// Byte offset behind the last character.
    pub(super) end: usize,
    /// Nodes after the expansion of aliases, this one included.
    pub(super) size: usize,
    /// Collections inside each other after expansion, this one included.
    pub(super) height: usize,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content<'a> {
    Scalar { text: Cow<'a, str>, is_plain: bool },
    Sequence(Vec<NodeId>),
    Mapping(Vec<(NodeId, NodeId)>),
}
