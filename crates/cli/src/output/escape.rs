//! Text from files and paths, made safe for a terminal.
//!
//! A file name may hold a newline that forges a row, an escape sequence that repaints the screen,
//! or a bidirectional override that shows one name and means another. Such characters are shown
//! as escapes; everything else, backslashes included, stays as it is. The result is for people:
//! it cannot be turned back. JSON has escapes of its own and carries the exact text.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::text::grouped;

/// Most bytes that are shown of what a server or a library says of one failure.
const LONGEST_TEXT: usize = 4 * 1024;

/// `text` with control characters, bidirectional controls and invisible characters escaped.
///
/// ```text
/// a<TAB>b        a\tb
/// x<ESC>[2Jy     x\u{1b}[2Jy
/// gnp.<U+202E>   gnp.\u{202e}
/// ```
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.chars().any(needs_escape) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\t' => shown.push_str("\\t"),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            _ if needs_escape(character) => {
                // Writing to a `String` cannot fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// `text` with the same characters escaped, but for tabs and the ends of its lines.
pub(crate) fn escaped_lines(text: &str) -> String {
    let line = |line: &str| {
        let end = ["\r\n", "\n"]
            .into_iter()
            .find(|end| line.ends_with(end))
            .unwrap_or_default();
        let cells = line.strip_suffix(end).unwrap_or(line).split('\t');
        let cells: Vec<Cow<'_, str>> = cells.map(escaped).collect();
        cells.join("\t") + end
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Whether a terminal would act on `character`, or a person could not see it.
pub(crate) fn needs_escape(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            // Zero width space; the joiners U+200C and U+200D shape visible text and stay.
            | '\u{200b}'
            // Marks, embeddings, overrides and isolates of the bidirectional algorithm.
            | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Line and paragraph separators.
            | '\u{2028}'..='\u{2029}'
            // Invisible operators and the byte order mark.
            | '\u{2060}'..='\u{2065}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            // Tags: a whole invisible alphabet.
            | '\u{e0000}'..='\u{e007f}'
        )
}

/// As much of a text from elsewhere as a person can use; what is cut away is counted.
pub(crate) fn bounded(text: String) -> String {
    if text.len() <= LONGEST_TEXT {
        return text;
    }
    let kept = text.floor_char_boundary(LONGEST_TEXT);
    let bytes = grouped(u64::try_from(text.len()).unwrap_or(u64::MAX));
    format!("{}… (cut, {bytes} bytes in all)", &text[..kept])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmless_text_is_borrowed() {
        let text = r"C:\Users\Ana\naïve 日本 👩‍💻";
        assert!(matches!(escaped(text), Cow::Borrowed(shown) if shown == text));
    }

    #[test]
    fn a_text_without_end_is_cut_and_counted() {
        assert_eq!(bounded("a".repeat(LONGEST_TEXT)).len(), LONGEST_TEXT);
        let cut = bounded("é".repeat(1_000_000));
        assert!(cut.len() < LONGEST_TEXT + 40, "{}", cut.len());
        assert!(cut.ends_with("é… (cut, 2,000,000 bytes in all)"));
    }

    #[test]
    fn lines_keep_their_tabs_and_ends() {
        let text = "a\tb\r\n\rc\n\n\u{1b}[2J\t\u{202e}";
        let shown = "a\tb\r\n\\rc\n\n\\u{1b}[2J\t\\u{202e}";
        assert_eq!(escaped_lines(text), shown);
    }

    #[test]
    fn controls_and_overrides_are_shown_as_escapes() {
        assert_eq!(escaped("a\tb\nc\rd"), r"a\tb\nc\rd");
        assert_eq!(escaped("\u{1b}[2J\u{7f}\u{9b}"), r"\u{1b}[2J\u{7f}\u{9b}");
        assert_eq!(escaped("x\u{202e}gnp\u{2069}"), r"x\u{202e}gnp\u{2069}");
        assert_eq!(
            escaped("\u{feff}\u{200b}\u{2028}\u{e0041}"),
            r"\u{feff}\u{200b}\u{2028}\u{e0041}"
        );
    }
}
