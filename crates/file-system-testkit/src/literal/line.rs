//! One line of a tree literal, taken apart.

use crate::contents::Contents;
use crate::flavor::Flavor;
use crate::literal::percent::decode;
use crate::literal::{TreeEntry, TreeError, TreeItem, TreeProblem};

/// One entry of a tree literal, and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct Line<'t> {
    number: usize,
    text: &'t str,
    /// What the line asks for.
    pub(crate) entry: TreeEntry,
}

impl Line<'_> {
    /// This line as the place of a problem.
    pub(crate) fn error(&self, problem: TreeProblem) -> TreeError {
        TreeError {
            line: self.number,
            text: self.text.to_owned(),
            problem,
        }
    }
}

/// Takes a tree literal apart, as a machine of this flavor spells it.
pub(crate) fn parse(flavor: Flavor, tree: &str) -> Result<Vec<Line<'_>>, TreeError> {
    let mut lines = Vec::new();
    for (index, raw) in tree.split('\n').enumerate() {
        let text = raw.trim_start();
        if text.is_empty() {
            continue;
        }
        let number = index + 1;
        let entry = parse_entry(flavor, text).map_err(|problem| TreeError {
            line: number,
            text: text.to_owned(),
            problem,
        })?;
        lines.push(Line {
            number,
            text,
            entry,
        });
    }
    Ok(lines)
}

fn parse_entry(flavor: Flavor, text: &str) -> Result<TreeEntry, TreeProblem> {
    let (head, operator) = split_operator(text);
    let (path, mode) = split_mode(head);
    let item = match operator {
        Some(Operator::Text(text)) => TreeItem::File(Contents::from(decoded(text)?)),
        Some(Operator::Pattern(count)) => TreeItem::File(Contents::Pattern(byte_count(count)?)),
        Some(Operator::Zeros(count)) => TreeItem::File(Contents::Zeros(byte_count(count)?)),
        Some(Operator::Link(_)) if mode.is_some() => return Err(TreeProblem::ModeOnLink),
        Some(Operator::Link(target)) => TreeItem::Link(decoded(target)?),
        Some(Operator::Fifo) => TreeItem::Fifo,
        None if flavor.ends_with_separator(path) => TreeItem::Directory,
        None => return Err(TreeProblem::NoKind),
    };
    let (root, segments) = flavor
        .split_literal_path(path)
        .ok_or(TreeProblem::EmptyPath)?;
    let names = segments
        .map(|segment| {
            flavor
                .name_from_literal(&decoded(segment)?)
                .ok_or(TreeProblem::InvalidName)
        })
        .collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() && !matches!(item, TreeItem::Directory) {
        return Err(TreeProblem::EmptyPath);
    }
    Ok(TreeEntry {
        root,
        names,
        item,
        mode,
    })
}

enum Operator<'t> {
    Text(&'t str),
    Pattern(&'t str),
    Zeros(&'t str),
    Link(&'t str),
    Fifo,
}

/// The path with its mode, and the first operator of the line with what follows it.
fn split_operator(text: &str) -> (&str, Option<Operator<'_>>) {
    for (at, _) in text.match_indices(' ') {
        let (head, tail) = text.split_at(at);
        let operator = if let Some(text) = tail.strip_prefix(" = ") {
            Operator::Text(text)
        } else if let Some(count) = tail.strip_prefix(" =*") {
            Operator::Pattern(count)
        } else if let Some(count) = tail.strip_prefix(" =~") {
            Operator::Zeros(count)
        } else if let Some(target) = tail.strip_prefix(" -> ") {
            Operator::Link(target)
        } else if tail == " =" {
            Operator::Text("")
        } else if tail == " |" {
            Operator::Fifo
        } else {
            continue;
        };
        return (head, Some(operator));
    }
    (text, None)
}

/// The path alone, and the mode if one stands behind it.
fn split_mode(head: &str) -> (&str, Option<u32>) {
    let Some((path, digits)) = head.rsplit_once(" !") else {
        return (head, None);
    };
    let is_octal = digits.bytes().all(|digit| matches!(digit, b'0'..=b'7'));
    match u32::from_str_radix(digits, 8) {
        Ok(mode) if is_octal && matches!(digits.len(), 3 | 4) => (path, Some(mode)),
        _ => (head, None),
    }
}

fn decoded(text: &str) -> Result<Vec<u8>, TreeProblem> {
    decode(text).ok_or(TreeProblem::MalformedEscape)
}

fn byte_count(text: &str) -> Result<u64, TreeProblem> {
    text.parse().map_err(|_| TreeProblem::InvalidCount)
}
