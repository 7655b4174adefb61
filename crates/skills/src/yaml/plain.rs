//! The short way for what most frontmatter is: lines of `key: text`, unindented, the text plain or
//! between quotes.
//!
//! A text is read here only if every line is one that YAML can read in no other way; then the tree is
//! the one that [`compose`](super::compose) gives, node by node. Everything else is for the engine, so
//! nothing here is an error.

use std::borrow::Cow;

use super::schema::TagKind;
use super::tree::{Content, Node, NodeId, Tree};
use crate::limits::MAX_YAML_NODES;
use crate::text::{holds_only, holds_pair, is_printable_ascii};

/// Longest key in bytes that is read here; YAML looks further for the colon.
const MAX_KEY: usize = 64;

/// Entries for which there is room from the start.
const USUAL_ENTRIES: usize = 4;

/// The one mapping of the document.
const ROOT: NodeId = 0;

/// Composes a text of such entries; `None` if it holds anything else.
pub(super) fn compose_plain(source: &str) -> Option<Tree<'_>> {
    if !holds_text_only(source) {
        return None;
    }
    let mut nodes = Vec::with_capacity(1 + 2 * USUAL_ENTRIES);
    let mut entries = Vec::with_capacity(USUAL_ENTRIES);
    nodes.push(mapping(Vec::new()));
    let mut start = 0;
    for (line, number) in source.split('\n').zip(1..) {
        let end = start + line.len();
        if line.is_empty() && !entries.is_empty() {
            start = end + 1;
            continue;
        }
        let (key, value, is_plain) = entry(line)?;
        if nodes.len() + 2 > MAX_YAML_NODES {
            return None;
        }
        entries.push((nodes.len(), nodes.len() + 1));
        nodes.push(scalar(key, true, number, start + key.len()));
        nodes.push(scalar(value, is_plain, number, end));
        start = end + 1;
    }
    *nodes.get_mut(ROOT)? = mapping(entries);
    Some(Tree {
        source,
        nodes,
        root: Some(ROOT),
        comments: Vec::new(),
    })
}

/// Whether YAML takes every character for text wherever it stands, or ends a line at it.
fn holds_text_only(source: &str) -> bool {
    holds_only(source, |byte| (byte == b'\n') | is_printable_ascii(byte))
        || source.chars().all(|it| it == '\n' || is_text(it))
}

/// Whether YAML takes a character for text wherever it stands.
fn is_text(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{A0}'..='\u{D7FF}')
}

/// The entry of a line of text: a key of letters, digits, `-` and `_`, and a value; whether that is
/// plain.
fn entry(line: &str) -> Option<(&str, &str, bool)> {
    let colon = line.bytes().position(|byte| byte == b':')?;
    let (key, behind) = line.split_at_checked(colon)?;
    let value = behind.strip_prefix(": ")?;
    let is_key = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_');
    let is_plain_key =
        key.starts_with(char::is_alphabetic) && key.len() <= MAX_KEY && key.chars().all(is_key);
    if !is_plain_key {
        return None;
    }
    match between_quotes(value) {
        Some(inner) => Some((key, inner, false)),
        None => is_plain_value(value).then_some((key, value, true)),
    }
}

/// What a pair of quotes holds, if nothing in it is an escape or ends it.
fn between_quotes(value: &str) -> Option<&str> {
    ['"', '\''].iter().find_map(|quote| {
        let inner = value.strip_prefix(*quote)?.strip_suffix(*quote)?;
        (!inner.contains([*quote, '\\'])).then_some(inner)
    })
}

/// Whether a value begins with a letter or digit and holds nothing that ends a plain scalar or begins
/// a comment.
fn is_plain_value(value: &str) -> bool {
    value.starts_with(char::is_alphanumeric)
        && !value.ends_with([' ', ':'])
        && !holds_pair(value, |first, second| {
            ((first == b':') & (second == b' ')) | ((first == b' ') & (second == b'#'))
        })
}

fn mapping(entries: Vec<(NodeId, NodeId)>) -> Node<'static> {
    Node {
        size: 1 + 2 * entries.len(),
        content: Content::Mapping(entries),
        tag: TagKind::None,
        line: 1,
        end: 0,
        height: 1,
    }
}

fn scalar(text: &str, is_plain: bool, line: usize, end: usize) -> Node<'_> {
    Node {
        content: Content::Scalar {
            text: Cow::Borrowed(text),
            is_plain,
        },
        tag: TagKind::None,
        line,
        end,
        size: 1,
        height: 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::compose::compose;
    use super::{compose_plain, entry, is_text};

    /// Lines that are nearly plain: the pieces that decide are put together at random.
    fn line() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            4 => "[a-zA-Z0-9_-]{1,6}",
            3 => Just(": ".to_owned()),
            2 => Just(" ".to_owned()),
            2 => "[ -~]{1,3}",
            1 => "[\\x00-\u{ff}]{1,2}",
            1 => prop::sample::select(vec![":", " #", "#", "---", "...", "<<", "- ", "? ", "null", "~", "\t"])
                .prop_map(str::to_owned),
        ];
        let anything = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
        let entry = ("[a-zA-Z][a-zA-Z0-9_-]{0,8}", "[a-zA-Z0-9][ -~]{0,24}")
            .prop_map(|(key, value)| format!("{key}: {value}"));
        let quoted = (
            "[a-z]{1,3}",
            prop::sample::select(vec!["'", "\""]),
            "[ -~\u{a0}-\u{ff}]{0,8}",
        )
            .prop_map(|(key, quote, inner)| format!("{key}: {quote}{inner}{quote}"));
        prop_oneof![1 => anything, 6 => entry, 3 => quoted, 1 => Just(String::new())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn what_is_read_here_is_what_the_engine_reads(lines in prop::collection::vec(line(), 1..5)) {
            let text = lines.join("\n");
            if let Some(tree) = compose_plain(&text) {
                prop_assert_eq!(Ok(tree), compose(&text));
            }
        }
    }

    #[test]
    fn every_text_of_three_deciding_characters_is_read_as_the_engine_reads_it() {
        let deciding: Vec<char> = "a0:# -&!'\"[{,\\\t\n".chars().collect();
        let mut read = 0;
        for first in &deciding {
            for second in &deciding {
                for third in &deciding {
                    for (open, close) in [("a", "z"), ("'", "'"), ("\"", "\""), ("", "")] {
                        let text = format!("k: {open}{first}{second}{third}{close}\nl: 1");
                        if let Some(tree) = compose_plain(&text) {
                            read += 1;
                            assert_eq!(Ok(tree), compose(&text), "{text:?}");
                        }
                    }
                }
            }
        }
        assert!(read > 2_000, "{read}");
    }

    #[test]
    fn every_character_of_a_text_is_read_as_the_engine_reads_it() {
        let characters: Vec<char> = ('\0'..='\u{D7FF}').filter(|it| is_text(*it)).collect();
        for some in characters.chunks(64) {
            let lines = some.iter().flat_map(|it| {
                [
                    format!("k: a{it}b"),
                    format!("k: a{it}"),
                    format!("k: {it}"),
                    format!("a{it}: b"),
                    format!("{it}: b"),
                    format!("k: '{it}'"),
                ]
            });
            let lines: Vec<String> = lines.filter(|line| entry(line).is_some()).collect();
            let text = lines.join("\n");
            assert_eq!(
                Ok(compose_plain(&text).unwrap()),
                compose(&text),
                "{some:?}"
            );
        }
    }

    #[test]
    fn what_yaml_may_read_otherwise_is_left_to_the_engine() {
        for text in [
            "",
            "\n",
            "\na: b",
            "a: b\n ",
            "a: b\n\n c",
            "a",
            "a:",
            "a: ",
            "a: b ",
            "a: b:",
            "a: b: c",
            "a: b # c",
            "a:  b",
            " a: b",
            "a: 'b",
            "a: 'b''c'",
            "a: \"b\\c\"",
            "a: '",
            "a: [b]",
            "a: -b",
            "a: ~",
            "a: &b c",
            "a: *b",
            "a: !b c",
            "a: |",
            "a: b\u{85}",
            "a: \u{feff}b",
            "a: b\tc",
            "a: b\r",
            "a: b\n c",
            "- a: b",
            "? a: b",
            "<<: b",
            "1: b",
            "\"a\": b",
            "a: b\n---\nc: d",
            "a: b\n...",
            "# c\na: b",
            "%A b: c",
        ] {
            assert!(compose_plain(text).is_none(), "{text:?}");
        }
    }
}
