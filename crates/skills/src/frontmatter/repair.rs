//! Quoting what people write as prose and YAML reads as syntax.
//!
//! `description: Build for AWS: ECS` is no YAML, and everybody knows what it means. A repair writes
//! such a value between single quotes and changes nothing else: it never adds, drops or reorders an
//! entry, and never touches a block scalar. Whether the result parses is for the caller to find out.

use std::borrow::Cow;
use std::collections::HashSet;

use super::lines::{Entry, LineKind, LineReader, ValueKind, entry, split_comment};
use crate::yaml;

/// Keys whose value is a text, also where it can be read as a list or a mapping: a list in which a
/// colon stands is prose, as the template that a generator leaves behind.
const TEXT_KEYS: [&str; 3] = ["name", "description", "short-description"];

/// One line of a block, as written or as repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The text, without a line end.
    pub(super) text: Cow<'a, str>,
    /// Whether quoting left a comment out of what had been plain text.
    pub(super) lost_comment: bool,
}

impl<'a> From<&'a str> for Line<'a> {
    fn from(text: &'a str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            lost_comment: false,
        }
    }
}

/// Whether a block is parsed otherwise than it is written: it may hold an anchor or a tag, or lines
/// that do not end at LF alone.
pub(super) fn may_change_before_parsing(block: &str) -> bool {
    block.contains(['&', '!', '\r'])
}

/// Quotes what YAML would read without an error, but not as meant: a description that begins with
/// an anchor nobody refers to, or with a tag. `None` if there is nothing of the kind.
pub(super) fn quote_silent_losses<'a>(lines: &[Line<'a>]) -> Option<Vec<Line<'a>>> {
    let mut entries = lines.iter().filter_map(|line| entry(&line.text));
    let outer_column = entries.next()?.key_column;
    let mut aliases = None;
    let is_prose = |entry: &Entry<'_>| {
        let is_description = match unquoted(entry.key) {
            "description" => entry.key_column == outer_column,
            "short-description" => true,
            _ => false,
        };
        is_description && entry.value.starts_with(['&', '!'])
    };
    quote_where(lines, is_prose, |value| {
        match value.text.split_at_checked(1) {
            Some(("&", rest)) => first_word(rest).is_some_and(|word| {
                !aliases
                    .get_or_insert_with(|| words(lines, '*'))
                    .contains(word)
            }),
            Some(("!", rest)) => !rest.starts_with(['!', '<']),
            _ => false,
        }
    })
}

/// Quotes what YAML refuses. `None` if there is nothing to quote.
pub(super) fn quote_refused<'a>(lines: &[Line<'a>]) -> Option<Vec<Line<'a>>> {
    let mut anchors = None;
    quote_where(
        lines,
        |_| true,
        |value| match value.text.chars().next() {
            Some('"' | '\'') => !yaml::is_valid_alone(&value.source),
            Some('[' | '{') => {
                let is_due_text = TEXT_KEYS.contains(&unquoted(value.entry.key));
                (is_due_text && holds_separator(&value.text))
                    || !yaml::is_valid_alone(&value.source)
            }
            Some('*') => !value.text.get(1..).is_some_and(|alias| {
                anchors
                    .get_or_insert_with(|| words(lines, '&'))
                    .contains(alias)
            }),
            Some('|' | '>' | '%' | '@' | '`' | ',' | ']' | '}') => true,
            _ if is_indicator(&value.text) => true,
            _ => holds_separator(&value.text),
        },
    )
}

/// The value of an entry, with the lines it owns.
struct Value<'l> {
    entry: Entry<'l>,
    /// As written, for a parser.
    source: String,
    /// As meant: without comments, on one line.
    text: String,
    /// The comment of the first line.
    comment: Option<&'l str>,
    /// Whether there was a comment anywhere.
    has_comment: bool,
    /// How many lines follow the first.
    owned: usize,
}

impl<'l> Value<'l> {
    fn read(entry: Entry<'l>, owned: &[&'l str]) -> Self {
        let (first, comment) = split_comment(entry.value);
        let mut value = Self {
            entry,
            source: entry.value.to_owned(),
            text: first.trim().to_owned(),
            comment,
            has_comment: comment.is_some(),
            owned: owned.len(),
        };
        for line in owned {
            value.source.push('\n');
            value.source.push_str(line);
            let (text, comment) = split_comment(line);
            value.text.push(' ');
            value.text.push_str(text.trim());
            value.has_comment |= comment.is_some();
        }
        // Blank and comment lines at the end leave only spaces behind.
        value.text.truncate(value.text.trim_end().len());
        value
    }

    fn quoted<'a>(&self) -> Line<'a> {
        let text = without_outer_quotes(&self.text).replace('\'', "''");
        let mut line = format!("{} '{text}'", self.entry.head);
        if let Some(comment) = self.comment.filter(|_| self.owned == 0) {
            line.push(' ');
            line.push_str(comment);
        }
        Line {
            text: Cow::Owned(line),
            lost_comment: self.has_comment,
        }
    }
}

/// Rewrites every entry with a text that both choose: one by the first line, one by the whole value.
fn quote_where<'a>(
    lines: &[Line<'a>],
    is_candidate: impl Fn(&Entry<'_>) -> bool,
    mut is_quoted: impl FnMut(&Value<'_>) -> bool,
) -> Option<Vec<Line<'a>>> {
    let mut reader = LineReader::default();
    let kinds: Vec<_> = lines.iter().map(|line| reader.read(&line.text)).collect();
    let is_candidate = |kind: &LineKind<'_>| matches!(kind, LineKind::Entry(entry) if entry.kind == ValueKind::Text && is_candidate(entry));
    if !kinds.iter().any(is_candidate) {
        return None;
    }
    let mut quoted = Vec::with_capacity(lines.len());
    let mut is_changed = false;
    let mut rest = lines.iter().zip(kinds).peekable();
    while let Some((line, kind)) = rest.next() {
        let entry = match kind {
            LineKind::Entry(entry) if is_candidate(&kind) => entry,
            _ => {
                quoted.push(line.clone());
                continue;
            }
        };
        let mut below = Vec::new();
        while let Some((line, _)) = rest.next_if(|(_, kind)| *kind == LineKind::Owned) {
            below.push(line);
        }
        let last_owned = below.iter().rposition(|line| !line.text.trim().is_empty());
        let (owned, blank) = below.split_at(last_owned.map_or(0, |last| last + 1));
        let texts: Vec<&str> = owned.iter().map(|line| line.text.as_ref()).collect();
        let value = Value::read(entry, &texts);
        if is_quoted(&value) {
            is_changed = true;
            quoted.push(value.quoted());
        } else {
            quoted.push(line.clone());
            quoted.extend(owned.iter().map(|line| (*line).clone()));
        }
        quoted.extend(blank.iter().map(|line| (*line).clone()));
    }
    is_changed.then_some(quoted)
}

/// Takes off a pair of quotes around the whole text, unless an inner one could end the value.
fn without_outer_quotes(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner.filter(|inner| are_apostrophes(inner, quote)) {
            return inner;
        }
    }
    text
}

/// Whether each `quote` in a text stands between two letters or digits.
fn are_apostrophes(text: &str, quote: char) -> bool {
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_between = before.is_some_and(char::is_alphanumeric)
            && characters.peek().is_some_and(|next| next.is_alphanumeric());
        if character == quote && !is_between {
            return false;
        }
        before = Some(character);
    }
    true
}

/// A sequence or complex key marker, which cannot stand where a value is due.
fn is_indicator(text: &str) -> bool {
    let behind = text.strip_prefix(['-', '?']);
    behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Whether a text holds a colon that YAML takes for the end of a key.
fn holds_separator(text: &str) -> bool {
    let mut behind_colons = text.split(':').skip(1);
    text.ends_with(':') || behind_colons.any(|behind| behind.starts_with(char::is_whitespace))
}

/// The key without the quotes that JSON-like blocks put around it.
fn unquoted(key: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| key.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(key)
}

/// The word that an anchor or alias sigil names, if one follows it.
fn first_word(behind_sigil: &str) -> Option<&str> {
    behind_sigil
        .split(ends_word)
        .next()
        .filter(|word| !word.is_empty())
}

fn ends_word(character: char) -> bool {
    character.is_whitespace() || ",[]{}".contains(character)
}

/// Every word of a block that stands behind a sigil where a token can begin.
fn words<'l>(lines: &'l [Line<'_>], sigil: char) -> HashSet<&'l str> {
    let tokens = lines.iter().flat_map(|line| line.text.split(ends_word));
    tokens
        .filter_map(|token| token.strip_prefix(sigil))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Line, holds_separator, quote_refused, quote_silent_losses, without_outer_quotes};

    fn refused(block: &str) -> Option<String> {
        quote_refused(&block.lines().map(Line::from).collect::<Vec<_>>()).map(joined)
    }

    fn silent(block: &str) -> Option<String> {
        quote_silent_losses(&block.lines().map(Line::from).collect::<Vec<_>>()).map(joined)
    }

    fn joined(lines: Vec<Line<'_>>) -> String {
        let texts: Vec<_> = lines.iter().map(|line| line.text.as_ref()).collect();
        texts.join("\n")
    }

    #[test]
    fn prose_is_quoted_where_yaml_refuses_it() {
        for (value, quoted) in [
            ("Build for AWS: ECS", "'Build for AWS: ECS'"),
            ("Use when asked:", "'Use when asked:'"),
            ("it's: tricky", "'it''s: tricky'"),
            ("a: b # c", "'a: b' # c"),
            ("%x", "'%x'"),
            ("? q", "'? q'"),
            ("- q", "'- q'"),
            ("| pipe", "'| pipe'"),
            ("*bold* text", "'*bold* text'"),
            ("\"quoted\" then", "'\"quoted\" then'"),
            ("'it's fine'", "'it''s fine'"),
            ("[a] b", "'[a] b'"),
            ("{open", "'{open'"),
        ] {
            assert_eq!(
                refused(&format!("k: {value}")),
                Some(format!("k: {quoted}"))
            );
        }
        for value in [
            "text", "a:b", "-x", "\"a: b\"", "[a, b]", "|", "# a: b", "http://x",
        ] {
            assert_eq!(refused(&format!("k: {value}")), None, "{value}");
        }
    }

    #[test]
    fn owned_lines_join_the_value_and_trailing_blanks_stay() {
        assert_eq!(
            refused("k: a: b # x\n  c # y\n\nl: d"),
            Some("k: 'a: b c'\n\nl: d".to_owned())
        );
        assert_eq!(refused("k:\n  l: m: n"), Some("k:\n  l: 'm: n'".to_owned()));
    }

    #[test]
    fn markers_and_block_scalars_are_kept() {
        assert_eq!(refused("- - k: a: b"), Some("- - k: 'a: b'".to_owned()));
        assert_eq!(refused("k: |\n  a: b: c\n  %"), None);
    }

    #[test]
    fn aliases_of_anchors_in_the_block_are_kept() {
        assert_eq!(refused("a: &x 1\nb: *x"), None);
        assert_eq!(refused("b: *x"), Some("b: '*x'".to_owned()));
    }

    #[test]
    fn anchors_without_alias_and_tags_are_prose_in_descriptions_only() {
        assert_eq!(
            silent("description: &amp x"),
            Some("description: '&amp x'".to_owned())
        );
        assert_eq!(
            silent("description: !bang x"),
            Some("description: '!bang x'".to_owned())
        );
        assert_eq!(
            silent("metadata:\n  short-description: !x"),
            Some("metadata:\n  short-description: '!x'".to_owned())
        );
        for block in [
            "description: &d x\nfoo: *d",
            "description: !!str x",
            "description: !<x> y",
            "description: & x",
            "name: !foo x",
            "a:\n  description: !x",
            "description: !x |\n  text",
        ] {
            assert_eq!(silent(block), None, "{block}");
        }
    }

    #[test]
    fn a_separator_is_a_colon_before_white_space_or_at_the_end() {
        assert!(holds_separator("a: b") && holds_separator("a:b:") && holds_separator("a:\tb"));
        assert!(!holds_separator("a:b") && !holds_separator("a") && !holds_separator("::a"));
    }

    #[test]
    fn outer_quotes_go_only_if_inner_ones_are_apostrophes() {
        assert_eq!(without_outer_quotes("'don't'"), "don't");
        assert_eq!(without_outer_quotes("'a' b 'c'"), "'a' b 'c'");
        assert_eq!(without_outer_quotes("\""), "\"");
        assert_eq!(without_outer_quotes("\"\""), "");
    }
}
