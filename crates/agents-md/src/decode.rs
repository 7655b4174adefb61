//! What the bytes of one document become: the cut, the decoding, what is odd about the text.
//!
//! Pure. Bytes in, text and numbers out; the result depends only on the bytes that fit, never on
//! how many more were read. Nothing is decoded by guess: text of another encoding is named as what
//! it looks like, and read as UTF-8 all the same.

use codex_file_system::TextPosition;
use serde::Serialize;

/// Text decoded as lossy UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The text, with one U+FFFD per maximal invalid part.
    pub(crate) text: String,
    /// How many U+FFFD stand for invalid parts; one that the bytes spell out is not counted.
    pub(crate) replacement_characters: u64,
    /// Whether the bytes end in the middle of what may be a valid character.
    pub(crate) ends_inside_character: bool,
    /// The encoding that the bytes look like, if it is not UTF-8.
    pub(crate) encoding: Option<ForeignEncoding>,
}

/// An encoding that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum ForeignEncoding {
    /// UTF-16, the low byte first.
    #[serde(rename = "UTF-16LE")]
    Utf16Le,
    /// UTF-16, the high byte first.
    #[serde(rename = "UTF-16BE")]
    Utf16Be,
}

impl ForeignEncoding {
    /// The name of the encoding, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
        }
    }
}

/// Decodes bytes as UTF-8. Nothing else is changed: no byte order mark is dropped, no line ending
/// is rewritten.
pub(crate) fn decode(bytes: Vec<u8>) -> Decoded {
    let encoding = foreign_encoding(&bytes);
    let mut decoded = Decoded {
        text: String::new(),
        replacement_characters: 0,
        ends_inside_character: false,
        encoding,
    };
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Decoded { text, ..decoded },
        Err(error) => error.into_bytes(),
    };
    for chunk in bytes.utf8_chunks() {
        decoded.text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            decoded.text.push(char::REPLACEMENT_CHARACTER);
            decoded.replacement_characters += 1;
        }
        // Only what the last chunk says stands: elsewhere something follows the unfinished part.
        decoded.ends_inside_character = is_unfinished_character(chunk.invalid());
    }
    decoded
}

/// Whether a text holds nothing but Unicode White_Space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// The place of the first tag of the fragment's wrapper, ASCII case ignored. A closing tag may hold
/// white space before its end: a model reads `</INSTRUCTIONS >` as the end all the same.
pub(crate) fn wrapper_tag(text: &str) -> Option<TextPosition> {
    const NAME: &str = "instructions";
    let is_tag = |offset: &usize| {
        let rest = text.get(offset + 1..).unwrap_or_default();
        let closing = rest.strip_prefix('/');
        let rest = closing.unwrap_or(rest);
        let is_named = rest
            .get(..NAME.len())
            .is_some_and(|name| name.eq_ignore_ascii_case(NAME));
        let end = rest.get(NAME.len()..).unwrap_or_default();
        let end = if closing.is_some() {
            end.trim_start()
        } else {
            end
        };
        is_named && end.starts_with('>')
    };
    let mut brackets = text.match_indices('<').map(|(offset, _)| offset);
    let before = text.get(..brackets.find(is_tag)?)?;
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    Some(TextPosition {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: u32::try_from(column).unwrap_or(u32::MAX),
    })
}

/// UTF-16 has a byte order mark, or is nearly all NUL in every other byte where it is Latin text.
fn foreign_encoding(bytes: &[u8]) -> Option<ForeignEncoding> {
    match bytes {
        [0xFF, 0xFE, ..] => return Some(ForeignEncoding::Utf16Le),
        [0xFE, 0xFF, ..] => return Some(ForeignEncoding::Utf16Be),
        _ => {}
    }
    let (mut high, mut low, mut pairs) = (0, 0, 0);
    for pair in bytes.chunks_exact(2).take(512) {
        pairs += 1;
        high += usize::from(pair.first() == Some(&0));
        low += usize::from(pair.last() == Some(&0));
    }
    let is_mostly = |count: usize, other: usize| pairs > 1 && count * 10 >= pairs * 8 && other == 0;
    if is_mostly(low, high) {
        Some(ForeignEncoding::Utf16Le)
    } else if is_mostly(high, low) {
        Some(ForeignEncoding::Utf16Be)
    } else {
        None
    }
}

/// Whether further bytes could make a character of these.
fn is_unfinished_character(invalid: &[u8]) -> bool {
    std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unfinished_part_at_the_end_ends_inside_a_character() {
        let ends_inside = |bytes: &[u8]| decode(bytes.to_vec()).ends_inside_character;
        for bytes in [&b"a\xE2\x82"[..], b"\xF0", b"\xFF\xC3"] {
            assert!(ends_inside(bytes), "{bytes:?}");
        }
        for bytes in [
            &b""[..],
            b"a",
            b"\xE2\x82(",
            b"\xE2\x82\xFF",
            b"\xC3\xA9",
            b"\x80",
        ] {
            assert!(!ends_inside(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn a_wrapper_tag_has_its_place_and_may_hold_white_space_before_its_end() {
        for (text, place) in [
            ("<INSTRUCTIONS>", "1:1"),
            ("é</Instructions>b", "1:2"),
            ("a\n <<instructions>", "2:3"),
            ("</INSTRUCTIONS >", "1:1"),
            ("x\n</instructions\n\t>", "2:1"),
        ] {
            let found = wrapper_tag(text).map(|place| place.to_string());
            assert_eq!(found.as_deref(), Some(place), "{text}");
        }
        for text in [
            "INSTRUCTIONS>",
            "< INSTRUCTIONS>",
            "<INSTRUCTIONS",
            "<//INSTRUCTIONS>",
            "<INSTRUCTIONS2>",
            "<INSTRUCTIONS >",
            "</ INSTRUCTIONS>",
            "<é",
        ] {
            assert_eq!(wrapper_tag(text), None, "{text}");
        }
    }

    #[test]
    fn utf_16_is_named_with_and_without_a_byte_order_mark() {
        use ForeignEncoding::{Utf16Be, Utf16Le};
        let little: Vec<u8> = "Rules.\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let big: Vec<u8> = "Rules.\n"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        for (bytes, encoding) in [
            (little.clone(), Some(Utf16Le)),
            ([&b"\xFF\xFE"[..], &little].concat(), Some(Utf16Le)),
            (big.clone(), Some(Utf16Be)),
            ([&b"\xFE\xFF"[..], &big].concat(), Some(Utf16Be)),
            (b"Rules.\n".to_vec(), None),
            (b"\xEF\xBB\xBFRules".to_vec(), None),
            (b"a\0".to_vec(), None),
            (b"\0\0\0\0".to_vec(), None),
        ] {
            assert_eq!(decode(bytes.clone()).encoding, encoding, "{bytes:?}");
        }
    }
}
