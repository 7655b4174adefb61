//! Reading a path name by name.

use std::{borrow::Cow, iter::FusedIterator};

use crate::{
    FileName, PathConvention, PathUri,
    buffer::with_text,
    encoding::{decode, push_encoded},
    fallback,
    uri::Kind,
};

/// The text in which a path's names can be read, and where its root ends in it.
///
/// That is the canonical text itself, except for a lexical fallback: there it is the text the path would have if a
/// drive-like first name were nothing special.
pub(crate) struct Plain<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) kind: Kind,
}

impl Plain<'_> {
    /// How many bytes the root takes.
    #[inline]
    pub(crate) fn root_len(&self) -> usize {
        root_len(&self.text, self.kind)
    }

    /// The encoded names below the root, joined by `/`; empty for a root.
    pub(crate) fn names(&self) -> &str {
        let below = self.text.get(self.root_len()..).unwrap_or_default();
        below.strip_prefix('/').unwrap_or(below)
    }
}

/// How many bytes the root of an ordinary text takes.
#[inline]
pub(crate) fn root_len(text: &str, kind: Kind) -> usize {
    const AUTHORITY: usize = "file://".len();
    match kind {
        Kind::Drive => "file:///C:/".len(),
        Kind::Unc => {
            let mut slashes = text
                .bytes()
                .enumerate()
                .skip(AUTHORITY)
                .filter(|(_, byte)| *byte == b'/');
            slashes.nth(1).map_or(text.len(), |(at, _)| at)
        }
        _ => "file:///".len(),
    }
}

impl PathUri {
    /// The names in encoded form, for every value that has names.
    pub(crate) fn plain(&self) -> Option<Plain<'_>> {
        match self.kind() {
            kind @ (Kind::Posix | Kind::Drive | Kind::Unc) => Some(Plain {
                text: Cow::Borrowed(self.as_str()),
                kind,
            }),
            Kind::Lexical => {
                let payload = fallback::payload(self);
                let text = with_text(payload.len() + 16, |text| {
                    text.push_str("file://");
                    for (index, name) in payload.split(|&byte| byte == b'/').enumerate() {
                        if index > 0 {
                            text.push(b'/');
                        }
                        push_encoded(text, name);
                    }
                    text.as_str().to_owned()
                });
                Some(Plain {
                    text: Cow::Owned(text),
                    kind: Kind::Posix,
                })
            }
            Kind::SealedPosix | Kind::SealedWindows | Kind::SealedUnknown => None,
        }
    }

    /// The last name, exactly; `None` for roots and sealed values.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let name = PathUri::parse("file:///w/%FF")?.file_name().unwrap();
    /// assert_eq!(name.as_posix_bytes(), Some(&[0xFF][..]));
    /// assert_eq!(PathUri::parse("file://server/share")?.file_name(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn file_name(&self) -> Option<FileName> {
        self.names()?.next_back()
    }

    /// The last name as text: decoded if that is Unicode, else as it is encoded; `None` for roots and sealed values.
    ///
    /// Borrows unless there is an escape to decode. Not exact: use [`file_name`](Self::file_name) to name a file.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("file:///w/a%20b")?.basename().as_deref(), Some("a b"));
    /// assert_eq!(PathUri::parse("file:///w/%FF")?.basename().as_deref(), Some("%FF"));
    /// assert_eq!(PathUri::parse("file:///C:/")?.basename(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn basename(&self) -> Option<Cow<'_, str>> {
        let plain = self.plain()?;
        let kind = plain.kind;
        match plain.text {
            Cow::Borrowed(text) => {
                let encoded = last_name(text, kind)?;
                Some(decode_text(encoded).map_or(Cow::Borrowed(encoded), Cow::Owned))
            }
            Cow::Owned(text) => {
                let encoded = last_name(&text, kind)?;
                Some(Cow::Owned(
                    decode_text(encoded).unwrap_or_else(|| encoded.to_owned()),
                ))
            }
        }
    }

    /// The root as the machine writes it: `/`, `C:\` or `\\server\share`; `None` for sealed values.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("file:///C:/w")?.root_name().as_deref(), Some(r"C:\"));
    /// assert_eq!(PathUri::parse("file://server/share/x")?.root_name().as_deref(), Some(r"\\server\share"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn root_name(&self) -> Option<String> {
        let plain = self.plain()?;
        let root = plain.text.get(..plain.root_len())?;
        Some(String::from_utf8_lossy(&native_from_encoded(root, plain.kind)).into_owned())
    }

    /// How many names there are below the root: the steps to it; `None` for sealed values.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("file:///C:/Users/x")?.lexical_depth(), Some(2));
    /// assert_eq!(PathUri::parse("file://server/share")?.lexical_depth(), Some(0));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn lexical_depth(&self) -> Option<usize> {
        let plain = self.plain()?;
        let names = plain.names();
        Some(if names.is_empty() {
            0
        } else {
            names.split('/').count()
        })
    }

    /// The names below the root, first to last; `None` for sealed values.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let path = PathUri::parse("file:///C:/a%20b/c")?;
    /// let names: Vec<String> = path.names().unwrap().map(|name| name.to_string()).collect();
    /// assert_eq!(names, ["a b", "c"]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn names(&self) -> Option<impl DoubleEndedIterator<Item = FileName> + use<>> {
        let plain = self.plain()?;
        let below = plain.names().len();
        Some(Names::last_bytes(self, &plain, below))
    }
}

/// Names read from both ends of an encoded text that the iterator keeps alive.
pub(crate) struct Names {
    source: Source,
    convention: PathConvention,
    /// The part not yet read; empty at the end, since no name is empty.
    start: usize,
    end: usize,
}

enum Source {
    Shared(PathUri),
    Owned(String),
}

impl Names {
    /// The names in the last `len` bytes of `plain`, the readable text of `uri`.
    pub(crate) fn last_bytes(uri: &PathUri, plain: &Plain<'_>, len: usize) -> Self {
        let end = plain.text.len();
        let source = match &plain.text {
            Cow::Borrowed(_) => Source::Shared(uri.clone()),
            Cow::Owned(text) => Source::Owned(text.clone()),
        };
        let convention = plain.kind.convention().unwrap_or(PathConvention::Posix);
        Self {
            source,
            convention,
            start: end.saturating_sub(len),
            end,
        }
    }

    /// No names: those between a value and itself.
    pub(crate) fn none(uri: &PathUri) -> Self {
        let convention = uri.convention().unwrap_or(PathConvention::Posix);
        Self {
            source: Source::Shared(uri.clone()),
            convention,
            start: 0,
            end: 0,
        }
    }

    fn rest(&self) -> &str {
        let text = match &self.source {
            Source::Shared(uri) => uri.as_str(),
            Source::Owned(text) => text,
        };
        text.get(self.start..self.end).unwrap_or_default()
    }

    fn name(&self, encoded: &str) -> FileName {
        FileName::from_decoded(decode(encoded).into_owned(), self.convention)
    }
}

impl Iterator for Names {
    type Item = FileName;

    fn next(&mut self) -> Option<FileName> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let encoded = rest.split('/').next()?;
        let (name, used) = (self.name(encoded), encoded.len());
        self.start = (self.start + used + 1).min(self.end);
        Some(name)
    }
}

impl DoubleEndedIterator for Names {
    fn next_back(&mut self) -> Option<FileName> {
        let rest = self.rest();
        if rest.is_empty() {
            return None;
        }
        let encoded = rest.rsplit('/').next()?;
        let (name, used) = (self.name(encoded), encoded.len());
        self.end = self.end.saturating_sub(used + 1).max(self.start);
        Some(name)
    }
}

impl FusedIterator for Names {}

/// The encoded last name of an ordinary text; `None` for a root.
fn last_name(text: &str, kind: Kind) -> Option<&str> {
    let below = text.get(root_len(text, kind)..)?;
    below.rsplit('/').next().filter(|name| !name.is_empty())
}

/// The decoded text, if there is something to decode and the result is Unicode.
fn decode_text(encoded: &str) -> Option<String> {
    match decode(encoded) {
        Cow::Borrowed(_) => None,
        Cow::Owned(bytes) => String::from_utf8(bytes).ok(),
    }
}

/// The native spelling of an ordinary text, whole or cut after a name: POSIX bytes or UTF-8.
pub(crate) fn native_from_encoded(text: &str, kind: Kind) -> Vec<u8> {
    let start = match kind {
        Kind::Drive => "file:///".len(),
        Kind::Unc => "file:".len(),
        _ => "file://".len(),
    };
    let mut native = decode(text.get(start..).unwrap_or_default()).into_owned();
    if kind.convention() == Some(PathConvention::Windows) {
        separate_by_backslash(&mut native);
    }
    native
}

/// Turns every `/` into `\`.
pub(crate) fn separate_by_backslash(text: &mut [u8]) {
    for byte in text.iter_mut().filter(|byte| **byte == b'/') {
        *byte = b'\\';
    }
}
