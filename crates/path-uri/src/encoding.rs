//! Percent-encoding with one fixed set of escaped bytes, and the scan that recognises text which
//! needs no work.
//!
//! The set is part of the canonical spelling: it is written down here and does not follow any URL
//! library.

use std::borrow::Cow;

use crate::buffer::Text;

const UPPER_HEX: &[u8; 16] = b"0123456789ABCDEF";

/// What a byte means in an encoded path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Stands for itself.
    Plain,
    /// Separates names.
    Slash,
    /// Begins an escape.
    Percent,
    /// Is always written as an escape.
    Escaped,
}

static CLASS: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Plain; 256];
    let mut byte = u8::MAX;
    loop {
        table[byte as usize] = classify(byte);
        if byte == 0 {
            return table;
        }
        byte -= 1;
    }
}

const fn classify(byte: u8) -> Class {
    match byte {
        b'/' => Class::Slash,
        b'%' => Class::Percent,
        0x00..=0x20 | 0x7F..=0xFF => Class::Escaped,
        b'"' | b'#' | b'<' | b'>' | b'?' | b'\\' | b'{' | b'}' | b'`' => Class::Escaped,
        _ => Class::Plain,
    }
}

#[inline]
fn class(byte: u8) -> Class {
    CLASS[usize::from(byte)]
}

/// Appends the canonical spelling of `name`.
#[inline]
pub(crate) fn push_encoded(out: &mut Text<'_>, name: &[u8]) {
    let mut rest = name;
    while let Some(at) = rest.iter().position(|&byte| class(byte) != Class::Plain) {
        let (plain, tail) = rest.split_at(at);
        out.push_bytes(plain);
        let Some((&byte, tail)) = tail.split_first() else {
            return;
        };
        push_escape(out, byte);
        rest = tail;
    }
    out.push_bytes(rest);
}

/// Appends the canonical spelling of a name given in any spelling without malformed escapes.
pub(crate) fn push_reencoded(out: &mut Text<'_>, name: &str) {
    for byte in Decoder(name.as_bytes()) {
        match class(byte) {
            Class::Plain => out.push(byte),
            _ => push_escape(out, byte),
        }
    }
}

fn push_escape(out: &mut Text<'_>, byte: u8) {
    out.push_bytes(&escape(byte));
}

/// `%XX` in upper case.
pub(crate) fn escape(byte: u8) -> [u8; 3] {
    [
        b'%',
        UPPER_HEX[usize::from(byte >> 4)],
        UPPER_HEX[usize::from(byte & 0x0F)],
    ]
}

/// The bytes that `encoded` stands for; borrowed if it holds no escape.
pub(crate) fn decode(encoded: &str) -> Cow<'_, [u8]> {
    if encoded.contains('%') {
        Cow::Owned(Decoder(encoded.as_bytes()).collect())
    } else {
        Cow::Borrowed(encoded.as_bytes())
    }
}

/// Yields decoded bytes; a `%` that begins no escape stands for itself.
pub(crate) struct Decoder<'a>(pub(crate) &'a [u8]);

impl Iterator for Decoder<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        if first == b'%'
            && let [high, low, tail @ ..] = rest
            && let (Some(high), Some(low)) = (hex_value(*high), hex_value(*low))
        {
            self.0 = tail;
            return Some((high << 4) | low);
        }
        self.0 = rest;
        Some(first)
    }
}

/// The value of a hexadecimal digit in either case.
pub(crate) const fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// What [`scan`] finds in names that are written canonically.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scan {
    /// Every byte stands for itself.
    Plain,
    /// There are escapes, each in its canonical spelling.
    Escapes,
}

/// Reads `names`, one or more joined by `/`; `None` unless every one is written canonically.
///
/// It does not know whether the first name stands at a root, nor whether the bytes behind escapes
/// are Unicode.
#[inline]
pub(crate) fn scan(names: &[u8]) -> Option<Scan> {
    if is_plain(names) {
        Some(Scan::Plain)
    } else {
        scan_slowly(names)
    }
}

fn scan_slowly(names: &[u8]) -> Option<Scan> {
    let mut found = Scan::Plain;
    let mut start = 0;
    let mut at = 0;
    loop {
        match names.get(at).map(|&byte| class(byte)) {
            Some(Class::Plain) => at += 1,
            Some(Class::Percent) => {
                canonical_escape(names.get(at + 1..at + 3)?)?;
                found = Scan::Escapes;
                at += 3;
            }
            Some(Class::Escaped) => return None,
            end @ (Some(Class::Slash) | None) => {
                if is_dropped_or_dots(names.get(start..at)?) {
                    return None;
                }
                if end.is_none() {
                    return Some(found);
                }
                at += 1;
                start = at;
            }
        }
    }
}

/// How many bytes [`is_plain`] looks at together; the compiler turns that into vector instructions.
const LANES: usize = 16;

/// Whether `names` are certain to be canonical without any escape. May be false for some that are:
/// short ones, and those with a name that begins with a dot.
#[inline]
fn is_plain(names: &[u8]) -> bool {
    let ([first, next @ ..], [here @ .., last]) = (names, names) else {
        return false;
    };
    let (Some(last_here), Some(last_next)) = (here.last_chunk(), next.last_chunk()) else {
        return false;
    };
    let (all_here, _) = here.as_chunks();
    let (all_next, _) = next.as_chunks();
    // The last chunk overlaps the one before it, which does no harm.
    !matches!(first, b'/' | b'.')
        && class(*last) == Class::Plain
        && !all_here.iter().zip(all_next).fold(
            is_suspicious(last_here, last_next),
            |found, (here, next)| found | is_suspicious(here, next),
        )
}

/// Whether some byte is never written raw, or is a slash before another slash or a dot.
#[inline]
fn is_suspicious(here: &[u8; LANES], next: &[u8; LANES]) -> bool {
    let mut found = 0;
    for (&here, &next) in here.iter().zip(next) {
        // `.` and `/` differ in the lowest bit only.
        let dot_or_empty = (here == b'/') & (next | 1 == b'/');
        found |= u8::from(is_never_raw(here) | dot_or_empty);
    }
    found != 0
}

/// The same set as in [`classify`], in few comparisons without a branch.
#[inline]
const fn is_never_raw(byte: u8) -> bool {
    (byte.wrapping_sub(0x21) >= 0x7F - 0x21)
        | (byte | 1 == b'#')
        | (byte == b'%')
        | (byte | 2 == b'>')
        | (byte == b'?')
        | (byte == b'\\')
        | (byte == b'`')
        | (byte == b'{')
        | (byte == b'}')
}

/// Accepts upper-case digits of a byte that is never written raw, NUL excepted.
fn canonical_escape(digits: &[u8]) -> Option<()> {
    let &[high, low] = digits else { return None };
    if high.is_ascii_lowercase() || low.is_ascii_lowercase() {
        return None;
    }
    let byte = (hex_value(high)? << 4) | hex_value(low)?;
    (byte != 0 && matches!(class(byte), Class::Escaped | Class::Percent)).then_some(())
}

/// Whether a path drops this name or goes up at it: empty, `.` or `..`.
#[inline]
pub(crate) const fn is_dropped_or_dots(name: &[u8]) -> bool {
    matches!(name, b"" | b"." | b"..")
}

/// Whether `name` is an ASCII letter followed by `mark`.
#[inline]
pub(crate) fn is_letter_and(name: &[u8], mark: u8) -> bool {
    matches!(name, [letter, second] if letter.is_ascii_alphabetic() && *second == mark)
}

#[cfg(test)]
mod tests {
    use super::{Class, class, is_never_raw};

    #[test]
    fn the_branchless_set_is_the_table() {
        for byte in 0..=u8::MAX {
            let in_table = matches!(class(byte), Class::Escaped | Class::Percent);
            assert_eq!(is_never_raw(byte), in_table, "{byte:#x}");
        }
    }
}
