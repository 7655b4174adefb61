//! Percent-encoding of the names and texts in a tree literal.

use std::fmt::Write;

/// Spells bytes so that a tree literal reads them back exactly, in a name, a text or a target.
///
/// Letters, digits and `. - _` stand for themselves; every other byte is written `%XX`. A lone
/// surrogate of a Windows name is spelled as the three bytes that generalized UTF-8 gives it.
///
/// # Examples
/// ```
/// use codex_file_system_testkit::escape;
///
/// assert_eq!(escape(b"a b\n\xFF"), "a%20b%0A%FF");
/// ```
pub fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// The bytes that `text` spells, or `None` if a `%` lacks its two hexadecimal digits.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        match rest {
            [] => return Some(bytes),
            [b'%', high, low, tail @ ..] => {
                bytes.push(hex_digit(*high)? << 4 | hex_digit(*low)?);
                rest = tail;
            }
            [b'%', ..] => return None,
            [byte, tail @ ..] => {
                bytes.push(*byte);
                rest = tail;
            }
        }
    }
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}
