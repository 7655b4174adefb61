//! Names: the last one, all of them, and how many there are.

use std::{borrow::Cow, iter::FusedIterator};

use crate::{
    FileName, PathConvention, PathUri,
    encoding::decode,
    plain::{Plain, native_from_encoded, root_len},
    uri::Kind,
};

impl PathUri {
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

    /// The last name as text: decoded if that is Unicode, else as it is encoded; `None` for roots
    /// and sealed values.
    ///
    /// Borrows unless there is an escape to decode. Not exact: use [`file_name`](Self::file_name)
    /// to name a file.
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
    /// let unc = PathUri::parse("file://host/share/x")?;
    /// assert_eq!(unc.root_name().as_deref(), Some(r"\\host\share"));
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
        Some(Names::last_bytes(self, plain, below))
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
    pub(crate) fn last_bytes(uri: &PathUri, plain: Plain<'_>, len: usize) -> Self {
        let end = plain.text.len();
        Self {
            source: match plain.text {
                Cow::Borrowed(_) => Source::Shared(uri.clone()),
                Cow::Owned(text) => Source::Owned(text),
            },
            convention: plain.kind.convention().unwrap_or(PathConvention::Posix),
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
    let below = text.get(root_len(text.as_bytes(), kind)..)?;
    below.rsplit('/').next().filter(|name| !name.is_empty())
}

/// The decoded text, if there is something to decode and the result is Unicode.
fn decode_text(encoded: &str) -> Option<String> {
    match decode(encoded) {
        Cow::Borrowed(_) => None,
        Cow::Owned(bytes) => String::from_utf8(bytes).ok(),
    }
}
