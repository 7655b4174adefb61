//! The checks of the strict parser, in their fixed order; the first that fails decides.

use std::borrow::Cow;

use crate::{
    PathConvention, PathRule, PathUri,
    assemble::{is_drive_like, posix},
    buffer::{AROUND_NAMES, with_text},
    dots::{Segment, resolve_dots},
    encoding::{Decoder, decode, hex_value, is_letter_and, push_reencoded},
    fallback, host,
    uri::Kind,
};

/// The parts of a text that passed the checks on everything but its path.
struct Parts<'a> {
    host: Option<Cow<'a, str>>,
    path: &'a str,
}

/// Reads any text, canonical or not.
pub(crate) fn parse_any(text: &str, hint: Option<PathConvention>) -> Result<PathUri, PathRule> {
    let parts = split(text)?;
    let path = parts.path;
    if has_malformed_escape(path) {
        return Err(PathRule::MalformedEscape);
    }
    if parts.host.is_none()
        && let Some(payload) = fallback_payload(path)
    {
        let value = fallback::parse(payload)?;
        return match hint {
            Some(hint) if value.convention() != Some(hint) => Err(PathRule::ConventionMismatch),
            _ => Ok(value),
        };
    }
    check_escapes(path)?;
    if has_leading_slashes(path) {
        return Err(PathRule::LeadingSlashes);
    }
    let names = resolve_dots(path, parts.host.is_some(), hint).map_err(|obstacle| obstacle.rule)?;
    let kind = judge(&parts, &names, hint)?;
    Ok(spell(&parts, &names, kind))
}

/// Checks the text up to and including the host.
fn split(text: &str) -> Result<Parts<'_>, PathRule> {
    if text.is_empty() {
        return Err(PathRule::NotAUri);
    }
    if text.starts_with(is_trimmed) || text.ends_with(is_trimmed) {
        return Err(PathRule::SurroundingWhitespace);
    }
    let rest = strip_scheme(text)?;
    if text.contains(is_raw_control) {
        return Err(PathRule::RawControl);
    }
    if text.contains('\\') {
        return Err(PathRule::RawBackslash);
    }
    check_no_query(text)?;
    let rest = rest.strip_prefix("//").ok_or(PathRule::MissingAuthority)?;
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    check_authority(authority)?;
    let host = if authority.is_empty() || authority.eq_ignore_ascii_case("localhost") {
        None
    } else {
        Some(host::canonical(authority).ok_or(PathRule::InvalidHost)?)
    };
    Ok(Parts { host, path })
}

/// The text after `file:`.
pub(crate) fn strip_scheme(text: &str) -> Result<&str, PathRule> {
    let (scheme, rest) = text.split_once(':').ok_or(PathRule::NotAUri)?;
    let is_scheme_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    if !scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        || !scheme.bytes().all(is_scheme_byte)
    {
        return Err(PathRule::NotAUri);
    }
    if scheme.eq_ignore_ascii_case("file") {
        Ok(rest)
    } else {
        Err(PathRule::UnsupportedScheme)
    }
}

/// Refuses whatever comes first of a query and a fragment, even an empty one.
pub(crate) fn check_no_query(text: &str) -> Result<(), PathRule> {
    match text.bytes().find(|byte| matches!(byte, b'?' | b'#')) {
        Some(b'?') => Err(PathRule::QueryNotAllowed),
        Some(_) => Err(PathRule::FragmentNotAllowed),
        None => Ok(()),
    }
}

/// Refuses everything in the place of a host that cannot be one.
pub(crate) fn check_authority(authority: &str) -> Result<(), PathRule> {
    if authority.contains('@') {
        return Err(PathRule::CredentialsNotAllowed);
    }
    if is_drive_like(authority.as_bytes()) {
        return Err(PathRule::DriveInAuthority);
    }
    let mut in_brackets = false;
    for byte in authority.bytes() {
        match byte {
            b'[' => in_brackets = true,
            b']' => in_brackets = false,
            b':' if !in_brackets => return Err(PathRule::PortNotAllowed),
            _ => {}
        }
    }
    Ok(())
}

/// Whether `character` is trimmed from the ends of a text, or refused there.
pub(crate) fn is_trimmed(character: char) -> bool {
    character <= ' '
}

pub(crate) fn is_raw_control(character: char) -> bool {
    character.is_ascii_control()
}

fn has_malformed_escape(path: &str) -> bool {
    path.bytes()
        .enumerate()
        .any(|(at, byte)| byte == b'%' && !is_escape_at(path.as_bytes(), at))
}

/// Whether the `%` at `at` is followed by two hexadecimal digits.
pub(crate) fn is_escape_at(path: &[u8], at: usize) -> bool {
    let digits = path.get(at + 1..at + 3).unwrap_or_default();
    digits.len() == 2 && digits.iter().all(|&digit| hex_value(digit).is_some())
}

/// The segments after the reserved prefix, if the path begins with it.
pub(crate) fn fallback_payload(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("/%00/bad/path")?;
    if rest.is_empty() {
        Some("")
    } else {
        rest.strip_prefix('/')
    }
}

/// Refuses escapes that no path can have.
pub(crate) fn check_escapes(path: &str) -> Result<(), PathRule> {
    if path.contains("%00") {
        return Err(PathRule::NulInPath);
    }
    if has_escape(path, b'/') {
        return Err(PathRule::EncodedSeparator);
    }
    Ok(())
}

fn has_escape(path: &str, byte: u8) -> bool {
    let mut rest = path.as_bytes();
    while let Some(at) = rest.iter().position(|&found| found == b'%') {
        rest = rest.get(at..).unwrap_or_default();
        if Decoder(rest).next() == Some(byte) {
            return true;
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    false
}

pub(crate) fn has_leading_slashes(path: &str) -> bool {
    path.starts_with("//") && path.bytes().any(|byte| byte != b'/')
}

/// Checks the names and says what they make.
fn judge(
    parts: &Parts<'_>,
    names: &[Segment<'_>],
    hint: Option<PathConvention>,
) -> Result<Kind, PathRule> {
    let raw_first = names.first().map_or("", |first| first.raw);
    let first = decode(raw_first);
    let kind = match parts.host {
        Some(_) if first.is_empty() => return Err(PathRule::MissingShare),
        Some(_) if is_drive_like(&first) => return Err(PathRule::AuthorityWithDrive),
        Some(_) => Kind::Unc,
        None if is_letter_and(raw_first.as_bytes(), b'|') => return Err(PathRule::AmbiguousDrive),
        None if is_letter_and(&first, b':') && hint != Some(PathConvention::Posix) => Kind::Drive,
        None => Kind::Posix,
    };
    if hint.is_some_and(|hint| kind.convention() != Some(hint)) {
        return Err(PathRule::ConventionMismatch);
    }
    if kind != Kind::Posix {
        if has_escape(parts.path, b'\\') {
            return Err(PathRule::EncodedSeparator);
        }
        if names
            .iter()
            .any(|name| std::str::from_utf8(&decode(name.raw)).is_err())
        {
            return Err(PathRule::NotUnicode);
        }
    }
    Ok(kind)
}

/// Writes names that passed the checks in their canonical spelling.
fn spell(parts: &Parts<'_>, names: &[Segment<'_>], kind: Kind) -> PathUri {
    let host = parts.host.as_deref().unwrap_or_default();
    with_text(host.len() + parts.path.len() + AROUND_NAMES, |text| {
        text.push_str("file://");
        text.push_str(host);
        for (index, name) in names.iter().enumerate() {
            text.push(b'/');
            let start = text.as_bytes().len();
            push_reencoded(text, name.raw);
            if index == 0 && kind == Kind::Drive {
                text.make_ascii_uppercase(start);
            }
        }
        // The roots of POSIX and of a drive keep their slash.
        if names.len() <= usize::from(kind == Kind::Drive) {
            text.push(b'/');
        }
        match kind {
            Kind::Posix => posix(text),
            _ => PathUri::from_shared(text.share(), kind),
        }
    })
}
