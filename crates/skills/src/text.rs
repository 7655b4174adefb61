//! Text from files: folded for use, escaped and cut for messages.
//!
//! Nothing here decides what a text means. [`fold`] is the one notion of white space of this crate,
//! and [`Foreign`] is the only way in which text from an environment gets into a message.

use std::fmt::{self, Write};

/// Most characters of foreign text that one message shows.
const MAX_SHOWN_CHARS: usize = 120;

/// Splits at Unicode white space and joins with one space; blank text becomes empty.
pub(crate) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As [`fold`], with nothing for blank text.
pub(crate) fn fold_to_some(text: &str) -> Option<String> {
    Some(fold(text)).filter(|folded| !folded.is_empty())
}

/// Whether a text has more than `limit` Unicode scalar values.
pub(crate) fn is_longer_than(text: &str, limit: usize) -> bool {
    text.len() > limit && text.chars().nth(limit).is_some()
}

/// Whether a character ends a line, acts on the display or shows nothing, instead of showing something.
pub(crate) fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{E0000}'..='\u{E007F}'
        )
}

/// Shows at most 120 characters of foreign text; what could break a line or turn the reading
/// direction is shown as `\u{..}`.
pub(crate) struct Foreign<'a>(pub(crate) &'a str);

impl fmt::Display for Foreign<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(MAX_SHOWN_CHARS) {
            if is_invisible(character) {
                write!(formatter, "{}", character.escape_unicode())?;
            } else {
                formatter.write_char(character)?;
            }
        }
        if characters.next().is_some() {
            formatter.write_char('…')?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Foreign, fold, fold_to_some, is_longer_than};

    #[test]
    fn every_unicode_white_space_folds_to_one_space() {
        assert_eq!(fold(" a\u{a0}\u{3000}b\r\n\tc\u{2028}"), "a b c");
        assert_eq!(fold_to_some(" \u{85} "), None);
    }

    #[test]
    fn length_is_counted_in_characters() {
        assert!(!is_longer_than("技能", 2));
        assert!(is_longer_than("技能", 1));
    }

    #[test]
    fn foreign_text_stays_on_its_line_and_ends() {
        let shown = Foreign(&format!("a\n\u{202e}{}", "x".repeat(200))).to_string();
        assert_eq!(shown, format!("a\\u{{a}}\\u{{202e}}{}…", "x".repeat(117)));
    }
}
