//! What the bytes of one document become: the cut, the decoding, the judgement "blank".
//!
//! Pure. Bytes in, text and numbers out; a judgement depends only on the bytes that fit, never on
//! how many more were read, so a whole read and a bounded read of one file are judged alike.

/// A document whose bytes have been read and held against the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// Part of the instructions.
    Kept(KeptDocument),
    /// Dropped: what fits of it is blank. It costs nothing.
    Blank {
        /// Length of the whole document in bytes.
        raw_bytes: u64,
        /// Whether only a part was looked at, because only that part fits.
        is_cut: bool,
    },
}

/// A document that is part of the instructions, whole or cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptDocument {
    /// The decoded text.
    pub(crate) text: String,
    /// Length of the whole document in bytes.
    pub(crate) raw_bytes: u64,
    /// Bytes that are kept; what the document costs.
    pub(crate) kept_bytes: u64,
    /// What was left of the budget before this document.
    pub(crate) budget_before: u64,
    /// U+FFFD that stand for invalid bytes, without the one that the cut itself makes.
    pub(crate) replacement_characters: u64,
    /// Whether the cut falls inside a character.
    pub(crate) splits_character: bool,
}

impl KeptDocument {
    /// Whether a part of the document is lost.
    pub(crate) fn is_cut(&self) -> bool {
        self.lost_bytes() > 0
    }

    /// Bytes that are not kept.
    pub(crate) fn lost_bytes(&self) -> u64 {
        self.raw_bytes.saturating_sub(self.kept_bytes)
    }
}

/// Holds `bytes`, the beginning of a document of `raw_bytes` in all, against what is left of the
/// budget.
pub(crate) fn judge(mut bytes: Vec<u8>, raw_bytes: u64, remaining: u64) -> Judgement {
    bytes.truncate(usize::try_from(remaining).unwrap_or(usize::MAX));
    let kept_bytes = bytes.len() as u64;
    let is_cut = kept_bytes < raw_bytes;
    let decoded = decode(bytes);
    if is_blank(&decoded.text) {
        return Judgement::Blank { raw_bytes, is_cut };
    }
    let splits_character = is_cut && decoded.ends_inside_character;
    Judgement::Kept(KeptDocument {
        text: decoded.text,
        raw_bytes,
        kept_bytes,
        budget_before: remaining,
        replacement_characters: decoded.replacement_characters - u64::from(splits_character),
        splits_character,
    })
}

/// Text decoded as lossy UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decoded {
    /// The text, with one U+FFFD per maximal invalid part.
    pub(crate) text: String,
    /// How many U+FFFD stand for invalid parts; one that the bytes spell out is not counted.
    pub(crate) replacement_characters: u64,
    /// Whether the bytes end in the middle of what may be a valid character.
    pub(crate) ends_inside_character: bool,
}

/// Decodes bytes as UTF-8. Nothing else is changed: no byte order mark is dropped, no line ending
/// is rewritten.
pub(crate) fn decode(bytes: Vec<u8>) -> Decoded {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => {
            return Decoded {
                text,
                replacement_characters: 0,
                ends_inside_character: false,
            };
        }
        Err(error) => error.into_bytes(),
    };
    let mut decoded = Decoded {
        text: String::with_capacity(bytes.len()),
        replacement_characters: 0,
        ends_inside_character: false,
    };
    for chunk in bytes.utf8_chunks() {
        decoded.text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            decoded.text.push(char::REPLACEMENT_CHARACTER);
            decoded.replacement_characters += 1;
        }
        // Only the last chunk's word stands: elsewhere something follows the unfinished part.
        decoded.ends_inside_character = is_unfinished_character(chunk.invalid());
    }
    decoded
}

/// Whether a text holds nothing but Unicode White_Space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Whether a text holds a tag of the fragment's wrapper, ASCII case ignored.
pub(crate) fn holds_wrapper_tag(text: &str) -> bool {
    const TAG_END: &str = "instructions>";
    text.split('<').skip(1).any(|rest| {
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        rest.get(..TAG_END.len())
            .is_some_and(|tag| tag.eq_ignore_ascii_case(TAG_END))
    })
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
    fn only_whole_wrapper_tags_count() {
        for text in ["<INSTRUCTIONS>", "a</Instructions>b", "<<instructions>"] {
            assert!(holds_wrapper_tag(text), "{text}");
        }
        for text in [
            "INSTRUCTIONS>",
            "< INSTRUCTIONS>",
            "<INSTRUCTIONS",
            "<//INSTRUCTIONS>",
            "<é",
        ] {
            assert!(!holds_wrapper_tag(text), "{text}");
        }
    }
}
