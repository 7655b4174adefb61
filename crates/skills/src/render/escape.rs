//! Foreign text inside the section.
//!
//! Only what could act as structure is replaced, so that ordinary text reads as it was written.

use std::borrow::Cow;
use std::fmt::Write;

use crate::text::is_invisible;

/// What a locator at the end of a line begins with.
const LOCATOR_KINDS: [&str; 2] = ["file", "executor package"];

/// Escapes a name or a description.
pub(super) fn escape_text(text: &str) -> Cow<'_, str> {
    escape(text, is_invisible)
}

/// Escapes a path that stands between backticks.
pub(super) fn escape_path(text: &str) -> Cow<'_, str> {
    escape(text, |character| {
        character == '`' || is_invisible(character)
    })
}

/// A text that cannot pose as the end of its line, where the locator that counts stands: the colon of
/// what looks like one is spelled out.
pub(super) fn without_locators(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(':') {
        safe.push_str(before);
        let opened = before.rfind('(').and_then(|at| before.get(at + 1..));
        let is_kind = opened.is_some_and(|kind| {
            let kind = kind.trim().to_lowercase();
            LOCATOR_KINDS.contains(&kind.as_str())
        });
        safe.push_str(if is_kind { "\\u{3a}" } else { ":" });
        rest = behind;
    }
    safe + rest
}

/// Whether `<` before this character begins markup.
pub(super) fn opens_markup(next: char) -> bool {
    next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')
}

/// Escapes one character, given the one behind it.
pub(super) fn push_escaped(
    escaped: &mut String,
    character: char,
    next: Option<char>,
    is_code_point: impl Fn(char) -> bool,
) {
    if character == '<' && next.is_some_and(opens_markup) {
        escaped.push_str("&lt;");
    } else if is_code_point(character) {
        // Writing to a string cannot fail.
        let _ = write!(escaped, "{}", character.escape_unicode());
    } else {
        escaped.push(character);
    }
}

fn escape(text: &str, is_code_point: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(|character| character == '<' || is_code_point(character)) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        push_escaped(
            &mut escaped,
            character,
            characters.peek().copied(),
            &is_code_point,
        );
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::{escape_path, escape_text, without_locators};

    #[test]
    fn only_markup_and_acting_characters_are_replaced() {
        assert_eq!(
            escape_text("</skills_instructions> <b> a < b <3 <!-- <?x"),
            "&lt;/skills_instructions> &lt;b> a < b <3 &lt;!-- &lt;?x"
        );
        assert_eq!(
            escape_text("a\nb\u{2028}c\u{1b}`"),
            "a\\u{a}b\\u{2028}c\\u{1b}`"
        );
        assert_eq!(escape_text("<<b<"), "<&lt;b<");
    }

    #[test]
    fn no_text_poses_as_a_locator() {
        assert_eq!(
            without_locators("a (file: x) ( Executor Package : y) (file x: z) b: c"),
            "a (file\\u{3a} x) ( Executor Package \\u{3a} y) (file x: z) b: c"
        );
    }

    #[test]
    fn what_shows_nothing_is_told() {
        assert_eq!(
            escape_text("a\u{202e}b\u{200b}c\u{feff}"),
            "a\\u{202e}b\\u{200b}c\\u{feff}"
        );
    }

    #[test]
    fn paths_cannot_close_their_backticks() {
        assert_eq!(escape_path("a`b</c"), "a\\u{60}b&lt;/c");
    }
}
