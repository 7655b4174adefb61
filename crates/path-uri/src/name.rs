//! One component of a path, exactly as its machine stores it.

use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fmt,
};

use crate::{PathConvention, PathRule, PathUriError, wtf8};

/// One name in a directory: a POSIX byte string or a Windows string of UTF-16 code units.
///
/// Never empty, never `.` or `..`, and free of NUL and separators, so joining one goes down exactly
/// one step. POSIX names come before Windows names; names of one convention are ordered by their
/// bytes.
///
/// # Examples
/// ```
/// use codex_path_uri::{FileName, PathConvention, PathUri};
///
/// # fn main() -> Result<(), codex_path_uri::PathUriError> {
/// let name = FileName::new(r"a\b", PathConvention::Posix)?;
/// let path = PathUri::parse("file:///w")?.join_name(&name)?;
/// assert_eq!(path.as_str(), "file:///w/a%5Cb");
/// assert_eq!(path.file_name(), Some(name));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileName(Repr);

/// The variants stand in the order in which names are sorted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Posix(Vec<u8>),
    /// WTF-8.
    Windows(Vec<u8>),
}

impl FileName {
    /// A name from text.
    ///
    /// # Errors
    /// `invalid_name` if it is empty, `.` or `..`, or holds NUL or a separator of `convention`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathConvention};
    ///
    /// assert!(FileName::new("a b", PathConvention::Posix).is_ok());
    /// assert!(FileName::new(r"a\b", PathConvention::Windows).is_err());
    /// assert!(FileName::new("..", PathConvention::Posix).is_err());
    /// ```
    pub fn new(text: &str, convention: PathConvention) -> Result<Self, PathUriError> {
        Self::checked(text.as_bytes().to_vec(), convention)
    }

    /// A POSIX name from its bytes.
    ///
    /// # Errors
    /// `invalid_name`, as for [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::FileName;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let name = FileName::from_posix_bytes(vec![b'a', 0xFF])?;
    /// assert_eq!(name.as_str(), None);
    /// assert_eq!(name.to_string(), "a\u{FFFD}");
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_posix_bytes(bytes: Vec<u8>) -> Result<Self, PathUriError> {
        Self::checked(bytes, PathConvention::Posix)
    }

    /// A Windows name from its UTF-16 code units; lone surrogates are kept.
    ///
    /// # Errors
    /// `invalid_name`, as for [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::FileName;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let name = FileName::from_windows_units(&[0x61, 0xD800])?;
    /// assert_eq!(name.as_str(), None);
    /// assert_eq!(name.to_windows_units(), Some(vec![0x61, 0xD800]));
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_windows_units(units: &[u16]) -> Result<Self, PathUriError> {
        Self::checked(
            wtf8::from_units(units.iter().copied()),
            PathConvention::Windows,
        )
    }

    /// A name as this host gives it, in this host's convention.
    ///
    /// # Errors
    /// `invalid_name`, as for [`new`](Self::new).
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathConvention};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let name = FileName::from_host("main.rs".as_ref())?;
    /// assert_eq!(name.convention(), PathConvention::native());
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_host(name: &OsStr) -> Result<Self, PathUriError> {
        Self::checked(wtf8::from_os(name), PathConvention::native())
    }

    fn checked(bytes: Vec<u8>, convention: PathConvention) -> Result<Self, PathUriError> {
        let is_invalid = matches!(&*bytes, b"" | b"." | b"..")
            || bytes
                .iter()
                .any(|&byte| byte == 0 || convention.is_separator(byte));
        let name = Self::from_decoded(bytes, convention);
        if is_invalid {
            return Err(PathUriError::new(
                PathRule::InvalidName,
                &name.to_string_lossy(),
            ));
        }
        Ok(name)
    }

    /// A name that stands in a path: POSIX bytes or WTF-8, known to be valid.
    pub(crate) fn from_decoded(bytes: Vec<u8>, convention: PathConvention) -> Self {
        Self(match convention {
            PathConvention::Posix => Repr::Posix(bytes),
            PathConvention::Windows => Repr::Windows(bytes),
        })
    }

    /// POSIX bytes or WTF-8.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Posix(bytes) | Repr::Windows(bytes) => bytes,
        }
    }

    /// The convention of the machine that the name belongs to.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathConvention};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let name = FileName::from_windows_units(&[0x61])?;
    /// assert_eq!(name.convention(), PathConvention::Windows);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn convention(&self) -> PathConvention {
        match self.0 {
            Repr::Posix(_) => PathConvention::Posix,
            Repr::Windows(_) => PathConvention::Windows,
        }
    }

    /// The name as text, if it is Unicode.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathConvention};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(FileName::new("é", PathConvention::Posix)?.as_str(), Some("é"));
    /// assert_eq!(FileName::from_posix_bytes(vec![0xFF])?.as_str(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.as_bytes()).ok()
    }

    /// The name for people, with U+FFFD in place of what is not Unicode.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::FileName;
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let name = FileName::from_windows_units(&[0xD800, 0x61])?;
    /// assert_eq!(name.to_string_lossy(), "\u{FFFD}a");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        wtf8::to_string_lossy(self.as_bytes(), self.convention())
    }

    /// The bytes of a POSIX name; `None` for a Windows name.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathConvention};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// assert_eq!(FileName::new("a", PathConvention::Posix)?.as_posix_bytes(), Some(&b"a"[..]));
    /// assert_eq!(FileName::new("a", PathConvention::Windows)?.as_posix_bytes(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn as_posix_bytes(&self) -> Option<&[u8]> {
        match &self.0 {
            Repr::Posix(bytes) => Some(bytes),
            Repr::Windows(_) => None,
        }
    }

    /// The code units of a Windows name; `None` for a POSIX name.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathConvention};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let windows = FileName::new("é", PathConvention::Windows)?;
    /// assert_eq!(windows.to_windows_units(), Some(vec![0xE9]));
    /// assert_eq!(FileName::new("é", PathConvention::Posix)?.to_windows_units(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn to_windows_units(&self) -> Option<Vec<u16>> {
        match &self.0 {
            Repr::Posix(_) => None,
            Repr::Windows(bytes) => Some(wtf8::to_units(bytes)),
        }
    }

    /// The name for this host's system calls; `None` if it is of the other convention.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{FileName, PathConvention};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let name = FileName::new("a", PathConvention::native())?;
    /// assert_eq!(name.to_os_string(), Some("a".into()));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn to_os_string(&self) -> Option<OsString> {
        (self.convention() == PathConvention::native())
            .then(|| wtf8::to_os(self.as_bytes().to_vec()))
    }
}

/// A name is equal to its text; one that is not Unicode is equal to none.
impl PartialEq<str> for FileName {
    fn eq(&self, text: &str) -> bool {
        self.as_bytes() == text.as_bytes()
    }
}

impl fmt::Display for FileName {
    /// Writes the name with U+FFFD in place of what is not Unicode.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.to_string_lossy())
    }
}
