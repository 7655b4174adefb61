//! A bound on how deep TOML text may nest.
//!
//! The parser bounds brackets and the segments of one dotted key, but not their product: a text
//! of 64 KiB can describe thousands of nested tables, and building or dropping them overflows the
//! stack. This check runs on the text before it is parsed. It never judges whether text is TOML.

/// The most levels that the brackets and dotted keys around one place may add up to.
pub(crate) const MAX_NESTING: usize = 128;

/// The offset at which `text` nests deeper than [`MAX_NESTING`], if it does.
///
/// A dot outside strings and comments counts as one level until the element it stands in ends,
/// so a float counts too: the bound is an upper one.
pub(crate) fn too_deep_at(text: &str) -> Option<usize> {
    // The dots of the current element of each open bracket, the top level first.
    let mut dots = vec![0_usize];
    let mut total = 0_usize;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let offset = text.len() - rest.len();
        match character {
            '[' | '{' => {
                dots.push(0);
                total += 1;
            }
            ']' | '}' if dots.len() > 1 => total -= 1 + dots.pop().unwrap_or_default(),
            '.' => {
                total += 1;
                if let Some(current) = dots.last_mut() {
                    *current += 1;
                }
            }
            ',' => total -= dots.last_mut().map(std::mem::take).unwrap_or_default(),
            '\n' if dots.len() == 1 => {
                total -= dots.last_mut().map(std::mem::take).unwrap_or_default();
            }
            _ => {}
        }
        if total > MAX_NESTING {
            return Some(offset);
        }
        rest = rest
            .get(token_length(rest, character)..)
            .unwrap_or_default();
    }
    None
}

/// The length in bytes of what begins `rest`: a whole string or comment, else one character.
fn token_length(rest: &str, first: char) -> usize {
    match first {
        '#' => rest.find('\n').unwrap_or(rest.len()),
        '"' | '\'' => string_length(rest, first),
        _ => first.len_utf8(),
    }
}

/// A one-line string that is not closed ends with its line, as it does for the parser.
fn string_length(rest: &str, quote: char) -> usize {
    let triple = if quote == '"' { "\"\"\"" } else { "'''" };
    let is_multiline = rest.starts_with(triple);
    let close = if is_multiline { triple } else { &triple[..1] };
    let mut offset = close.len();
    while let Some(tail) = rest.get(offset..).filter(|tail| !tail.is_empty()) {
        if tail.starts_with(close) {
            return offset
                + close.len()
                + if is_multiline {
                    extra_quotes(tail, quote)
                } else {
                    0
                };
        }
        match tail.chars().next() {
            Some('\n') if !is_multiline => return offset,
            Some('\\') if quote == '"' => offset += 1 + escaped_length(tail),
            Some(character) => offset += character.len_utf8(),
            None => break,
        }
    }
    rest.len()
}

/// A string in triple quotes may end with one or two quotes of its own.
fn extra_quotes(closing: &str, quote: char) -> usize {
    closing
        .chars()
        .skip(3)
        .take(2)
        .take_while(|character| *character == quote)
        .count()
}

/// The length of the character behind a backslash, unless it ends the line.
fn escaped_length(tail: &str) -> usize {
    tail.chars()
        .nth(1)
        .filter(|escaped| *escaped != '\n')
        .map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_dots_add_up() {
        let dotted = vec!["a"; 40].join(".");
        let nested = |depth: usize| {
            format!(
                "x = {}1{}",
                format!("{{{dotted} = ").repeat(depth),
                "}".repeat(depth)
            )
        };
        assert_eq!(too_deep_at(&nested(3)), None);
        assert!(too_deep_at(&nested(4)).is_some());
    }

    #[test]
    fn dots_and_brackets_in_strings_and_comments_are_not_counted() {
        let noise = ".[{".repeat(200);
        for text in [
            format!("a = \"{noise}\\\"{noise}\""),
            format!("a = '{noise}'"),
            format!("a = \"\"\"\n{noise}\n\\\"\"\"{noise}\"\"\""),
            format!("a = '''\n{noise}\n'''"),
            "a = \"\"\"b\"\"\"\"\n".repeat(200),
            format!("# {noise}\na = 1"),
            format!("a = \"{noise}"),
        ] {
            assert_eq!(too_deep_at(&text), None, "{text}");
        }
    }

    #[test]
    fn elements_beside_each_other_do_not_add_up() {
        assert_eq!(too_deep_at(&format!("a = [{}]", "1.5, ".repeat(500))), None);
        assert_eq!(too_deep_at(&"a.b.c = 1.5\n".repeat(500)), None);
        assert_eq!(too_deep_at(&"]}".repeat(500)), None);
    }
}
