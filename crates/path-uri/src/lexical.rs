//! Up, names, and which path is below which: decided by the text alone, by the bytes of whole names.

use std::{borrow::Cow, iter::successors};

use crate::{FileName, PathUri, components::Components, encoding::decode, wtf8};

impl PathUri {
    /// The path one name up; `None` for roots and opaque values.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let path = PathUri::parse("file:///C:/Users")?;
    /// let root = path.parent().unwrap();
    /// assert_eq!(root.as_str(), "file:///C:/");
    /// assert_eq!(root.parent(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn parent(&self) -> Option<PathUri> {
        let mut path = Components::of(self)?;
        path.pop().then(|| path.to_uri())
    }

    /// The path itself, then its parent, up to the root. An opaque value is its only ancestor.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let path = PathUri::parse("file://host/share/a/b")?;
    /// let ancestors: Vec<String> = path.ancestors().map(|path| path.to_string()).collect();
    /// assert_eq!(
    ///     ancestors,
    ///     ["file://host/share/a/b", "file://host/share/a", "file://host/share"]
    /// );
    /// # Ok(())
    /// # }
    /// ```
    pub fn ancestors(&self) -> impl Iterator<Item = PathUri> + use<> {
        successors(Some(self.clone()), Self::parent)
    }

    /// The last name, exactly; `None` for roots and opaque values.
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
        let path = Components::of(self)?;
        let name = decode(path.last_encoded()?).into_owned();
        Some(FileName::from_decoded(name, path.convention()))
    }

    /// The last name as text: decoded if that is Unicode, else as it is encoded; `None` for roots
    /// and opaque values.
    ///
    /// Not exact: use [`file_name`](Self::file_name)
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
        let path = Components::of(self)?;
        let encoded = path.last_encoded()?;
        let name = String::from_utf8(decode(encoded).into_owned());
        Some(name.unwrap_or_else(|_| encoded.to_owned()).into())
    }

    /// The root as the machine writes it: `/`, `C:\` or `\\server\share`; `None` for opaque values.
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
        let root = Components::of(self)?.root.to_native();
        Some(String::from_utf8_lossy(&root).into_owned())
    }

    /// How many names there are below the root: the steps to it; `None` for opaque values.
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
        Some(Components::of(self)?.depth())
    }

    /// The names below the root, first to last; `None` for opaque values.
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
        Some(Components::of(self)?.names())
    }

    /// The names of the native path below its root, first to last, of opaque values too; `None` where
    /// the convention is unknown or a name holds NUL.
    ///
    /// For listings that must name an entry which has no ordinary URI.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let lone = FileName::from_windows_units(&[0x61, 0xD800])?;
    /// let path = PathUri::parse("file:///C:/w")?.join_name(&lone)?;
    /// assert!(path.is_opaque() && path.names().is_none());
    /// assert_eq!(path.native_names().unwrap().next_back(), Some(lone));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn native_names(&self) -> Option<impl DoubleEndedIterator<Item = FileName> + use<>> {
        let native = self.native_bytes();
        let path = Components::from_native(&native, self.convention()?)?;
        (!native.contains(&0)).then(|| path.names())
    }

    /// Whether the path is `base` or below it: whether `base` is among its
    /// [`ancestors`](Self::ancestors).
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let base = PathUri::parse("file:///w/plugin")?;
    /// assert!(PathUri::parse("file:///w/plugin/x")?.starts_with(&base));
    /// assert!(!PathUri::parse("file:///w/plugin-other")?.starts_with(&base));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn starts_with(&self, base: &PathUri) -> bool {
        match (Components::of(self), Components::of(base)) {
            (Some(path), Some(base)) => path.encoded_below(&base).is_some(),
            _ => self == base,
        }
    }

    /// The names below `base` as relative native text; `None` unless the path
    /// [`starts_with`](Self::starts_with) `base`, empty if they are equal.
    ///
    /// U+FFFD stands for what is not Unicode: [`names_below`](Self::names_below) is exact.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let base = PathUri::parse("file:///C:/w")?;
    /// let path = base.join("src/a b.rs")?;
    /// assert_eq!(path.relative_path_from(&base).as_deref(), Some(r"src\a b.rs"));
    /// assert_eq!(base.relative_path_from(&path), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn relative_path_from(&self, base: &PathUri) -> Option<String> {
        if self == base {
            return Some(String::new());
        }
        let (path, base) = (Components::of(self)?, Components::of(base)?);
        let native = path.native_names(path.encoded_below(&base)?);
        let relative = native.get(1..).unwrap_or_default();
        Some(wtf8::to_string_lossy(relative, path.convention()).into_owned())
    }

    /// The names below `base`, first to last; `None` unless the path
    /// [`starts_with`](Self::starts_with) `base`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let base = PathUri::parse("file:///w")?;
    /// let path = PathUri::parse("file:///w/a/%FF")?;
    /// let mut again = base.clone();
    /// for name in path.names_below(&base).unwrap() {
    ///     again = again.join_name(&name)?;
    /// }
    /// assert_eq!(again, path);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn names_below(
        &self,
        base: &PathUri,
    ) -> Option<impl DoubleEndedIterator<Item = FileName> + use<>> {
        if self == base {
            return Some(Vec::new().into_iter());
        }
        let (path, base) = (Components::of(self)?, Components::of(base)?);
        Some(path.file_names(path.encoded_below(&base)?))
    }

    /// Whether one of the paths is the other or below it; `None` if they differ and one is opaque.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let (w, x) = (PathUri::parse("file:///w")?, PathUri::parse("file:///w/x")?);
    /// assert_eq!(w.overlaps(&x), Some(true));
    /// assert_eq!(x.overlaps(&PathUri::parse("file:///w/y")?), Some(false));
    /// assert_eq!(x.overlaps(&PathUri::parse("file:///%00/bad/path/YQ")?), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn overlaps(&self, other: &PathUri) -> Option<bool> {
        if self == other {
            Some(true)
        } else if self.is_opaque() || other.is_opaque() {
            None
        } else {
            Some(self.starts_with(other) || other.starts_with(self))
        }
    }
}
