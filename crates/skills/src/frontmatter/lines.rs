//! What each line of a frontmatter block is, told without parsing YAML.
//!
//! Finding the end of the block and repairing its values both need to know which lines are entries
//! (`KEY: VALUE`), which belong to the value of an entry above, and which are the text of a block
//! scalar. This is a line grammar of its own: it never fails, and it decides nothing about validity.

/// Splits a text into lines, each without its end: LF, CRLF or CR, as in YAML.
///
/// The piece after the last line end is a line too, empty if the text ends there.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (line, after) = split_line(rest?);
        rest = after;
        Some(line)
    })
}

/// The first line without its end, and what follows that end, if there is one.
pub(super) fn split_line(text: &str) -> (&str, Option<&str>) {
    let is_end = |byte: u8| matches!(byte, b'\n' | b'\r');
    let end = text.bytes().position(is_end);
    let Some((line, tail)) = end.and_then(|end| text.split_at_checked(end)) else {
        return (text, None);
    };
    (line, tail.strip_prefix("\r\n").or_else(|| tail.get(1..)))
}

/// A line `INDENT (- )* KEY: VALUE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// Width of indent and sequence markers.
    pub(super) key_column: usize,
    /// Everything up to and including the colon.
    pub(super) head: &'a str,
    /// The key, trimmed, as written.
    pub(super) key: &'a str,
    /// What stands behind the colon, trimmed at its start.
    pub(super) value: &'a str,
    /// What kind of value that is.
    pub(super) kind: ValueKind,
}

/// What stands behind the colon of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// Nothing, or a comment: the value, if any, is on other lines.
    Empty,
    /// The header of a block scalar.
    BlockScalar,
    /// Anything else.
    Text,
}

/// Reads a line as an entry, if it is one.
pub(super) fn entry(line: &str) -> Option<Entry<'_>> {
    let mut rest = line.trim_start_matches(' ');
    while let Some(behind_marker) = rest.strip_prefix("- ") {
        rest = behind_marker.trim_start_matches(' ');
    }
    let start = line.len() - rest.len();
    let colon = start + rest.find(':')?;
    let (head, behind) = line.split_at_checked(colon + 1)?;
    let key = head.get(start..colon)?.trim();
    let value = behind.trim_start();
    let is_separated = behind.is_empty() || value.len() < behind.len();
    if key.is_empty() || key.starts_with('#') || !is_separated {
        return None;
    }
    let kind = if value.is_empty() || value.starts_with('#') {
        ValueKind::Empty
    } else if is_block_scalar_header(value) {
        ValueKind::BlockScalar
    } else {
        ValueKind::Text
    };
    Some(Entry {
        key_column: start,
        head,
        key,
        value,
        kind,
    })
}

/// Whether a value is `|` or `>` with its indicators, a comment behind it or properties before it.
fn is_block_scalar_header(value: &str) -> bool {
    let mut rest = value;
    while rest.starts_with(['&', '!']) {
        let Some((_, behind)) = rest.split_once(char::is_whitespace) else {
            return false;
        };
        rest = behind.trim_start();
    }
    let Some(mut rest) = rest.strip_prefix(['|', '>']) else {
        return false;
    };
    let (mut has_indent, mut has_chomping) = (false, false);
    while let Some(indicator) = rest.chars().next() {
        match indicator {
            '1'..='9' if !has_indent => has_indent = true,
            '+' | '-' if !has_chomping => has_chomping = true,
            _ => break,
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    let tail = rest.trim_start();
    tail.is_empty() || (tail.starts_with('#') && tail.len() < rest.len())
}

/// What a line is, in the light of the lines above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind<'a> {
    /// An entry.
    Entry(Entry<'a>),
    /// A blank or deeper line below an entry with text: part of its value.
    Owned,
    /// Text of a block scalar.
    Scalar,
    /// Anything else.
    Other,
}

/// Tells the kind of one line after another.
#[derive(Debug, Default)]
pub(super) struct LineReader {
    open: Option<(usize, ValueKind)>,
}

impl LineReader {
    /// What the next line is.
    pub(super) fn read<'a>(&mut self, line: &'a str) -> LineKind<'a> {
        if let Some((column, kind)) = self.open {
            let indent = line.len() - line.trim_start_matches(' ').len();
            if line.trim().is_empty() || indent > column {
                return match kind {
                    ValueKind::BlockScalar => LineKind::Scalar,
                    ValueKind::Empty | ValueKind::Text => LineKind::Owned,
                };
            }
        }
        let entry = entry(line);
        self.open = entry
            .filter(|entry| entry.kind != ValueKind::Empty)
            .map(|entry| (entry.key_column, entry.kind));
        entry.map_or(LineKind::Other, LineKind::Entry)
    }
}

/// Splits a line before its comment: a `#` that is first or stands after white space.
pub(super) fn split_comment(line: &str) -> (&str, Option<&str>) {
    let mut after_blank = true;
    for (at, character) in line.char_indices() {
        if character == '#' && after_blank {
            let (text, comment) = line.split_at(at);
            return (text, Some(comment));
        }
        after_blank = character.is_whitespace();
    }
    (line, None)
}

#[cfg(test)]
mod tests {
    use super::{
        LineKind, LineReader, ValueKind, entry, is_block_scalar_header, lines, split_comment,
    };

    #[test]
    fn lines_end_at_lf_crlf_and_cr() {
        assert_eq!(
            lines("a\r\nb\rc\n\nd").collect::<Vec<_>>(),
            ["a", "b", "c", "", "d"]
        );
        assert_eq!(lines("a\n").collect::<Vec<_>>(), ["a", ""]);
    }

    #[test]
    fn an_entry_needs_a_key_and_a_separated_value() {
        let read = |line| entry(line).map(|it| (it.key_column, it.key, it.value, it.kind));
        assert_eq!(read("a: b: c"), Some((0, "a", "b: c", ValueKind::Text)));
        assert_eq!(read("  - - k:"), Some((6, "k", "", ValueKind::Empty)));
        assert_eq!(read("k: # c"), Some((0, "k", "# c", ValueKind::Empty)));
        assert_eq!(read("k:\tv"), Some((0, "k", "v", ValueKind::Text)));
        assert_eq!(read("k: |"), Some((0, "k", "|", ValueKind::BlockScalar)));
        for line in ["", "k", "k:v", "# k: v", ": v", "http://x: y"] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn block_scalar_headers() {
        for header in [
            "|",
            ">",
            "|2",
            ">-",
            "|+1",
            "|2-  # c",
            "&a |",
            "!!str &b > # c",
        ] {
            assert!(is_block_scalar_header(header), "{header}");
        }
        for text in ["| text", "|#c", "|22", "|+-", "|0", "&a", "x |", ">>"] {
            assert!(!is_block_scalar_header(text), "{text}");
        }
    }

    #[test]
    fn values_own_deeper_lines_and_scalars_keep_theirs() {
        let mut reader = LineReader::default();
        let mut kind = |line| match reader.read(line) {
            LineKind::Entry(entry) => entry.key.to_owned(),
            other => format!("{other:?}"),
        };
        assert_eq!(kind("a: text"), "a");
        assert_eq!(kind("  b: deeper"), "Owned");
        assert_eq!(kind("c: |"), "c");
        assert_eq!(kind("  d: scalar"), "Scalar");
        assert_eq!(kind(""), "Scalar");
        assert_eq!(kind("e:"), "e");
        assert_eq!(kind("  f: own"), "f");
        assert_eq!(kind("g"), "Other");
    }

    #[test]
    fn a_comment_is_first_or_after_white_space() {
        assert_eq!(split_comment("C # d # e"), ("C ", Some("# d # e")));
        assert_eq!(split_comment("C# d"), ("C# d", None));
        assert_eq!(split_comment("# d"), ("", Some("# d")));
    }
}
