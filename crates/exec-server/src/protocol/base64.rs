//! Bytes as text: the standard alphabet, padded, nothing else.
//!
//! Files travel as base64, up to megabytes in a message, so both directions work on many bytes at
//! once and into a buffer that is there already.

use base64::Engine as _;
use base64::engine::general_purpose;
use base64_simd::STANDARD;

/// Text that is not padded base64 of the standard alphabet.
#[derive(Debug, thiserror::Error)]
#[error("invalid base64: {0}")]
pub struct InvalidBase64(base64::DecodeError);

/// The bytes as base64.
pub fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode_to_string(bytes)
}

/// Appends the bytes as base64.
#[cfg(feature = "server")]
pub(crate) fn push_base64(bytes: &[u8], text: &mut String) {
    STANDARD.encode_append(bytes, text);
}

/// The bytes of base64 text.
///
/// # Errors
/// Another alphabet, missing padding, a line break or any other character.
///
/// # Examples
/// ```
/// use codex_exec_server::protocol::{decode_base64, encode_base64};
///
/// assert_eq!(encode_base64(b"hey"), "aGV5");
/// assert_eq!(decode_base64("aGV5")?, b"hey");
/// assert!(decode_base64("aGV5\n").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_base64(text: &str) -> Result<Vec<u8>, InvalidBase64> {
    let mut bytes = Vec::new();
    append_decoded(text.as_bytes(), usize::MAX, &mut bytes)?;
    Ok(bytes)
}

/// Appends the bytes of base64 text, at most so many, and tells how many there are. All of the
/// text is judged; where it is no base64, nothing is appended.
pub(crate) fn append_decoded(
    text: &[u8],
    most: usize,
    bytes: &mut Vec<u8>,
) -> Result<usize, InvalidBase64> {
    let before = bytes.len();
    if let Some(beginning) = text.get(..most.div_ceil(3).saturating_mul(4)) {
        if let Ok(length) = STANDARD.decoded_length(text)
            && STANDARD.check(text).is_ok()
            && STANDARD.decode_append(beginning, bytes).is_ok()
        {
            bytes.truncate(before.saturating_add(most));
            return Ok(length);
        }
    } else if STANDARD.decode_append(text, bytes).is_ok() {
        return Ok(bytes.len() - before);
    }
    bytes.truncate(before);
    // The fast decoder does not say what is wrong where; this one does.
    let slow = general_purpose::STANDARD
        .decode(text)
        .map_err(InvalidBase64)?;
    bytes.extend(slow.iter().take(most));
    Ok(slow.len())
}
