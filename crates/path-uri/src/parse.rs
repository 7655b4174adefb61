//! Strict parsing: spellings whose meaning is not in doubt are made canonical, all others are
//! refused.
//!
//! The checks run in a fixed order and the first that fails decides. Text that is canonical already
//! is recognised in one pass and copied as it is.

use std::{borrow::Cow, str::FromStr};

use crate::{
    PathConvention, PathRule, PathUri, PathUriError,
    assemble::is_drive_like,
    buffer::with_text,
    encoding::{Decoder, Scan, scan},
    host,
    strict::parse_any,
    uri::Kind,
};

impl PathUri {
    /// Reads a `file:` URI, refusing every text whose meaning would have to be guessed.
    ///
    /// Escapes, case, repeated and trailing slashes and dot segments may be spelled in any way; the
    /// value has the canonical spelling. A first name such as `C:` makes a Windows path. Text that
    /// is canonical already is copied into one allocation.
    ///
    /// # Errors
    /// The first rule that the text breaks. Checked in this order: what stands around the text, its
    /// scheme, raw control characters and backslashes, query and fragment, the authority, escapes,
    /// dot segments, share and drive, the convention, and what only Windows forbids in a name.
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
        match canonical_kind(text) {
            Some(kind) => Ok(PathUri::from_shared(text.into(), kind)),
            None => parse_any(text, None).map_err(|rule| PathUriError::new(rule, text)),
        }
    }

    /// As [`parse`](Self::parse), for text from a machine whose convention is known.
    ///
    /// With [`Posix`](PathConvention::Posix), a first name such as `C:` is a name. A hint never
    /// repairs anything.
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
