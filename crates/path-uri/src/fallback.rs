//! Paths that have no ordinary URI: their native form, base64-encoded behind an encoded NUL.
//!
//! A *lexical* fallback is a POSIX path that is opaque only because URL parsers would read its
//! first name as a drive; it keeps every lexical operation. All others are *sealed*. An ordinary
//! path never has a fallback spelling.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use crate::{
    PathConvention, PathRule, PathUri,
    encoding::{is_dropped_or_dots, is_letter_and},
    uri::Kind,
    wtf8,
};

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

/// The fallback value of `payload`: POSIX bytes, or Windows code units in little-endian order.
fn from_payload(payload: &[u8]) -> PathUri {
    let mut text = String::from(FALLBACK_PREFIX);
    URL_SAFE_NO_PAD.encode_string(payload, &mut text);
    PathUri::from_shared(text.into(), classify(payload))
}

/// The fallback value of a POSIX path.
pub(crate) fn from_posix(native: &[u8]) -> PathUri {
    from_payload(native)
}

/// The sealed value of a Windows path given in WTF-8.
pub(crate) fn from_windows(native: &[u8]) -> PathUri {
    let payload: Vec<u8> = wtf8::to_units(native)
        .into_iter()
        .flat_map(u16::to_le_bytes)
        .collect();
    from_payload(&payload)
}

/// The fallback value that `encoded`, the part after [`FALLBACK_PREFIX`], spells canonically.
pub(crate) fn parse(encoded: &str) -> Result<PathUri, PathRule> {
    let payload = URL_SAFE_NO_PAD
        .decode(encoded)
        .map_err(|_| PathRule::InvalidFallback)?;
    // The engine takes no text but the one it writes, so the value spells its payload the same way.
    if payload.is_empty() {
        return Err(PathRule::InvalidFallback);
    }
    Ok(from_payload(&payload))
}

/// The payload of a fallback value; empty for an ordinary one.
pub(crate) fn payload(uri: &PathUri) -> Vec<u8> {
    let encoded = uri
        .as_str()
        .strip_prefix(FALLBACK_PREFIX)
        .unwrap_or_default();
    URL_SAFE_NO_PAD.decode(encoded).unwrap_or_default()
}

/// The payload as a native path: bytes of a POSIX path, WTF-8 of a Windows path.
pub(crate) fn native_bytes(uri: &PathUri) -> Vec<u8> {
    let payload = payload(uri);
    match uri.convention() {
        Some(PathConvention::Windows) => wtf8::from_units(units(&payload)),
        Some(PathConvention::Posix) | None => payload,
    }
}

fn classify(payload: &[u8]) -> Kind {
    match payload {
        [b'/', names @ ..] if is_lexical(names) => Kind::Lexical,
        [b'/', ..] => Kind::SealedPosix,
        _ if is_windows(payload) => Kind::SealedWindows,
        _ => Kind::SealedUnknown,
    }
}

fn is_lexical(names: &[u8]) -> bool {
    let mut split = names.split(|&byte| byte == b'/');
    split.next().is_some_and(|first| is_letter_and(first, b':'))
        && !split.any(is_dropped_or_dots)
        && !names.contains(&0)
}

fn is_windows(payload: &[u8]) -> bool {
    let mut head = units(payload);
    let (first, second) = (
        head.next().unwrap_or_default(),
        head.next().unwrap_or_default(),
    );
    let is_letter = u8::try_from(first).is_ok_and(|byte| byte.is_ascii_alphabetic());
    let backslash = u16::from(b'\\');
    payload.len().is_multiple_of(2)
        && ((is_letter && second == u16::from(b':')) || (first == backslash && second == backslash))
}

fn units(payload: &[u8]) -> impl Iterator<Item = u16> {
    payload.chunks_exact(2).map(|pair| match pair {
        &[low, high] => u16::from_le_bytes([low, high]),
        _ => 0,
    })
}
