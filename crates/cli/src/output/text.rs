//! Plain pieces of text for people: cutting, grouping digits, colours.
//!
//! Widths are in terminal columns, not in characters. Text that arrives here is already escaped,
//! so it holds no control character and its width is what a terminal shows.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Which end of a text gives way when there is no room for all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// The beginning stays: `some descri…`.
    Start,
    /// The end stays, which tells paths apart: `…/core/AGENTS.md`.
    End,
}

/// How a piece of text looks where colours are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// As the terminal shows text.
    #[default]
    Plain,
    /// A heading.
    Bold,
    /// Of little weight.
    Dim,
    /// As it should be.
    Good,
    /// Something was lost or is doubtful.
    Warn,
    /// Something failed.
    Bad,
}

/// Puts colours around text, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Painter {
    /// Whether colours are used.
    pub(crate) colored: bool,
}

impl Painter {
    /// `text` in this style.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        let code = match style {
            _ if !self.colored || text.is_empty() => return text.to_owned(),
            Style::Plain => return text.to_owned(),
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Good => "32",
            Style::Warn => "33",
            Style::Bad => "31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// The number of terminal columns that `text` takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// `text` in at most `available` columns; what does not fit is replaced by `…`.
pub(crate) fn cut(text: &str, available: usize, keep: Keep) -> String {
    if width(text) <= available {
        return text.to_owned();
    }
    let Some(room) = available.checked_sub(1) else {
        return String::new();
    };
    match keep {
        Keep::Start => {
            let mut kept = take_columns(text.chars(), room);
            kept.push('…');
            kept
        }
        Keep::End => {
            let kept = take_columns(text.chars().rev(), room);
            // A mark whose letter is cut away would sit on the `…`.
            let kept = kept
                .chars()
                .rev()
                .skip_while(|first| first.width() == Some(0));
            std::iter::once('…').chain(kept).collect()
        }
    }
}

fn take_columns(characters: impl Iterator<Item = char>, room: usize) -> String {
    let mut taken = 0;
    characters
        .take_while(|character| {
            taken += most_columns(*character);
            taken <= room
        })
        .collect()
}

/// What a character adds to the width of a text at most, whatever stands before it.
fn most_columns(character: char) -> usize {
    match character {
        // Asks for the picture of the character before it, which then takes one column more.
        '\u{fe0f}' => 1,
        _ => character.width().unwrap_or(1),
    }
}

/// `number` with its digits in groups of three: `32,768`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 call`, `2 calls`: a grouped number and its noun.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_text_fits_and_keeps_the_asked_end() {
        assert_eq!(cut("crates/core", 11, Keep::End), "crates/core");
        assert_eq!(cut("crates/core", 6, Keep::End), "…/core");
        assert_eq!(cut("crates/core", 6, Keep::Start), "crate…");
        assert_eq!(cut("crates/core", 1, Keep::End), "…");
        assert_eq!(cut("crates/core", 0, Keep::End), "");
    }

    #[test]
    fn a_wide_character_is_never_cut_in_half() {
        assert_eq!(cut("日本語", 4, Keep::Start), "日…");
        assert_eq!(cut("日本語", 4, Keep::End), "…語");
        assert_eq!(cut("ae\u{301}i", 2, Keep::End), "…i");
    }

    #[test]
    fn cut_text_fits_whatever_its_characters_make_of_each_other() {
        let texts = [
            "☀\u{fe0f}".repeat(20),
            "1\u{fe0f}\u{20e3}".repeat(20),
            "👩\u{200d}💻".repeat(20),
            "e\u{301}\u{301}".repeat(20),
            "🇩🇪".repeat(20),
            "ﻻلا".repeat(20),
            "각각".repeat(20),
        ];
        for text in &texts {
            for available in 0..50 {
                for keep in [Keep::Start, Keep::End] {
                    let cut = cut(text, available, keep);
                    assert!(width(&cut) <= available, "{available} {keep:?}: {cut:?}");
                }
            }
        }
    }

    #[test]
    fn no_text_is_wider_than_what_its_characters_take_at_most() {
        let odd = ['\u{fe0f}', '\u{20e3}', 'a'];
        for character in '\0'..='\u{1ffff}' {
            for after in odd {
                let text: String = ['…', character, after].iter().collect();
                let most: usize = text.chars().map(most_columns).sum();
                assert!(width(&text) <= most, "{text:?}");
            }
        }
    }

    #[test]
    fn digits_are_grouped_by_three() {
        let shown = [0, 999, 1_000, 32_768, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "32,768", "1,234,567"]);
    }
}
