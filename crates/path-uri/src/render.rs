//! Back to native paths: exactly or not at all, except where the text is for people.

use std::{io, path::PathBuf};

use crate::{
    AbsolutePathBuf, PathConvention, PathRule, PathUri, PathUriError, fallback, name::lossy,
    native, plain::native_from_encoded, uri::Kind,
};

impl PathUri {
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
        if self.kind() == Kind::SealedWindows && !begins_like_windows(&native) {
            return self.to_string();
        }
        lossy(&native, convention).into_owned()
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
        if self.is_opaque() && native::read(&native, convention).as_ref() != Ok(self) {
            return Err(PathRule::NonCanonicalFallback);
        }
        Ok(native)
    }

    /// POSIX bytes or WTF-8, canonical or not.
    pub(crate) fn native_bytes(&self) -> Vec<u8> {
        if self.kind().is_ordinary() {
            native_from_encoded(self.as_str(), self.kind())
        } else {
            fallback::native_bytes(self)
        }
    }
}

fn begins_like_windows(native: &[u8]) -> bool {
    match native {
        [b'\\', b'\\', ..] => true,
        [letter, b':', b'\\', ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}
