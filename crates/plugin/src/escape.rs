//! Foreign text made safe to show.
//!
//! Text from an environment goes into messages only through here, so it can neither break a line,
//! turn the reading direction, nor bury what follows it.

use std::fmt::{self, Write};

use crate::namespace::breaks_or_turns;

/// Most characters of foreign text that a message shows.
const MAX_SHOWN_CHARS: usize = 120;

/// Shows at most 120 characters of a text, with those that act on the display as `\u{..}`.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        for character in characters.by_ref().take(MAX_SHOWN_CHARS) {
            if character.is_control() || breaks_or_turns(character) {
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
    use super::Escaped;

    #[test]
    fn acting_characters_are_escaped() {
        assert_eq!(
            Escaped("a\n\u{85}\u{2028}\u{202e}é").to_string(),
            "a\\u{a}\\u{85}\\u{2028}\\u{202e}é"
        );
    }

    #[test]
    fn long_text_is_cut_at_120_characters() {
        assert_eq!(Escaped(&"é".repeat(120)).to_string(), "é".repeat(120));
        assert_eq!(Escaped(&"é".repeat(121)).to_string(), "é".repeat(120) + "…");
    }
}
