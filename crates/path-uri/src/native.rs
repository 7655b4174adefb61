//! From native paths, as a machine of either convention writes them.
//!
//! Reading is lexical: `.` and empty components are dropped, `..` goes up and stops at the root,
//! before any link is followed. A path with an ordinary spelling always gets it, whatever prefix it
//! was written with.

use std::{io, path::Path};

use crate::{
    AbsolutePathBuf, PathConvention, PathRule, PathUri, PathUriError,
    assemble::{Assembly, copied},
    buffer::{AROUND_NAMES, with_text},
    encoding::{Scan, push_encoded, scan},
    fallback,
    uri::Kind,
    windows,
};

impl PathUri {
    /// Reads an absolute native path, written in `convention`.
    ///
    /// Device paths, paths with NUL and hosts without a URI spelling give fallback values; nothing
    /// is refused that is absolute. Clean text costs one allocation, beyond 4 KiB two.
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
        match copied_native(text.as_bytes(), convention) {
            Some(path) => Ok(path),
            None => read(text.as_bytes(), convention).map_err(|rule| PathUriError::new(rule, text)),
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
        // What is absolute is always readable; were it not, its bytes as they are would name it.
        read(&native, convention).unwrap_or_else(|_| match convention {
            PathConvention::Posix => fallback::from_posix(&native),
            PathConvention::Windows => fallback::from_windows(&native),
        })
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
}

/// The short way for the paths that most are: from a POSIX root or a drive, with plain names only.
#[inline]
fn copied_native(native: &[u8], convention: PathConvention) -> Option<PathUri> {
    match (convention, native) {
        (PathConvention::Posix, [b'/', names @ ..]) => copied(Kind::Posix, [b"file:///", names]),
        (PathConvention::Windows, [letter, b':', b'\\' | b'/', names @ ..])
            if letter.is_ascii_alphabetic() =>
        {
            let drive = [letter.to_ascii_uppercase(), b':', b'/'];
            copied(Kind::Drive, [b"file:///", &drive, names])
        }
        _ => None,
    }
}

/// Reads an absolute native path: POSIX bytes or WTF-8.
#[inline]
pub(crate) fn read(native: &[u8], convention: PathConvention) -> Result<PathUri, PathRule> {
    match convention {
        PathConvention::Posix => read_posix(native),
        PathConvention::Windows => windows::read(native),
    }
    .ok_or(PathRule::NotAbsolute)
}

fn read_posix(native: &[u8]) -> Option<PathUri> {
    let names = native.strip_prefix(b"/")?;
    Some(with_text(native.len() + AROUND_NAMES, |text| {
        text.push_str("file:///");
        let mut path = Assembly::new(text, Kind::Posix);
        path.apply(names);
        path.finish()
    }))
}

/// The value of a drive path: an upper-case letter and the components below its root.
pub(crate) fn drive(letter: u8, components: &[u8]) -> PathUri {
    if let Some(path) = copied(
        Kind::Drive,
        [b"file:///", &[letter, b':', b'/'], components],
    ) {
        return path;
    }
    with_text(components.len() + AROUND_NAMES, |text| {
        text.push_str("file:///");
        text.push_bytes(&[letter, b':', b'/']);
        let mut path = Assembly::new(text, Kind::Drive);
        path.apply(components);
        path.finish()
    })
}

/// The value of a UNC path whose host and share a URI can hold.
pub(crate) fn unc(host: &str, share: &[u8], components: &[u8]) -> PathUri {
    if scan(share) == Some(Scan::Plain)
        && let Some(path) = copied(
            Kind::Unc,
            [b"file://", host.as_bytes(), b"/", share, b"/", components],
        )
    {
        return path;
    }
    with_text(
        host.len() + share.len() + components.len() + AROUND_NAMES,
        |text| {
            text.push_str("file://");
            text.push_str(host);
            text.push(b'/');
            push_encoded(text, share);
            let mut path = Assembly::new(text, Kind::Unc);
            path.apply(components);
            path.finish()
        },
    )
}

/// The names of relative components, after `.` and `..` are applied.
pub(crate) fn names_after_dots(components: &[u8], convention: PathConvention) -> Vec<&[u8]> {
    let mut names = Vec::new();
    for component in components.split(|&byte| convention.is_separator(byte)) {
        match component {
            b"" | b"." => {}
            b".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names
}
