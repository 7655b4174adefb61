//! Absolute paths of this host.
//!
//! Everything is decided lexically, by the rules of the host's [`PathConvention`]: no current
//! directory, no environment, no filesystem. What is decided stands in the module `resolve`.

use std::{
    ffi::OsStr,
    io, iter,
    path::{Display, Path, PathBuf},
};

use crate::{
    PathConvention, PathUriError,
    name::lossy,
    os,
    resolve::{append, below_home, is_below, normalize, parent_len, resolve},
};

/// A path that is absolute on this host, in lexically normal form.
///
/// No `.`, `..` or doubled separators, no trailing separator except at roots; on Windows an
/// upper-case drive letter and no verbatim prefix where a plain spelling exists. It is not
/// canonical: links in it are not followed, and nothing need exist at it.
///
/// # Examples
/// ```
/// use codex_path_uri::AbsolutePathBuf;
///
/// # fn main() -> std::io::Result<()> {
/// # #[cfg(unix)] {
/// let base = AbsolutePathBuf::try_from("/w/./a/..")?;
/// assert_eq!(base.as_path().to_str(), Some("/w"));
/// assert_eq!(base.join("../x")?.as_path().to_str(), Some("/x"));
/// # }
/// assert!(AbsolutePathBuf::try_from("relative").is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbsolutePathBuf(PathBuf);

const HOST: PathConvention = PathConvention::native();

impl AbsolutePathBuf {
    /// Takes a path that is absolute already.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if it is relative; `~` has no meaning.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # #[cfg(unix)]
    /// assert!(AbsolutePathBuf::from_absolute_path_checked("/w").is_ok());
    /// let error = AbsolutePathBuf::from_absolute_path_checked("w").unwrap_err();
    /// assert_eq!(error.to_string(), "path is not absolute: w");
    /// ```
    pub fn from_absolute_path_checked(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        match normalize(&os::to_bytes(path.as_os_str()), HOST) {
            Ok(native) => Ok(Self::from_normalized(native)),
            Err(_) => Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("path is not absolute: {}", path.display()),
            )),
        }
    }

    /// Resolves a path against a base: an absolute path stands alone, an empty one gives the base.
    ///
    /// On Windows, `\x` keeps the root of the base, and `X:rest` goes on from the base if it is on
    /// that drive.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for `X:rest` of another drive and for `\\host` without a
    /// share.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)] {
    /// let base = AbsolutePathBuf::try_from("/b")?;
    /// let resolved = AbsolutePathBuf::resolve_path_against_base("x/../y", &base)?;
    /// assert_eq!(resolved.as_path().to_str(), Some("/b/y"));
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    pub fn resolve_path_against_base(
        path: impl AsRef<Path>,
        base: &AbsolutePathBuf,
    ) -> io::Result<Self> {
        let path = os::to_bytes(path.as_ref().as_os_str());
        let base = base.native_bytes();
        resolve(&path, &base, HOST)
            .map(Self::from_normalized)
            .map_err(|rule| {
                PathUriError::join(rule, &lossy(&base, HOST), &lossy(&path, HOST)).into()
            })
    }

    /// As [`resolve_path_against_base`](Self::resolve_path_against_base), after `~` alone or before
    /// a separator is replaced by `home`. `~name` is an ordinary name.
    ///
    /// # Errors
    /// Those of `resolve_path_against_base`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)] {
    /// let base = AbsolutePathBuf::try_from("/b")?;
    /// let home = AbsolutePathBuf::try_from("/home/u")?;
    /// let resolved = AbsolutePathBuf::resolve_with_home("~/x", &base, &home)?;
    /// assert_eq!(resolved.as_path().to_str(), Some("/home/u/x"));
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    pub fn resolve_with_home(
        path: impl AsRef<Path>,
        base: &AbsolutePathBuf,
        home: &AbsolutePathBuf,
    ) -> io::Result<Self> {
        let path = path.as_ref();
        let native = os::to_bytes(path.as_os_str());
        match below_home(&native, HOST) {
            Some(below) => match append(&home.native_bytes(), below, HOST) {
                Ok(native) => Ok(Self::from_normalized(native)),
                Err(rule) => Err(PathUriError::new(rule, &lossy(&native, HOST)).into()),
            },
            None => Self::resolve_path_against_base(path, base),
        }
    }

    /// Resolves `path` against this path, as
    /// [`resolve_path_against_base`](Self::resolve_path_against_base).
    ///
    /// # Errors
    /// Those of `resolve_path_against_base`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)]
    /// assert_eq!(AbsolutePathBuf::try_from("/w")?.join("x")?.as_path().to_str(), Some("/w/x"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn join(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        Self::resolve_path_against_base(path, self)
    }

    /// The path one name up; `None` for a root.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)] {
    /// let root = AbsolutePathBuf::try_from("/w")?.parent().unwrap();
    /// assert_eq!(root.as_path().to_str(), Some("/"));
    /// assert_eq!(root.parent(), None);
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let mut native = self.native_bytes();
        native.truncate(parent_len(&native, HOST)?);
        Some(Self::from_normalized(native))
    }

    /// The path itself, then its parent, up to the root.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)]
    /// assert_eq!(AbsolutePathBuf::try_from("/a/b")?.ancestors().count(), 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn ancestors(&self) -> impl Iterator<Item = AbsolutePathBuf> + use<> {
        iter::successors(Some(self.clone()), Self::parent)
    }

    /// The last name; `None` for a root.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)]
    /// assert_eq!(AbsolutePathBuf::try_from("/a/b")?.file_name(), Some("b".as_ref()));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn file_name(&self) -> Option<&OsStr> {
        parent_len(&self.native_bytes(), HOST).and_then(|_| self.0.file_name())
    }

    /// Whether the path is `base` or below it, name by name and byte by byte.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)] {
    /// let base = AbsolutePathBuf::try_from("/w")?;
    /// assert!(base.join("x")?.starts_with(&base));
    /// assert!(!AbsolutePathBuf::try_from("/wx")?.starts_with(&base));
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn starts_with(&self, base: &AbsolutePathBuf) -> bool {
        is_below(&self.native_bytes(), &base.native_bytes(), HOST)
    }

    /// The path as the standard library takes it.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)]
    /// assert_eq!(AbsolutePathBuf::try_from("/w")?.as_path(), std::path::Path::new("/w"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// The path as an owned standard path.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)]
    /// assert_eq!(AbsolutePathBuf::try_from("/w")?.into_path_buf().to_str(), Some("/w"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn into_path_buf(self) -> PathBuf {
        self.0
    }

    /// The path for people, with U+FFFD in place of what is not Unicode.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::AbsolutePathBuf;
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)]
    /// assert_eq!(AbsolutePathBuf::try_from("/w")?.display().to_string(), "/w");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn display(&self) -> Display<'_> {
        self.0.display()
    }

    /// Takes the normalised text of an absolute path: POSIX bytes or WTF-8.
    pub(crate) fn from_normalized(native: Vec<u8>) -> Self {
        Self(PathBuf::from(os::from_bytes(native)))
    }

    /// POSIX bytes or WTF-8.
    pub(crate) fn native_bytes(&self) -> Vec<u8> {
        os::to_bytes(self.0.as_os_str())
    }
}

impl AsRef<Path> for AbsolutePathBuf {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl TryFrom<PathBuf> for AbsolutePathBuf {
    type Error = io::Error;

    /// As [`AbsolutePathBuf::from_absolute_path_checked`].
    fn try_from(path: PathBuf) -> io::Result<Self> {
        Self::from_absolute_path_checked(path)
    }
}

impl TryFrom<&Path> for AbsolutePathBuf {
    type Error = io::Error;

    /// As [`AbsolutePathBuf::from_absolute_path_checked`].
    fn try_from(path: &Path) -> io::Result<Self> {
        Self::from_absolute_path_checked(path)
    }
}

impl TryFrom<&str> for AbsolutePathBuf {
    type Error = io::Error;

    /// As [`AbsolutePathBuf::from_absolute_path_checked`].
    fn try_from(path: &str) -> io::Result<Self> {
        Self::from_absolute_path_checked(path)
    }
}

impl TryFrom<String> for AbsolutePathBuf {
    type Error = io::Error;

    /// As [`AbsolutePathBuf::from_absolute_path_checked`].
    fn try_from(path: String) -> io::Result<Self> {
        Self::from_absolute_path_checked(path)
    }
}
