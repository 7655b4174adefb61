//! Absolute paths of this host.
//!
//! Everything is decided lexically, by the rules of the host's [`PathConvention`]: no current
//! directory, no environment, no filesystem.

use std::{
    ffi::OsStr,
    io, iter,
    path::{Display, Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{PathConvention, PathRule, PathUriError, components::Components, wtf8};

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
///
/// In JSON it is one string; a path that is not Unicode has none.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "PathBuf")]
pub struct AbsolutePathBuf(PathBuf);

const HOST: PathConvention = PathConvention::native();

#[cfg(test)]
mod tests;

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
        match normalize(&wtf8::from_os(path.as_os_str()), HOST) {
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
        let path = wtf8::from_os(path.as_ref().as_os_str());
        let base = base.native_bytes();
        let resolved = resolve(&path, &base, HOST).map_err(|rule| {
            let shown = |native| wtf8::to_string_lossy(native, HOST);
            PathUriError::join(rule, &shown(&base), &shown(&path))
        })?;
        Ok(Self::from_normalized(resolved))
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
        let native = wtf8::from_os(path.as_ref().as_os_str());
        match below_home(&native, HOST) {
            Some(below) => match append(&home.native_bytes(), below, HOST) {
                Ok(native) => Ok(Self::from_normalized(native)),
                Err(rule) => {
                    let shown = wtf8::to_string_lossy(&native, HOST);
                    Err(PathUriError::new(rule, &shown).into())
                }
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
        parent(&self.native_bytes(), HOST).map(Self::from_normalized)
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
        self.parent().and_then(|_| self.0.file_name())
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
        Self(PathBuf::from(wtf8::to_os(native)))
    }

    /// POSIX bytes or WTF-8.
    pub(crate) fn native_bytes(&self) -> Vec<u8> {
        wtf8::from_os(self.0.as_os_str())
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

// What the methods do, as functions of native text, POSIX bytes or WTF-8, and of a convention: they
// decide for both kinds of host on each.

/// The normal form of an absolute path.
fn normalize(native: &[u8], convention: PathConvention) -> Result<Vec<u8>, PathRule> {
    let path = Components::from_native(native, convention).ok_or(PathRule::NotAbsolute)?;
    Ok(path.to_native())
}

fn resolve(path: &[u8], base: &[u8], convention: PathConvention) -> Result<Vec<u8>, PathRule> {
    let base = Components::from_native(base, convention).ok_or(PathRule::NotAbsolute)?;
    // A name can complete a root: `\\?\UNC\host` has no share until one is appended.
    normalize(&base.resolve(path)?.to_native(), convention)
}

/// Applies the components of `rest`, which is not looked at for a root of its own.
fn append(base: &[u8], rest: &[u8], convention: PathConvention) -> Result<Vec<u8>, PathRule> {
    let mut path = Components::from_native(base, convention).ok_or(PathRule::NotAbsolute)?;
    path.apply(rest);
    normalize(&path.to_native(), convention)
}

/// The rest after a leading `~`, if that stands for a home directory.
fn below_home(path: &[u8], convention: PathConvention) -> Option<&[u8]> {
    let rest = path.strip_prefix(b"~")?;
    let is_separator = |byte: &u8| convention.is_separator(*byte);
    rest.first().is_none_or(is_separator).then_some(rest)
}

fn parent(native: &[u8], convention: PathConvention) -> Option<Vec<u8>> {
    let mut path = Components::from_native(native, convention)?;
    path.pop().then(|| path.to_native())
}

fn is_below(path: &[u8], base: &[u8], convention: PathConvention) -> bool {
    let components = |native| Components::from_native(native, convention);
    match (components(path), components(base)) {
        (Some(path), Some(base)) => path.encoded_below(&base).is_some(),
        _ => path == base,
    }
}
