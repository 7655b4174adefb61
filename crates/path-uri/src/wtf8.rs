//! Native text as bytes: those of a POSIX path, and WTF-8 for Windows.
//!
//! WTF-8 is UTF-8 that may also hold lone surrogates, so that any Windows name is a byte string.
//! ASCII separators keep their meaning in it, and text that is valid Unicode is plain UTF-8. It is
//! an inner form: it never appears in a URI. The strings of this host are converted here.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
};

use crate::PathConvention;

/// Encodes UTF-16 code units.
pub(crate) fn from_units(units: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(character) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let [high, low] = lone.unpaired_surrogate().to_be_bytes();
                bytes.extend([
                    0xE0 | (high >> 4),
                    0x80 | ((high & 0x0F) << 2) | (low >> 6),
                    0x80 | (low & 0x3F),
                ]);
            }
        }
    }
    bytes
}

/// Decodes to UTF-16 code units; a byte that belongs to no sequence becomes U+FFFD.
pub(crate) fn to_units(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(chunk) = rest.utf8_chunks().next() {
        units.extend(chunk.valid().encode_utf16());
        rest = rest.get(chunk.valid().len()..).unwrap_or_default();
        rest = match rest {
            [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, tail @ ..] => {
                units.push(0xD000 | (u16::from(second & 0x3F) << 6) | u16::from(third & 0x3F));
                tail
            }
            [_, tail @ ..] => {
                units.push(0xFFFD);
                tail
            }
            [] => rest,
        };
    }
    units
}

/// Native text for people. In WTF-8 a lone surrogate is one replacement character, not one for each
/// of its bytes.
pub(crate) fn to_string_lossy(native: &[u8], convention: PathConvention) -> Cow<'_, str> {
    match (std::str::from_utf8(native), convention) {
        (Ok(text), _) => Cow::Borrowed(text),
        (Err(_), PathConvention::Posix) => String::from_utf8_lossy(native),
        (Err(_), PathConvention::Windows) => {
            Cow::Owned(String::from_utf16_lossy(&to_units(native)))
        }
    }
}

#[cfg(unix)]
pub(crate) fn from_os(text: &OsStr) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(text).to_vec()
}

#[cfg(unix)]
pub(crate) fn to_os(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(windows)]
pub(crate) fn from_os(text: &OsStr) -> Vec<u8> {
    from_units(std::os::windows::ffi::OsStrExt::encode_wide(text))
}

#[cfg(windows)]
pub(crate) fn to_os(bytes: Vec<u8>) -> OsString {
    std::os::windows::ffi::OsStringExt::from_wide(&to_units(&bytes))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::{from_units, to_units};

    #[test]
    fn every_code_unit_survives_alone_and_between_letters() {
        for unit in 0..=u16::MAX {
            let units = [0x61, unit, 0x62];
            assert_eq!(to_units(&from_units(units)), units);
        }
    }

    #[test]
    fn a_surrogate_pair_is_one_character() {
        assert_eq!(from_units([0xD83D, 0xDE00]), "\u{1F600}".as_bytes());
    }
}
