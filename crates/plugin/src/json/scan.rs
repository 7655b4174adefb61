//! From text to a flat list of nodes, in one pass and without recursion.

use crate::ManifestProblem;

use super::document::{Kind, Node};
use super::lexemes::{literal_end, number_end, string_end};

/// Why a text is not JSON, and at which offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) problem: ManifestProblem,
    pub(super) at: usize,
}

impl Fault {
    /// A character that no JSON text has in this place.
    pub(super) fn syntax(at: usize) -> Self {
        Self {
            problem: ManifestProblem::Syntax,
            at,
        }
    }

    /// A text that stops early.
    pub(super) fn end(bytes: &[u8]) -> Self {
        Self {
            problem: ManifestProblem::UnexpectedEnd,
            at: bytes.len(),
        }
    }
}

/// What the grammar wants at the next token.
#[derive(Clone, Copy)]
enum Due {
    /// The value of a member, or the whole text's value.
    Value,
    /// A value or the end of an array just opened.
    FirstElement,
    /// A value behind a comma.
    Element,
    /// A key or the end of an object just opened.
    FirstKey,
    /// A key behind a comma.
    Key,
    Colon,
    /// A comma, or the end of the innermost container.
    Delimiter,
    /// White space only.
    Nothing,
}

/// A container whose end is not reached yet.
struct Open {
    node: usize,
    is_object: bool,
    /// Height of the tallest child closed so far.
    height: u32,
}

/// Scans a whole text. The root is the first node.
pub(super) fn scan(text: &str) -> Result<Vec<Node>, Fault> {
    if text.starts_with('\u{FEFF}') {
        return Err(Fault {
            problem: ManifestProblem::ByteOrderMark,
            at: 0,
        });
    }
    let nodes = Vec::with_capacity(text.len() / 12);
    let mut scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
        comma: 0,
        nodes,
        open: Vec::new(),
    };
    let mut due = Due::Value;
    loop {
        scanner.skip_white_space();
        let Some(byte) = scanner.bytes.get(scanner.at) else {
            return match due {
                Due::Nothing => Ok(scanner.nodes),
                _ => Err(Fault::end(scanner.bytes)),
            };
        };
        due = scanner.step(due, *byte)?;
    }
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Offset of the comma read last.
    comma: usize,
    nodes: Vec<Node>,
    open: Vec<Open>,
}

impl Scanner<'_> {
    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// Reads the token that begins with `byte`.
    fn step(&mut self, due: Due, byte: u8) -> Result<Due, Fault> {
        match (due, byte) {
            (Due::Nothing, _) => Err(Fault {
                problem: ManifestProblem::TrailingText,
                at: self.at,
            }),
            (Due::FirstElement, b']') | (Due::FirstKey, b'}') => Ok(self.close()),
            (Due::Delimiter, b']' | b'}') if self.closes_innermost(byte) => Ok(self.close()),
            (Due::Element | Due::Key, b']' | b'}') => Err(self.trailing_comma(self.comma)),
            (Due::FirstKey | Due::Key, b'"') => self.push_string().map(|()| Due::Colon),
            (Due::Colon, b':') => {
                self.at += 1;
                Ok(Due::Value)
            }
            (Due::Delimiter, b',') => {
                self.comma = self.at;
                self.at += 1;
                let in_object = self.open.last().is_some_and(|open| open.is_object);
                Ok(if in_object { Due::Key } else { Due::Element })
            }
            (Due::Value | Due::FirstElement | Due::Element, _) => self.read_value(byte),
            _ => Err(self.misplaced(byte)),
        }
    }

    fn read_value(&mut self, byte: u8) -> Result<Due, Fault> {
        let start = self.at;
        let (kind, end) = match byte {
            b'{' => return Ok(self.open(Kind::Object)),
            b'[' => return Ok(self.open(Kind::Array)),
            b'"' => {
                self.push_string()?;
                return Ok(self.after_value());
            }
            b't' => (Kind::Boolean, literal_end(self.bytes, start, "true")?),
            b'f' => (Kind::Boolean, literal_end(self.bytes, start, "false")?),
            b'n' => (Kind::Null, literal_end(self.bytes, start, "null")?),
            b'-' | b'0'..=b'9' => (Kind::Number, number_end(self.bytes, start)?),
            _ => return Err(self.misplaced(byte)),
        };
        self.push_leaf(kind, end);
        Ok(self.after_value())
    }

    fn push_string(&mut self) -> Result<(), Fault> {
        let (end, has_escape) = string_end(self.bytes, self.at)?;
        self.push_leaf(
            if has_escape {
                Kind::EscapedString
            } else {
                Kind::String
            },
            end,
        );
        Ok(())
    }

    fn push_leaf(&mut self, kind: Kind, end: usize) {
        let next = self.nodes.len() + 1;
        self.nodes.push(Node {
            kind,
            height: 0,
            start: self.at,
            end,
            next,
        });
        self.at = end;
    }

    fn open(&mut self, kind: Kind) -> Due {
        let is_object = kind == Kind::Object;
        self.open.push(Open {
            node: self.nodes.len(),
            is_object,
            height: 0,
        });
        // The end, the height and the next node are known when the container is closed.
        self.push_leaf(kind, self.at + 1);
        if is_object {
            Due::FirstKey
        } else {
            Due::FirstElement
        }
    }

    fn closes_innermost(&self, byte: u8) -> bool {
        self.open
            .last()
            .is_some_and(|open| open.is_object == (byte == b'}'))
    }

    fn close(&mut self) -> Due {
        self.at += 1;
        let next = self.nodes.len();
        if let Some(Open { node, height, .. }) = self.open.pop() {
            let height = height.saturating_add(1);
            if let Some(node) = self.nodes.get_mut(node) {
                (node.end, node.next, node.height) = (self.at, next, height);
            }
            if let Some(parent) = self.open.last_mut() {
                parent.height = parent.height.max(height);
            }
        }
        self.after_value()
    }

    fn after_value(&self) -> Due {
        if self.open.is_empty() {
            Due::Nothing
        } else {
            Due::Delimiter
        }
    }

    /// The fault of a character that begins no token that is due.
    fn misplaced(&self, byte: u8) -> Fault {
        match byte {
            b'/' | b'#' => Fault {
                problem: ManifestProblem::Comment,
                at: self.at,
            },
            b',' => self.trailing_comma(self.at),
            _ => Fault::syntax(self.at),
        }
    }

    /// The fault of a comma: named when a container ends behind it.
    fn trailing_comma(&self, comma: usize) -> Fault {
        let behind = self.bytes.get(comma + 1..).unwrap_or_default();
        let is_white = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\r' | b'\n');
        match behind.iter().find(|byte| !is_white(byte)) {
            Some(b']' | b'}') => Fault {
                problem: ManifestProblem::TrailingComma,
                at: comma,
            },
            _ => Fault::syntax(comma),
        }
    }
}
