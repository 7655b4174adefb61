//! Bytes as text: the standard alphabet, padded, nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Text that is not padded base64 of the standard alphabet.
#[derive(Debug, thiserror::Error)]
#[error("invalid base64")]
pub struct InvalidBase64(#[source] base64::DecodeError);

/// The bytes as base64.
pub fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
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
    STANDARD.decode(text).map_err(InvalidBase64)
}
