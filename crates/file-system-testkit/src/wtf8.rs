//! Generalized UTF-8: how a tree literal spells a name that is not Unicode.
//!
//! A lone surrogate is written as the three bytes UTF-8 would give it were it allowed to, as in
//! `%ED%A0%80` for U+D800. Text that is valid UTF-8 means itself.

/// The UTF-16 code units that `bytes` spell, or `None` if they are not generalized UTF-8.
pub(crate) fn to_utf16(mut bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(bytes.len());
    loop {
        let valid_up_to = match std::str::from_utf8(bytes) {
            Ok(text) => {
                units.extend(text.encode_utf16());
                return Some(units);
            }
            Err(error) => error.valid_up_to(),
        };
        let (valid, invalid) = bytes.split_at(valid_up_to);
        units.extend(std::str::from_utf8(valid).ok()?.encode_utf16());
        let [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, rest @ ..] = invalid else {
            return None;
        };
        units.push(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F));
        bytes = rest;
    }
}

/// The generalized UTF-8 of these code units.
pub(crate) fn from_utf16(units: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(units.len());
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(character) => bytes.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let [high, low] = lone.unpaired_surrogate().to_be_bytes();
                bytes.extend([
                    0xED,
                    0x80 | (high & 0x0F) << 2 | low >> 6,
                    0x80 | low & 0x3F,
                ]);
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::{from_utf16, to_utf16};

    #[test]
    fn code_units_survive_the_way_there_and_back() {
        let units = [
            0x61, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE9, 0xFFFD, 0xD834, 0xDD1E, 0xD7FF,
        ];
        assert_eq!(to_utf16(&from_utf16(&units)), Some(units.to_vec()));
    }

    #[test]
    fn valid_utf8_is_itself() {
        assert_eq!(
            to_utf16("aé𝄞".as_bytes()),
            Some("aé𝄞".encode_utf16().collect())
        );
    }

    #[test]
    fn three_bytes_of_a_surrogate_are_one_unit() {
        assert_eq!(
            to_utf16(b"a\xED\xA0\x80b\xED\xBF\xBF"),
            Some(vec![97, 0xD800, 98, 0xDFFF])
        );
    }

    #[test]
    fn other_invalid_bytes_are_refused() {
        assert_eq!(to_utf16(b"a\xFF"), None);
        assert_eq!(to_utf16(b"\xED\xA0"), None);
    }
}
