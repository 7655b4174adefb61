//! From URIs: strictly, where every text is refused whose meaning would have to be guessed, and
//! leniently, where common mistakes are repaired and told.
//!
//! Both are one parser, which makes the same checks in the same order; they differ in what happens
//! when a rule is broken.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, de};
use url::Url;

use crate::{PathConvention, PathRule, PathUri, PathUriError};

mod checks;
mod segments;

/// One repair that a lenient parse made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What was wrong.
    pub rule: PathRule,
    /// Where it was wrong first: a byte offset in the text as it was given.
    pub at: usize,
}

impl PathUri {
    /// Reads a `file:` URI, refusing every text whose meaning would have to be guessed.
    ///
    /// Escapes, case, repeated and trailing slashes and dot segments may be spelled in any way; the
    /// value has the canonical spelling. A first name such as `C:` makes a Windows path.
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
        checks::strict(text, None)
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
        checks::strict(text, Some(hint))
    }

    /// As [`parse`](Self::parse), but repairs common mistakes and tells which.
    ///
    /// Repairs come in the order of the checks, each rule at most once. Text that the strict parser
    /// accepts gives the same value and no repairs, with one exception: a fallback whose payload is a
    /// Windows path with a device prefix and has another spelling, as codex-rs writes `\\?\D:\x` and
    /// `\\.\COM1`, is read as the path that it names (`non_canonical_fallback`).
    ///
    /// # Errors
    /// The first rule that the text breaks and that is not repaired.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{PathRule, PathUri, Repair};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let (path, repairs) = PathUri::parse_lenient(r"file:C:\w\100%", None)?;
    /// assert_eq!(path.as_str(), "file:///C:/w/100%25");
    /// assert_eq!(
    ///     repairs,
    ///     [
    ///         Repair { rule: PathRule::RawBackslash, at: 7 },
    ///         Repair { rule: PathRule::MissingAuthority, at: 5 },
    ///         Repair { rule: PathRule::MalformedEscape, at: 13 },
    ///     ]
    /// );
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse_lenient(
        text: &str,
        hint: Option<PathConvention>,
    ) -> Result<(PathUri, Vec<Repair>), PathUriError> {
        checks::lenient(text, hint)
    }
}

impl FromStr for PathUri {
    type Err = PathUriError;

    /// As [`PathUri::parse`].
    fn from_str(text: &str) -> Result<Self, PathUriError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for PathUri {
    type Error = PathUriError;

    /// As [`PathUri::parse`].
    fn try_from(text: String) -> Result<Self, PathUriError> {
        Self::parse(&text)
    }
}

impl TryFrom<Url> for PathUri {
    type Error = PathUriError;

    /// As [`PathUri::parse`] of the URL's text.
    fn try_from(url: Url) -> Result<Self, PathUriError> {
        Self::parse(url.as_str())
    }
}

impl TryFrom<&Url> for PathUri {
    type Error = PathUriError;

    /// As [`PathUri::parse`] of the URL's text.
    fn try_from(url: &Url) -> Result<Self, PathUriError> {
        Self::parse(url.as_str())
    }
}

impl<'de> Deserialize<'de> for PathUri {
    /// As [`PathUri::parse`], whose error text is that of the format's error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = PathUri;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a file URI")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<PathUri, E> {
                PathUri::parse(text).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Text)
    }
}
