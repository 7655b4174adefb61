//! Strict parsing: spellings whose meaning is not in doubt are made canonical, all others are refused.
//!
//! The checks run in a fixed order and the first that fails decides. Text that is canonical already is recognised in
//! one pass and copied as it is.

use std::{borrow::Cow, str::FromStr};

use crate::{
    PathConvention, PathRule, PathUri, PathUriError,
    assemble::{is_drive_like, posix},
    buffer::with_text,
    encoding::{Decoder, Scan, decode, hex_value, is_letter_and, push_reencoded, scan},
    fallback, host,
    uri::Kind,
};

impl PathUri {
    /// Reads a `file:` URI, refusing every text whose meaning would have to be guessed.
    ///
    /// Escapes, case, repeated and trailing slashes and dot segments may be spelled in any way; the value has the
    /// canonical spelling. A first name such as `C:` makes a Windows path.
    ///
    /// # Errors
    /// The first rule that the text breaks, from [`PathRule::NotAUri`] to [`PathRule::NotUnicode`] in the order in
    /// which that type lists them.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("file:///x/../%61//b/")?.as_str(), "file:///a/b");
    /// assert_eq!(PathUri::parse("file:///c%3A/u")?.as_str(), "file:///C:/u");
    /// assert_eq!(PathUri::parse("file:///a%2Fb").unwrap_err().code(), "encoded_separator");
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse(text: &str) -> Result<PathUri, PathUriError> {
        parse(text, None).map_err(|rule| PathUriError::new(rule, text))
    }

    /// As [`parse`](Self::parse), for text from a machine whose convention is known.
    ///
    /// With [`Posix`](PathConvention::Posix), a first name such as `C:` is a name. A hint never repairs anything.
    ///
    /// # Errors
    /// Those of `parse`; `convention_mismatch` if the text is a path of the other convention.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{PathConvention, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let path = PathUri::parse_with_convention("file:///C:/x", PathConvention::Posix)?;
    /// assert_eq!(path.to_native(PathConvention::Posix)?, "/C:/x");
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse_with_convention(
        text: &str,
        hint: PathConvention,
    ) -> Result<PathUri, PathUriError> {
        parse(text, Some(hint)).map_err(|rule| PathUriError::new(rule, text))
    }
}

impl FromStr for PathUri {
    type Err = PathUriError;

    /// As [`PathUri::parse`].
    fn from_str(text: &str) -> Result<Self, PathUriError> {
        Self::parse(text)
    }
}

#[inline]
pub(crate) fn parse(text: &str, hint: Option<PathConvention>) -> Result<PathUri, PathRule> {
    match canonical_kind(text) {
        Some(kind) if hint.is_none_or(|hint| kind.convention() == Some(hint)) => {
            Ok(PathUri::from_shared(text.into(), kind))
        }
        _ => parse_any(text, hint),
    }
}

/// The kind of an ordinary text that is canonical already.
#[inline]
fn canonical_kind(text: &str) -> Option<Kind> {
    let path = text.as_bytes().strip_prefix(b"file://")?;
    match path {
        b"/" => Some(Kind::Posix),
        [b'/', b'A'..=b'Z', b':', b'/'] => Some(Kind::Drive),
        [b'/', b'A'..=b'Z', b':', b'/', names @ ..] => is_windows(names).then_some(Kind::Drive),
        [b'/', letter, b'%', b'7', b'C', rest @ ..] if letter.is_ascii_alphabetic() => {
            let canonical = match rest {
                [] => true,
                [b'/', names @ ..] => scan(names).is_some(),
                _ => false,
            };
            canonical.then_some(Kind::Posix)
        }
        [b'/', letter, b':' | b'|'] if letter.is_ascii_alphabetic() => None,
        [b'/', letter, b':' | b'|', b'/', ..] if letter.is_ascii_alphabetic() => None,
        [b'/', names @ ..] => scan(names).map(|_| Kind::Posix),
        _ => canonical_unc(text.get("file://".len()..)?),
    }
}

fn canonical_unc(host_and_names: &str) -> Option<Kind> {
    let (name, names) = host_and_names.split_once('/')?;
    let share = names.split('/').next()?;
    let is_kept = matches!(host::canonical(name), Some(Cow::Borrowed(_)));
    (is_kept
        && name != "localhost"
        && !is_drive_like(share.as_bytes())
        && is_windows(names.as_bytes()))
    .then_some(Kind::Unc)
}

/// Whether `names` are written canonically, all in Unicode and without `\`.
fn is_windows(names: &[u8]) -> bool {
    match scan(names) {
        None => false,
        Some(Scan::Plain) => true,
        Some(Scan::Escapes) => with_text(names.len(), |decoded| {
            Decoder(names).for_each(|byte| decoded.push(byte));
            std::str::from_utf8(decoded.as_bytes()).is_ok_and(|text| !text.contains('\\'))
        }),
    }
}

/// The parts of a text that passed the checks on everything but its path.
struct Parts<'a> {
    host: Option<Cow<'a, str>>,
    path: &'a str,
}

fn parse_any(text: &str, hint: Option<PathConvention>) -> Result<PathUri, PathRule> {
    let Parts { host, path } = split(text)?;
    if has_malformed_escape(path) {
        return Err(PathRule::MalformedEscape);
    }
    if host.is_none()
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
    let names = resolve_dots(path, host.is_some(), hint)?;
    assemble(host.as_deref(), path, &names, hint)
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
    match text.bytes().find(|byte| matches!(byte, b'?' | b'#')) {
        Some(b'?') => return Err(PathRule::QueryNotAllowed),
        Some(_) => return Err(PathRule::FragmentNotAllowed),
        None => {}
    }
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

/// The segments of `path` that are names, not decoded, after dot segments are applied as the URL standard does it.
pub(crate) fn resolve_dots(
    path: &str,
    has_host: bool,
    hint: Option<PathConvention>,
) -> Result<Vec<&str>, PathRule> {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.strip_prefix('/').unwrap_or(path).split('/') {
        match &*decode(segment) {
            b"." => {}
            b".." => go_up(&mut kept, has_host, hint)?,
            _ => kept.push(segment),
        }
    }
    kept.retain(|segment| !segment.is_empty());
    Ok(kept)
}

/// Removes the last segment, where every URL parser would.
fn go_up(
    kept: &mut Vec<&str>,
    has_host: bool,
    hint: Option<PathConvention>,
) -> Result<(), PathRule> {
    let Some((last, before)) = kept.split_last() else {
        return Ok(());
    };
    if has_host {
        if !last.is_empty() && before.iter().all(|segment| segment.is_empty()) {
            return Err(PathRule::EscapesRoot);
        }
    } else if hint != Some(PathConvention::Posix)
        && before.is_empty()
        && is_letter_and(&decode(last), b':')
    {
        return if last.len() == "X:".len() {
            Ok(())
        } else {
            Err(PathRule::EscapesRoot)
        };
    }
    kept.pop();
    Ok(())
}

/// Checks the names and writes them canonically.
fn assemble(
    host: Option<&str>,
    path: &str,
    names: &[&str],
    hint: Option<PathConvention>,
) -> Result<PathUri, PathRule> {
    let first = names.first().map(|first| decode(first)).unwrap_or_default();
    let kind = match host {
        Some(_) if first.is_empty() => return Err(PathRule::MissingShare),
        Some(_) if is_drive_like(&first) => return Err(PathRule::AuthorityWithDrive),
        Some(_) => Kind::Unc,
        None if names
            .first()
            .is_some_and(|raw| is_letter_and(raw.as_bytes(), b'|')) =>
        {
            return Err(PathRule::AmbiguousDrive);
        }
        None if is_letter_and(&first, b':') && hint != Some(PathConvention::Posix) => Kind::Drive,
        None => Kind::Posix,
    };
    if hint.is_some_and(|hint| kind.convention() != Some(hint)) {
        return Err(PathRule::ConventionMismatch);
    }
    if kind != Kind::Posix {
        if has_escape(path, b'\\') {
            return Err(PathRule::EncodedSeparator);
        }
        if names
            .iter()
            .any(|name| std::str::from_utf8(&decode(name)).is_err())
        {
            return Err(PathRule::NotUnicode);
        }
    }
    Ok(with_text(
        path.len() + host.map_or(0, str::len) + 16,
        |text| {
            text.push_str("file://");
            text.push_str(host.unwrap_or_default());
            let mut names = names.iter();
            if kind == Kind::Drive {
                names.next();
                let letter = first.first().map_or(b'C', u8::to_ascii_uppercase);
                text.push_bytes(&[b'/', letter, b':']);
            }
            if names.len() == 0 {
                text.push(b'/');
            }
            for name in names {
                text.push(b'/');
                push_reencoded(text, name);
            }
            match kind {
                Kind::Posix => posix(text),
                _ => PathUri::from_shared(text.share(), kind),
            }
        },
    ))
}
