//! Joining relative or absolute native text, bytes and names onto a path, in the convention of the
//! path.

use crate::{FileName, PathConvention, PathRule, PathUri, PathUriError, components::Components};

impl PathUri {
    /// Applies native text in the convention of the path: relative text goes on from it, absolute
    /// text replaces it.
    ///
    /// `.` and empty components are ignored, `..` goes up and stops at the root, everything else is
    /// appended exactly: `~`, `%`, `?` and `#` have no meaning. On Windows, `\x` stays on the drive
    /// or share, and `X:rest` goes on from the path if it is on that drive. The result has the
    /// convention of the path. Empty text gives the path itself.
    ///
    /// # Errors
    /// `nul_in_path`; `opaque_base`; on Windows `drive_relative` for `X:rest` of another drive and
    /// `not_absolute` for `\\host` without a share.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let posix = PathUri::parse("file:///w/src")?;
    /// assert_eq!(posix.join("../a?b.rs")?.as_str(), "file:///w/a%3Fb.rs");
    /// let windows = PathUri::parse("file:///C:/w")?;
    /// assert_eq!(windows.join(r"src\x.rs")?.as_str(), "file:///C:/w/src/x.rs");
    /// assert_eq!(windows.join("D:x").unwrap_err().code(), "drive_relative");
    /// # Ok(())
    /// # }
    /// ```
    pub fn join(&self, text: &str) -> Result<PathUri, PathUriError> {
        self.joined(text.as_bytes())
            .map_err(|rule| self.join_error(rule, text))
    }

    /// As [`join`](Self::join), for text that must lead to the path or below it.
    ///
    /// Inner `..` is allowed while the result stays below. The decision is lexical: a link may
    /// still lead elsewhere.
    ///
    /// # Errors
    /// Those of `join`; `not_descendant` if the text begins with a separator, on Windows holds a
    /// `:`, or leads outside.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let base = PathUri::parse("file:///w")?;
    /// assert_eq!(base.join_descendant("docs/../public")?.as_str(), "file:///w/public");
    /// assert_eq!(base.join_descendant("../etc").unwrap_err().code(), "not_descendant");
    /// # Ok(())
    /// # }
    /// ```
    pub fn join_descendant(&self, text: &str) -> Result<PathUri, PathUriError> {
        let joined = self.join(text)?;
        let convention = self.convention().unwrap_or(PathConvention::Posix);
        let begins_at_root = text
            .bytes()
            .next()
            .is_some_and(|byte| convention.is_separator(byte));
        let names_a_drive = convention == PathConvention::Windows && text.contains(':');
        if begins_at_root || names_a_drive || !joined.starts_with(self) {
            return Err(self.join_error(PathRule::NotDescendant, text));
        }
        Ok(joined)
    }

    /// Appends exactly one name.
    ///
    /// A Windows name with a lone surrogate gives an opaque value.
    ///
    /// # Errors
    /// `opaque_base`; `convention_mismatch` if the name is of the other convention.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let name = FileName::from_posix_bytes(b"a%2Fb\xFF".to_vec())?;
    /// let path = PathUri::parse("file:///w")?.join_name(&name)?;
    /// assert_eq!(path.as_str(), "file:///w/a%252Fb%FF");
    /// # Ok(())
    /// # }
    /// ```
    pub fn join_name(&self, name: &FileName) -> Result<PathUri, PathUriError> {
        let error = |rule| self.join_error(rule, &name.to_string_lossy());
        let mut path = Components::of(self).ok_or_else(|| error(PathRule::OpaqueBase))?;
        if path.convention() != name.convention() {
            return Err(error(PathRule::ConventionMismatch));
        }
        path.push(name.as_bytes());
        Ok(path.to_uri())
    }

    /// As [`join`](Self::join), on the bytes of a native path.
    ///
    /// # Errors
    /// Those of `join`; `not_unicode` if the path is a Windows path and the bytes are not UTF-8.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let base = PathUri::parse("file:///w")?;
    /// assert_eq!(base.join_native_bytes(b"x/\xFF")?.as_str(), "file:///w/x/%FF");
    /// # Ok(())
    /// # }
    /// ```
    pub fn join_native_bytes(&self, bytes: &[u8]) -> Result<PathUri, PathUriError> {
        self.joined(bytes)
            .map_err(|rule| self.join_error(rule, &String::from_utf8_lossy(bytes)))
    }

    fn joined(&self, text: &[u8]) -> Result<PathUri, PathRule> {
        if text.is_empty() {
            return Ok(self.clone());
        }
        if text.contains(&0) {
            return Err(PathRule::NulInPath);
        }
        let path = Components::of(self).ok_or(PathRule::OpaqueBase)?;
        if path.convention() == PathConvention::Windows && std::str::from_utf8(text).is_err() {
            return Err(PathRule::NotUnicode);
        }
        Ok(path.resolve(text)?.to_uri())
    }

    fn join_error(&self, rule: PathRule, argument: &str) -> PathUriError {
        PathUriError::join(rule, self.as_str(), argument)
    }
}
