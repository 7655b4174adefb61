//! From events to a tree, under the budgets.
//!
//! The budgets count what the document would be after the expansion of every alias, and they are
//! enforced while composing, so a document that breaks them costs no more than one that does not.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_saphyr::granit_parser::{self, Event, Marker, Parser, ScalarStyle, Span, Tag};

use super::schema::TagKind;
use super::tree::{Content, Node, NodeId, Tree};
use super::{Place, YamlProblem};
use crate::limits::{MAX_YAML_DEPTH, MAX_YAML_NODES};

/// Composes the one document of a text.
pub(super) fn compose(source: &str) -> Result<Tree<'_>, YamlProblem> {
    let options = granit_parser::options! {
        // Comments are data here, and the number of lines already bounds them.
        max_buffered_comment_events: usize::MAX,
    };
    let mut composer = Composer {
        tree: Tree {
            source,
            ..Tree::default()
        },
        open: Vec::new(),
        anchors: HashMap::new(),
        documents: 0,
    };
    for event in Parser::new_from_str_with_options(source, options) {
        let (event, span) = event.map_err(|error| invalid(&error.info(), *error.marker()))?;
        composer.take(event, span)?;
    }
    // Comments inside a value are reported before the value ends.
    composer.tree.comments.sort_unstable();
    Ok(composer.tree)
}

struct Composer<'a> {
    tree: Tree<'a>,
    /// Collections that have begun and not ended, outermost first.
    open: Vec<Open>,
    anchors: HashMap<usize, NodeId>,
    documents: usize,
}

struct Open {
    node: NodeId,
    anchor: usize,
    /// The key that waits for its value.
    key: Option<NodeId>,
}

impl<'a> Composer<'a> {
    fn take(&mut self, event: Event<'a>, span: Span) -> Result<(), YamlProblem> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain;
                let node = self.add(Content::Scalar { text, is_plain }, tag, span)?;
                self.define(anchor, node);
                self.attach(node)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.begin(Content::Sequence(Vec::new()), anchor, tag, span)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.begin(Content::Mapping(Vec::new()), anchor, tag, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.finish(),
            Event::Alias(anchor) => match self.anchors.get(&anchor) {
                Some(node) => self.attach(*node),
                None => Err(invalid(
                    "an alias inside the value of its own anchor",
                    span.start,
                )),
            },
            Event::DocumentStart(..) => {
                self.documents += 1;
                match self.documents {
                    1 => Ok(()),
                    _ => Err(invalid("more than one document", span.start)),
                }
            }
            Event::Comment(..) => {
                self.tree.comments.extend(span.start.byte_offset());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn add(
        &mut self,
        content: Content<'a>,
        tag: Option<Cow<'a, Tag>>,
        span: Span,
    ) -> Result<NodeId, YamlProblem> {
        let tag = TagKind::of(tag.as_deref());
        if !tag.fits(&content) {
            return Err(invalid("a tag of another kind of value", span.start));
        }
        let node = self.tree.nodes.len();
        if node >= MAX_YAML_NODES {
            return Err(YamlProblem::OverBudget("too many values"));
        }
        self.tree.nodes.push(Node {
            height: usize::from(!matches!(content, Content::Scalar { .. })),
            content,
            tag,
            line: span.start.line(),
            end: span.end.byte_offset().unwrap_or(self.tree.source.len()),
            size: 1,
        });
        Ok(node)
    }

    fn begin(
        &mut self,
        content: Content<'a>,
        anchor: usize,
        tag: Option<Cow<'a, Tag>>,
        span: Span,
    ) -> Result<(), YamlProblem> {
        let node = self.add(content, tag, span)?;
        self.open.push(Open {
            node,
            anchor,
            key: None,
        });
        self.check_depth(0)
    }

    fn finish(&mut self) -> Result<(), YamlProblem> {
        let Some(Open { node, anchor, .. }) = self.open.pop() else {
            return Ok(());
        };
        self.define(anchor, node);
        self.attach(node)
    }

    /// Anchors are defined only once their value is complete, so no value can contain itself.
    fn define(&mut self, anchor: usize, node: NodeId) {
        if anchor != 0 {
            self.anchors.insert(anchor, node);
        }
    }

    /// Puts a complete node where the open collection, or the document, waits for one.
    fn attach(&mut self, child: NodeId) -> Result<(), YamlProblem> {
        let Some(open) = self.open.last_mut() else {
            self.tree.root = Some(child);
            return Ok(());
        };
        let Some((size, height)) = self.tree.nodes.get(child).map(|it| (it.size, it.height)) else {
            return Ok(());
        };
        if let Some(parent) = self.tree.nodes.get_mut(open.node) {
            match &mut parent.content {
                Content::Mapping(entries) => match open.key.take() {
                    Some(key) => entries.push((key, child)),
                    None => open.key = Some(child),
                },
                Content::Sequence(items) => items.push(child),
                Content::Scalar { .. } => {}
            }
            parent.size = parent.size.saturating_add(size);
            parent.height = parent.height.max(height + 1);
            if parent.size > MAX_YAML_NODES {
                return Err(YamlProblem::OverBudget("too many values"));
            }
        }
        self.check_depth(height)
    }

    /// Whether something of this height fits below the open collections.
    fn check_depth(&self, height: usize) -> Result<(), YamlProblem> {
        if self.open.len() + height > MAX_YAML_DEPTH {
            return Err(YamlProblem::OverBudget(
                "too many collections inside each other",
            ));
        }
        Ok(())
    }
}

fn invalid(problem: &str, at: Marker) -> YamlProblem {
    YamlProblem::Invalid {
        detail: problem.to_owned(),
        place: Some(Place {
            line: at.line(),
            column: Some(at.col() + 1),
        }),
    }
}
