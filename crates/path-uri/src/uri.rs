//! The value itself: shared canonical text, and what kind of path it is.
//!
//! Invariants: the text is canonical; the kind is a function of it, so equality, order and hashing
//! look at the text only; the text is ASCII.

use std::{cmp::Ordering, fmt, hash, sync::Arc};

use serde::{Serialize, Serializer};
use url::Url;

use crate::PathConvention;

/// The absolute path of a file on a POSIX or Windows machine, in its one canonical spelling.
///
/// Two values are equal exactly when their texts are; a clone is a reference count. The order
/// compares texts with `/` below every other byte, so that parents come before their children and a
/// subtree is contiguous.
///
/// A value says nothing about *which* machine the file is on.
///
/// # Examples
/// ```
/// use codex_path_uri::{PathConvention, PathUri};
///
/// # fn main() -> Result<(), codex_path_uri::PathUriError> {
/// let file = PathUri::from_native(r"c:\Users\Ann Lee\main.rs", PathConvention::Windows)?;
/// assert_eq!(file.as_str(), "file:///C:/Users/Ann%20Lee/main.rs");
/// assert_eq!(file, PathUri::parse("file:///c%3A/Users/./Ann Lee//main.rs")?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PathUri {
    text: Arc<str>,
    kind: Kind,
}

/// What a canonical text denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Posix,
    Drive,
    Unc,
    /// A fallback whose payload is a POSIX path with a drive-like first name.
    Lexical,
    /// A fallback without components, of the convention that its payload shows.
    Opaque(Option<PathConvention>),
}

impl PathUri {
    /// Takes a canonical text whose kind is known.
    pub(crate) fn from_canonical(text: String, kind: Kind) -> Self {
        let text = text.into();
        Self { text, kind }
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    /// The canonical text.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("FILE://localhost/a/")?.as_str(), "file:///a");
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The canonical text from the first `/` after the authority.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("file:///a%20b")?.encoded_path(), "/a%20b");
    /// assert_eq!(PathUri::parse("file://server/share/x")?.encoded_path(), "/share/x");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn encoded_path(&self) -> &str {
        let authority_and_path = self.after_scheme();
        let authority = self.host().map_or(0, str::len);
        authority_and_path.get(authority..).unwrap_or_default()
    }

    /// The host of a UNC path, in lower case.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("file://SERVER/share")?.host(), Some("server"));
    /// assert_eq!(PathUri::parse("file:///C:/w")?.host(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        match self.kind {
            Kind::Unc => self.after_scheme().split('/').next(),
            _ => None,
        }
    }

    /// The convention of the machine that the path belongs to; `None` for a fallback value whose
    /// payload shows none.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{PathConvention, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("file:///w")?.convention(), Some(PathConvention::Posix));
    /// assert_eq!(PathUri::parse("file://h/share")?.convention(), Some(PathConvention::Windows));
    /// assert_eq!(PathUri::parse("file:///%00/bad/path/YQ")?.convention(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn convention(&self) -> Option<PathConvention> {
        match self.kind {
            Kind::Posix | Kind::Lexical => Some(PathConvention::Posix),
            Kind::Drive | Kind::Unc => Some(PathConvention::Windows),
            Kind::Opaque(convention) => convention,
        }
    }

    /// Another name of [`convention`](Self::convention), for callers written for codex-rs.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{PathConvention, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let path = PathUri::parse("file:///C:/w")?;
    /// assert_eq!(path.infer_path_convention(), Some(PathConvention::Windows));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn infer_path_convention(&self) -> Option<PathConvention> {
        self.convention()
    }

    /// Whether the value has no components: no names, no parent, and no join to it.
    ///
    /// Device paths and paths with NUL or a lone surrogate are such values.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{PathConvention, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let device = PathUri::from_native(r"\\.\COM1", PathConvention::Windows)?;
    /// assert!(device.is_opaque());
    /// assert_eq!(device.parent(), None);
    /// assert!(!PathUri::from_native("/C:", PathConvention::Posix)?.is_opaque());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        matches!(self.kind, Kind::Opaque(_))
    }

    /// The URL that prints the same text.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let path = PathUri::parse("file:///C:/a%20b")?;
    /// assert_eq!(path.to_url().as_str(), path.as_str());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "the URL standard leaves canonical text alone, which a property test and a fuzz target hold"
    )]
    pub fn to_url(&self) -> Url {
        Url::parse(&self.text).expect("canonical text is a URL")
    }

    fn after_scheme(&self) -> &str {
        self.text.strip_prefix("file://").unwrap_or_default()
    }
}

impl PartialEq for PathUri {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PathUri {}

impl hash::Hash for PathUri {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PartialOrd for PathUri {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PathUri {
    fn cmp(&self, other: &Self) -> Ordering {
        // NUL stands in no canonical text, so it can take the place of the separator below all
        // others.
        let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
        self.text
            .bytes()
            .map(rank)
            .cmp(other.text.bytes().map(rank))
    }
}

impl fmt::Display for PathUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for PathUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl AsRef<str> for PathUri {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Serialize for PathUri {
    /// Writes the canonical text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl TryFrom<&PathUri> for Url {
    type Error = url::ParseError;

    /// The URL that prints the same text, as [`PathUri::to_url`].
    fn try_from(uri: &PathUri) -> Result<Self, url::ParseError> {
        Self::parse(&uri.text)
    }
}
