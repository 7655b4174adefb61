//! From native paths, as a machine of either convention writes them, and back: exactly or not at
//! all, except where the text is for people.
//!
//! Reading is lexical: `.` and empty components are dropped, `..` goes up and stops at the root,
//! before any link is followed. A path with an ordinary spelling always gets it, whatever prefix it
//! was written with.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    AbsolutePathBuf, PathConvention, PathRule, PathUri, PathUriError, components::Components,
    opaque, uri::Kind, wtf8,
};

impl PathUri {
    /// Reads an absolute native path, written in `convention`.
    ///
    /// Device paths, paths with NUL and hosts without a URI spelling give fallback values; nothing
    /// is refused that is absolute.
    ///
    /// # Errors
    /// `not_absolute` for everything else, among it `C:`, `C:name`, `\name` and `\\host`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{PathConvention::{Posix, Windows}, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::from_native("/a b/./c/..", Posix)?.as_str(), "file:///a%20b");
    /// assert_eq!(PathUri::from_native(r"\\?\C:\w\x.rs", Windows)?.as_str(), "file:///C:/w/x.rs");
    /// let unc = PathUri::from_native(r"\\HOST\Share\x", Windows)?;
    /// assert_eq!(unc.as_str(), "file://host/Share/x");
    /// assert_eq!(PathUri::from_native("C:x", Windows).unwrap_err().code(), "not_absolute");
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_native(text: &str, convention: PathConvention) -> Result<Self, PathUriError> {
        match Components::from_native(text.as_bytes(), convention) {
            Some(path) => Ok(path.to_uri()),
            None => Err(PathUriError::new(PathRule::NotAbsolute, text)),
        }
    }

    /// The URI of a path of this host. Every absolute path has one.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{AbsolutePathBuf, PathUri};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # #[cfg(unix)] {
    /// let path = AbsolutePathBuf::try_from("/w/a b")?;
    /// assert_eq!(PathUri::from_abs_path(&path).as_str(), "file:///w/a%20b");
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn from_abs_path(path: &AbsolutePathBuf) -> Self {
        let native = path.native_bytes();
        let convention = PathConvention::native();
        match Components::from_native(&native, convention) {
            Some(path) => path.to_uri(),
            // What is absolute can be read; were it not so, its bytes as they are would name it.
            None => opaque::from_native(&native, convention),
        }
    }

    /// The URI of a path of this host that may turn out not to be absolute.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] unless the path is absolute on this host.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # #[cfg(unix)]
    /// assert_eq!(PathUri::from_host_native_path("/w").unwrap().as_str(), "file:///w");
    /// assert!(PathUri::from_host_native_path("w").is_err());
    /// ```
    pub fn from_host_native_path(path: impl AsRef<Path>) -> io::Result<Self> {
        AbsolutePathBuf::from_absolute_path_checked(path).map(|path| Self::from_abs_path(&path))
    }

    /// The native path, from which [`from_native`](Self::from_native) makes this value again.
    ///
    /// # Errors
    /// `unknown_convention` and `non_canonical_fallback` for fallback values that name no file;
    /// `convention_mismatch` if the path is of the other convention; `not_unicode` if a name is not
    /// Unicode.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{PathConvention::{Posix, Windows}, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let path = PathUri::parse("file:///C:/a%20b")?;
    /// assert_eq!(path.to_native(Windows)?, r"C:\a b");
    /// assert_eq!(path.to_native(Posix).unwrap_err().code(), "convention_mismatch");
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_native(&self, convention: PathConvention) -> Result<String, PathUriError> {
        let error = |rule| PathUriError::new(rule, self.as_str());
        let native = self.to_native_bytes(convention).map_err(error)?;
        String::from_utf8(native).map_err(|_| error(PathRule::NotUnicode))
    }

    /// The path as a person expects to see it. Never feed it back: it may stand for another file,
    /// or for none.
    ///
    /// U+FFFD stands for what is not Unicode. A value without a native form is shown as a URI.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(PathUri::parse("file:///w/%FF")?.inferred_native_path_string(), "/w/\u{FFFD}");
    /// assert_eq!(
    ///     PathUri::parse("file://server/share/x")?.inferred_native_path_string(),
    ///     r"\\server\share\x"
    /// );
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn inferred_native_path_string(&self) -> String {
        let Some(convention) = self.convention() else {
            return self.to_string();
        };
        let native = self.native_bytes();
        let is_drive_alone =
            |native: &[u8]| matches!(native, [_, b':', rest @ ..] if !rest.starts_with(br"\"));
        if self.kind() == Kind::Opaque(Some(PathConvention::Windows)) && is_drive_alone(&native) {
            return self.to_string();
        }
        wtf8::to_string_lossy(&native, convention).into_owned()
    }

    /// The path for this host's system calls, byte for byte.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] around a [`PathUriError`]: `unknown_convention`,
    /// `convention_mismatch` if the path belongs to a machine of the other convention,
    /// `non_canonical_fallback`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # #[cfg(unix)] {
    /// let path = PathUri::parse("file:///w/a%20b")?.to_abs_path()?;
    /// assert_eq!(path.as_path().to_str(), Some("/w/a b"));
    /// assert!(PathUri::parse("file://server/share")?.to_abs_path().is_err());
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_abs_path(&self) -> io::Result<AbsolutePathBuf> {
        let native = self
            .to_native_bytes(PathConvention::native())
            .map_err(|rule| PathUriError::new(rule, self.as_str()))?;
        Ok(AbsolutePathBuf::from_normalized(native))
    }

    /// As [`to_abs_path`](Self::to_abs_path), as a plain [`PathBuf`].
    ///
    /// # Errors
    /// Those of `to_abs_path`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # #[cfg(unix)]
    /// assert_eq!(PathUri::parse("file:///w")?.to_path_buf()?, std::path::PathBuf::from("/w"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn to_path_buf(&self) -> io::Result<PathBuf> {
        self.to_abs_path().map(AbsolutePathBuf::into_path_buf)
    }

    fn to_native_bytes(&self, convention: PathConvention) -> Result<Vec<u8>, PathRule> {
        match self.convention() {
            None => return Err(PathRule::UnknownConvention),
            Some(own) if own != convention => return Err(PathRule::ConventionMismatch),
            Some(_) => {}
        }
        let native = self.native_bytes();
        let is_named = |path: Components<'_>| path.to_uri() == *self;
        if self.is_opaque() && !Components::from_native(&native, convention).is_some_and(is_named) {
            return Err(PathRule::NonCanonicalFallback);
        }
        Ok(native)
    }

    /// POSIX bytes or WTF-8, canonical or not.
    pub(crate) fn native_bytes(&self) -> Vec<u8> {
        match self.kind() {
            Kind::Lexical | Kind::Opaque(_) => opaque::native_bytes(self),
            Kind::Posix | Kind::Drive | Kind::Unc => {
                Components::of(self).map_or_else(Vec::new, |path| path.to_native())
            }
        }
    }
}

impl From<AbsolutePathBuf> for PathUri {
    /// As [`PathUri::from_abs_path`].
    fn from(path: AbsolutePathBuf) -> Self {
        Self::from_abs_path(&path)
    }
}

/// The path that a fallback value with a device prefix names, which need not be spelled so.
pub(crate) fn named_by_device_prefix(uri: &PathUri) -> Option<PathUri> {
    let native = opaque::native_bytes(uri);
    let has_prefix = native.starts_with(br"\\?\") || native.starts_with(br"\\.\");
    let path = Components::from_native(&native, PathConvention::Windows)?;
    has_prefix.then(|| path.to_uri())
}
