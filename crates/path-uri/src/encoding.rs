//! How names and hosts are spelled in a URI.
//!
//! The set of escaped bytes is part of the canonical spelling: it is written down here and does not
//! follow any URL library.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};
use url::Host;

/// The bytes that are always escaped in a name, besides those that are not ASCII.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'\\')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// Appends the canonical spelling of `name`.
pub(crate) fn push_encoded(out: &mut String, name: &[u8]) {
    out.extend(percent_encode(name, ESCAPED));
}

/// The bytes that `encoded` stands for; a `%` that begins no escape stands for itself.
pub(crate) fn decode(encoded: &str) -> Cow<'_, [u8]> {
    percent_decode_str(encoded).into()
}

/// Where a `%` that two hexadecimal digits do not follow stands first.
pub(crate) fn find_malformed_escape(text: &str) -> Option<usize> {
    let mut escapes = text.match_indices('%').map(|(at, _)| at);
    escapes.find(|&at| {
        let digits = text.as_bytes().get(at + 1..at + 3).unwrap_or_default();
        digits.len() < 2 || !digits.iter().all(u8::is_ascii_hexdigit)
    })
}

/// `host` with ASCII letters in lower case, if that is a spelling that no URL parser changes.
///
/// `localhost` passes: the caller decides what it means.
pub(crate) fn canonical_host(host: &str) -> Option<String> {
    let folded = host.to_ascii_lowercase();
    is_kept_by_every_parser(&folded).then_some(folded)
}

/// The spelling that the URL standard gives `host`, if it has one that is kept afterwards.
pub(crate) fn repaired_host(host: &str) -> Option<String> {
    let spelling = Host::parse(host).ok()?.to_string();
    is_kept_by_every_parser(&spelling).then_some(spelling)
}

fn is_kept_by_every_parser(host: &str) -> bool {
    !matches!(host, "" | "." | "..")
        && Host::parse(host).is_ok_and(|parsed| parsed.to_string() == host)
}

/// Whether `name` is an ASCII letter followed by `mark`.
pub(crate) fn is_letter_and(name: &[u8], mark: u8) -> bool {
    matches!(name, [letter, second] if letter.is_ascii_alphabetic() && *second == mark)
}

/// Whether URL parsers read `name` as a drive where a first name stands.
pub(crate) fn is_drive_like(name: &[u8]) -> bool {
    is_letter_and(name, b':') || is_letter_and(name, b'|')
}
