//! Paths that have no ordinary URI: their native form, base64-encoded behind an encoded NUL.
//!
//! This is the one reader and writer of such payloads. A *lexical* fallback is a POSIX path that
//! needs one only because URL parsers would read its first name as a drive; it keeps every lexical
//! operation. All others are *opaque*: they have no components. An ordinary path never has a
//! fallback spelling.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{PathConvention, PathRule, PathUri, encoding::is_letter_and, uri::Kind, wtf8};

/// What the text of every fallback value begins with.
///
/// The encoded NUL keeps fallback values apart from every path that can exist.
///
/// # Examples
/// ```
/// use codex_path_uri::{FALLBACK_PREFIX, PathConvention, PathUri};
///
/// # fn main() -> Result<(), codex_path_uri::PathUriError> {
/// let path = PathUri::from_native("/C:/w", PathConvention::Posix)?;
/// assert!(path.as_str().starts_with(FALLBACK_PREFIX));
/// assert_eq!(path.to_native(PathConvention::Posix)?, "/C:/w");
/// # Ok(())
/// # }
/// ```
pub const FALLBACK_PREFIX: &str = "file:///%00/bad/path/";

/// The fallback value of a native path: POSIX bytes or WTF-8.
pub(crate) fn from_native(native: &[u8], convention: PathConvention) -> PathUri {
    match convention {
        PathConvention::Posix => from_payload(native),
        PathConvention::Windows => {
            let units = wtf8::to_units(native).into_iter();
            from_payload(&units.flat_map(u16::to_le_bytes).collect::<Vec<_>>())
        }
    }
}

/// The fallback value whose text is [`FALLBACK_PREFIX`] and `encoded`.
pub(crate) fn parse(encoded: &str) -> Result<PathUri, PathRule> {
    // The engine takes no text but the one it writes, so the value spells its payload the same way.
    match URL_SAFE_NO_PAD.decode(encoded) {
        Ok(payload) if !payload.is_empty() => Ok(from_payload(&payload)),
        _ => Err(PathRule::InvalidFallback),
    }
}

/// The payload of a fallback value as a native path, canonical or not: POSIX bytes or WTF-8.
pub(crate) fn native_bytes(uri: &PathUri) -> Vec<u8> {
    let encoded = uri.as_str().strip_prefix(FALLBACK_PREFIX);
    let payload = URL_SAFE_NO_PAD.decode(encoded.unwrap_or_default());
    let payload = payload.unwrap_or_default();
    match uri.convention() {
        Some(PathConvention::Windows) => wtf8::from_units(units(&payload)),
        Some(PathConvention::Posix) | None => payload,
    }
}

/// `payload` holds POSIX bytes, or Windows code units in little-endian order.
fn from_payload(payload: &[u8]) -> PathUri {
    let mut text = String::from(FALLBACK_PREFIX);
    URL_SAFE_NO_PAD.encode_string(payload, &mut text);
    PathUri::from_canonical(text, classify(payload))
}

fn classify(payload: &[u8]) -> Kind {
    match payload {
        [b'/', names @ ..] if is_lexical(names) => Kind::Lexical,
        [b'/', ..] => Kind::Opaque(Some(PathConvention::Posix)),
        _ if is_windows(payload) => Kind::Opaque(Some(PathConvention::Windows)),
        _ => Kind::Opaque(None),
    }
}

fn is_lexical(names: &[u8]) -> bool {
    let mut split = names.split(|&byte| byte == b'/');
    split.next().is_some_and(|first| is_letter_and(first, b':'))
        && !split.any(|name| matches!(name, b"" | b"." | b".."))
        && !names.contains(&0)
}

fn is_windows(payload: &[u8]) -> bool {
    let head = wtf8::from_units(units(payload).take(2));
    payload.len().is_multiple_of(2) && (head == br"\\" || is_letter_and(&head, b':'))
}

fn units(payload: &[u8]) -> impl Iterator<Item = u16> {
    let (pairs, _) = payload.as_chunks::<2>();
    pairs.iter().copied().map(u16::from_le_bytes)
}
