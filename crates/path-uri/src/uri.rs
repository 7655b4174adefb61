//! The value itself: shared canonical text, how much of it counts, and what kind of path it is.
//!
//! Invariants: the counted text is canonical; the kind is a function of it, so equality, order and
//! hashing look at the text only; the text is ASCII.

use std::{cmp::Ordering, fmt, hash, sync::Arc};

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
    /// Shared with the paths that this one was derived from or that were derived from it.
    text: Arc<str>,
    shape: Shape,
}

/// What a canonical text denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Posix,
    Drive,
    Unc,
    /// A POSIX path with a drive-like first name: opaque on the wire, lexical here.
    Lexical,
    SealedPosix,
    SealedWindows,
    SealedUnknown,
}

impl Kind {
    /// Each kind at the place of its discriminant; three bits leave one place over.
    const BY_TAG: [Self; 8] = [
        Self::Posix,
        Self::Drive,
        Self::Unc,
        Self::Lexical,
        Self::SealedPosix,
        Self::SealedWindows,
        Self::SealedUnknown,
        Self::SealedUnknown,
    ];

    /// Whether the names stand in the text itself.
    #[inline]
    pub(crate) const fn is_ordinary(self) -> bool {
        matches!(self, Self::Posix | Self::Drive | Self::Unc)
    }

    #[inline]
    pub(crate) const fn convention(self) -> Option<PathConvention> {
        match self {
            Self::Posix | Self::Lexical | Self::SealedPosix => Some(PathConvention::Posix),
            Self::Drive | Self::Unc | Self::SealedWindows => Some(PathConvention::Windows),
            Self::SealedUnknown => None,
        }
    }
}

/// A length and a [`Kind`] in one word: the length above, the kind in the lowest three bits.
#[derive(Clone, Copy)]
struct Shape(u64);

impl Shape {
    #[inline]
    const fn new(len: usize, kind: Kind) -> Self {
        Self(((len as u64) << 3) | kind as u64)
    }

    #[inline]
    const fn len(self) -> usize {
        (self.0 >> 3) as usize
    }

    #[inline]
    const fn kind(self) -> Kind {
        Kind::BY_TAG[(self.0 & 7) as usize]
    }
}

impl PathUri {
    /// Takes a canonical text whose kind is known.
    #[inline]
    pub(crate) fn from_shared(text: Arc<str>, kind: Kind) -> Self {
        let shape = Shape::new(text.len(), kind);
        Self { text, shape }
    }

    /// The value whose text is the first `len` bytes of this one's, of the same kind.
    #[inline]
    pub(crate) fn shortened(&self, len: usize) -> Self {
        Self {
            text: Arc::clone(&self.text),
            shape: Shape::new(len, self.kind()),
        }
    }

    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        self.shape.kind()
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.text
            .as_bytes()
            .get(..self.shape.len())
            .unwrap_or_default()
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
        self.text.get(..self.shape.len()).unwrap_or_default()
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
        match self.kind() {
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
    #[inline]
    #[must_use]
    pub fn convention(&self) -> Option<PathConvention> {
        self.kind().convention()
    }

    /// Whether the value is a sealed fallback, which has no names, no parent and takes no joins.
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
    #[inline]
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        matches!(
            self.kind(),
            Kind::SealedPosix | Kind::SealedWindows | Kind::SealedUnknown
        )
    }

    fn after_scheme(&self) -> &str {
        self.as_str().get("file://".len()..).unwrap_or_default()
    }
}

impl PartialEq for PathUri {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for PathUri {}

impl hash::Hash for PathUri {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
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
        let rank = |&byte: &u8| if byte == b'/' { 0 } else { byte };
        self.as_bytes()
            .iter()
            .map(rank)
            .cmp(other.as_bytes().iter().map(rank))
    }
}

impl fmt::Display for PathUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for PathUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl AsRef<str> for PathUri {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
