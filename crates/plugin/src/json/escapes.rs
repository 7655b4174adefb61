//! Escapes inside strings: checking and decoding.

use std::borrow::Cow;

use super::scan::Fault;

/// Checks the escape whose backslash is at `at`; gives the offset behind it.
///
/// An escape that yields no character is a fault at its backslash, half a surrogate pair included.
pub(super) fn check_escape(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    match bytes.get(at + 1) {
        None => Err(Fault::end(bytes)),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => check_unicode_escape(bytes, at),
        Some(_) => Err(Fault::syntax(at)),
    }
}

fn check_unicode_escape(bytes: &[u8], at: usize) -> Result<usize, Fault> {
    let unit = read_pattern(bytes, at, at + 2, [is_hex, is_hex, is_hex, is_hex])?;
    match unit {
        // The second half must be an escape for a low surrogate, told by its first two digits.
        0xD800..=0xDBFF => {
            let low = at + 6;
            read_pattern(bytes, at, low, [|byte| byte == b'\\', |byte| byte == b'u'])?;
            read_pattern(bytes, at, low + 2, [is_d, is_c_to_f, is_hex, is_hex])?;
            Ok(at + 12)
        }
        0xDC00..=0xDFFF => Err(Fault::syntax(at)),
        _ => Ok(at + 6),
    }
}

/// Checks the bytes from `from` on against one predicate each; gives their value as hex digits.
fn read_pattern<const N: usize>(
    bytes: &[u8],
    escape: usize,
    from: usize,
    pattern: [fn(u8) -> bool; N],
) -> Result<u32, Fault> {
    let mut value = 0;
    for (index, fits) in pattern.into_iter().enumerate() {
        let byte = *bytes.get(from + index).ok_or_else(|| Fault::end(bytes))?;
        if !fits(byte) {
            return Err(Fault::syntax(escape));
        }
        value = value * 16 + char::from(byte).to_digit(16).unwrap_or(0);
    }
    Ok(value)
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn is_d(byte: u8) -> bool {
    matches!(byte, b'd' | b'D')
}

fn is_c_to_f(byte: u8) -> bool {
    matches!(byte, b'c'..=b'f' | b'C'..=b'F')
}

/// Decodes the text between the quotes of a checked string.
pub(super) fn decode(raw: &str) -> Cow<'_, str> {
    let Some(first) = raw.find('\\') else {
        return Cow::Borrowed(raw);
    };
    let mut decoded = String::with_capacity(raw.len());
    let (plain, mut rest) = raw.split_at(first);
    decoded.push_str(plain);
    while let Some(escaped) = rest.strip_prefix('\\') {
        let (character, behind) = decode_escape(escaped);
        decoded.push(character);
        let (plain, next) = behind.split_at(behind.find('\\').unwrap_or(behind.len()));
        decoded.push_str(plain);
        rest = next;
    }
    Cow::Owned(decoded)
}

/// Decodes the escape behind a backslash; gives the character and the text behind the escape.
fn decode_escape(escaped: &str) -> (char, &str) {
    let mut characters = escaped.chars();
    let character = match characters.next() {
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => return decode_unicode_escape(characters.as_str()),
        other => other.unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    (character, characters.as_str())
}

fn decode_unicode_escape(digits: &str) -> (char, &str) {
    let unit = |at: usize| {
        digits
            .get(at..at + 4)
            .and_then(|hex| u16::from_str_radix(hex, 16).ok())
    };
    // The low half of a pair follows its `\u`, six characters behind the high half.
    let units = [unit(0).unwrap_or(0xFFFD), unit(6).unwrap_or(0)];
    let character = char::decode_utf16(units)
        .next()
        .and_then(Result::ok)
        .unwrap_or(char::REPLACEMENT_CHARACTER);
    let length = if character.len_utf16() == 2 { 10 } else { 4 };
    (character, digits.get(length..).unwrap_or_default())
}
