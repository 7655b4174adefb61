//! Everything that can be wrong with a path, as one closed list of rules.
//!
//! An error names the rule that is broken and shows the whole input. It never mentions the
//! operating system it runs on and never guesses what the writer may have meant.

use std::{fmt, io};

/// The rule that an input breaks, or that a lenient parse repairs.
///
/// Each rule has a stable machine-readable [`code`](PathRule::code), the variant's name in snake
/// case.
///
/// # Examples
/// ```
/// use codex_path_uri::{PathRule, PathUri};
///
/// let error = PathUri::parse("file:///w/a%2Fb").unwrap_err();
/// assert_eq!(error.rule(), PathRule::EncodedSeparator);
/// assert_eq!(error.rule().code(), "encoded_separator");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathRule {
    /// The text has no `scheme:`.
    NotAUri,
    /// The scheme is not `file`.
    UnsupportedScheme,
    /// The text begins or ends with a space or a control character.
    SurroundingWhitespace,
    /// A control character stands unescaped.
    RawControl,
    /// A backslash stands unescaped.
    RawBackslash,
    /// The text has a query.
    QueryNotAllowed,
    /// The text has a fragment.
    FragmentNotAllowed,
    /// `file:` is not followed by `//`.
    MissingAuthority,
    /// The authority holds `@`.
    CredentialsNotAllowed,
    /// The authority is a drive such as `C:`.
    DriveInAuthority,
    /// The authority has a port.
    PortNotAllowed,
    /// The host has no spelling that every URL parser keeps.
    InvalidHost,
    /// A `%` is not followed by two hexadecimal digits.
    MalformedEscape,
    /// The fallback prefix is not followed by one segment of canonical base64.
    InvalidFallback,
    /// A name holds NUL.
    NulInPath,
    /// An escape stands for a separator.
    EncodedSeparator,
    /// The path begins with more than one `/`.
    LeadingSlashes,
    /// A `..` removes a share or an escaped drive.
    EscapesRoot,
    /// A host has no share after it.
    MissingShare,
    /// A host is followed by a drive instead of a share.
    AuthorityWithDrive,
    /// The first name is a letter and `|`, which some read as a drive.
    AmbiguousDrive,
    /// The path follows the other convention.
    ConventionMismatch,
    /// A name has no Unicode spelling.
    NotUnicode,
    /// The native path is not absolute.
    NotAbsolute,
    /// The base is an opaque value, to which nothing can be joined.
    OpaqueBase,
    /// The text is relative to the current directory of another drive.
    DriveRelative,
    /// The result is not below the base.
    NotDescendant,
    /// The convention of a fallback value cannot be known.
    UnknownConvention,
    /// The payload of a fallback value is not the one its path is written as.
    NonCanonicalFallback,
    /// The text is not one component of a path.
    InvalidName,
}

impl PathRule {
    /// The stable code of the rule, for machines.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NotAUri => "not_a_uri",
            Self::UnsupportedScheme => "unsupported_scheme",
            Self::SurroundingWhitespace => "surrounding_whitespace",
            Self::RawControl => "raw_control",
            Self::RawBackslash => "raw_backslash",
            Self::QueryNotAllowed => "query_not_allowed",
            Self::FragmentNotAllowed => "fragment_not_allowed",
            Self::MissingAuthority => "missing_authority",
            Self::CredentialsNotAllowed => "credentials_not_allowed",
            Self::DriveInAuthority => "drive_in_authority",
            Self::PortNotAllowed => "port_not_allowed",
            Self::InvalidHost => "invalid_host",
            Self::MalformedEscape => "malformed_escape",
            Self::InvalidFallback => "invalid_fallback",
            Self::NulInPath => "nul_in_path",
            Self::EncodedSeparator => "encoded_separator",
            Self::LeadingSlashes => "leading_slashes",
            Self::EscapesRoot => "escapes_root",
            Self::MissingShare => "missing_share",
            Self::AuthorityWithDrive => "authority_with_drive",
            Self::AmbiguousDrive => "ambiguous_drive",
            Self::ConventionMismatch => "convention_mismatch",
            Self::NotUnicode => "not_unicode",
            Self::NotAbsolute => "not_absolute",
            Self::OpaqueBase => "opaque_base",
            Self::DriveRelative => "drive_relative",
            Self::NotDescendant => "not_descendant",
            Self::UnknownConvention => "unknown_convention",
            Self::NonCanonicalFallback => "non_canonical_fallback",
            Self::InvalidName => "invalid_name",
        }
    }
}

impl fmt::Display for PathRule {
    /// Writes the rule as a lowercase sentence fragment.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotAUri => "it is not a URI",
            Self::UnsupportedScheme => "the scheme is not `file`",
            Self::SurroundingWhitespace => "whitespace or a control character stands around it",
            Self::RawControl => "a control character is not percent-encoded",
            Self::RawBackslash => "a backslash is not percent-encoded",
            Self::QueryNotAllowed => "a query is not allowed",
            Self::FragmentNotAllowed => "a fragment is not allowed",
            Self::MissingAuthority => "`file:` is not followed by `//`",
            Self::CredentialsNotAllowed => "credentials are not allowed",
            Self::DriveInAuthority => "a drive stands in the place of the host",
            Self::PortNotAllowed => "a port is not allowed",
            Self::InvalidHost => "the host is not valid",
            Self::MalformedEscape => "`%` is not followed by two hexadecimal digits",
            Self::InvalidFallback => "the fallback payload is not canonical base64",
            Self::NulInPath => "a name contains NUL",
            Self::EncodedSeparator => "a path separator is percent-encoded",
            Self::LeadingSlashes => "the path begins with more than one slash",
            Self::EscapesRoot => "`..` climbs above the root",
            Self::MissingShare => "the host is not followed by a share",
            Self::AuthorityWithDrive => "the host is followed by a drive",
            Self::AmbiguousDrive => "a letter followed by `|` may be a drive or a name",
            Self::ConventionMismatch => "it follows another path convention",
            Self::NotUnicode => "a name is not valid Unicode",
            Self::NotAbsolute => "it is not absolute",
            Self::OpaqueBase => "nothing can be joined to an opaque path",
            Self::DriveRelative => "it is relative to another drive",
            Self::NotDescendant => "the result is not below the base",
            Self::UnknownConvention => "its path convention is not known",
            Self::NonCanonicalFallback => "the fallback payload names no path",
            Self::InvalidName => "it is not one path component",
        })
    }
}

/// A text that is not a path, or an operation that has no result for this path.
///
/// Converts into an [`io::Error`] of kind [`InvalidInput`](io::ErrorKind::InvalidInput) that keeps
/// it as its inner error.
///
/// # Examples
/// ```
/// use codex_path_uri::PathUri;
///
/// # fn main() -> Result<(), codex_path_uri::PathUriError> {
/// let base = PathUri::parse("file:///w")?;
/// let error = base.join_descendant("../etc").unwrap_err();
/// assert_eq!(error.path(), "file:///w");
/// assert_eq!(error.argument(), Some("../etc"));
/// assert_eq!(error.code(), "not_descendant");
/// assert_eq!(
///     error.to_string(),
///     "cannot join `../etc` to `file:///w`: the result is not below the base"
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
pub struct PathUriError {
    path: Box<str>,
    argument: Option<Box<str>>,
    rule: PathRule,
}

impl PathUriError {
    #[cold]
    pub(crate) fn new(rule: PathRule, path: &str) -> Self {
        Self {
            path: path.into(),
            argument: None,
            rule,
        }
    }

    #[cold]
    pub(crate) fn join(rule: PathRule, base: &str, argument: &str) -> Self {
        Self {
            path: base.into(),
            argument: Some(argument.into()),
            rule,
        }
    }

    /// The whole input of a constructor, the base of a join, or the value that was to be converted.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The text that was to be joined to [`path`](Self::path), if the error comes from a join.
    #[must_use]
    pub fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    /// The rule that is broken.
    #[must_use]
    pub fn rule(&self) -> PathRule {
        self.rule
    }

    /// The stable code of the rule, the same as `rule().code()`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.rule.code()
    }
}

impl fmt::Display for PathUriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => {
                write!(
                    f,
                    "cannot join `{}` to `{}`: {}",
                    Escaped(argument),
                    Escaped(&self.path),
                    self.rule
                )
            }
            None => write!(f, "invalid path `{}`: {}", Escaped(&self.path), self.rule),
        }
    }
}

impl From<PathUriError> for io::Error {
    fn from(error: PathUriError) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error)
    }
}

/// A text whose control characters are shown escaped, so that a message stays on its line.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.split_inclusive(char::is_control) {
            match part.char_indices().next_back() {
                Some((at, last)) if last.is_control() => {
                    let (plain, _) = part.split_at(at);
                    write!(f, "{plain}{}", last.escape_default())?;
                }
                _ => f.write_str(part)?,
            }
        }
        Ok(())
    }
}
