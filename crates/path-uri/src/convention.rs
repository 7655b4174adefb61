//! The two ways of writing native paths, as data rather than as a property of the host.
//!
//! Both conventions work on every host with the same results. Only [`PathConvention::native`] asks
//! which host this is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a machine writes its paths.
///
/// In JSON: `"posix"` or `"windows"`. Displayed as `POSIX` or `Windows`.
///
/// # Examples
/// ```
/// use codex_path_uri::PathConvention;
///
/// assert_eq!(PathConvention::infer_absolute(r"C:\w"), Some(PathConvention::Windows));
/// assert_eq!(PathConvention::infer_absolute("/w"), Some(PathConvention::Posix));
/// assert_eq!(PathConvention::infer_absolute("w"), None);
/// assert_eq!(PathConvention::Posix.to_string(), "POSIX");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PathConvention {
    /// `/` separates; any other byte but NUL may stand in a name.
    Posix,
    /// `\` and `/` separate; paths begin with a drive or with a host and a share.
    Windows,
}

impl PathConvention {
    /// The convention of the host that runs this program.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathConvention;
    ///
    /// let expected = if cfg!(windows) { PathConvention::Windows } else { PathConvention::Posix };
    /// assert_eq!(PathConvention::native(), expected);
    /// ```
    #[must_use]
    pub const fn native() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else {
            Self::Posix
        }
    }

    /// The convention in which `text` looks like an absolute path; `None` if in neither.
    ///
    /// A text that begins with `/` is POSIX, `//server` included. Relative texts, `C:f` and
    /// `\rooted` are in neither. The answer says how to read the text, not that reading it will
    /// succeed.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathConvention::{self, Posix, Windows};
    ///
    /// assert_eq!(PathConvention::infer_absolute("//server/share"), Some(Posix));
    /// assert_eq!(PathConvention::infer_absolute(r"\\server\share"), Some(Windows));
    /// assert_eq!(PathConvention::infer_absolute("C:f"), None);
    /// ```
    #[must_use]
    pub fn infer_absolute(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [b'/', ..] => Some(Self::Posix),
            [b'\\', b'\\', ..] => Some(Self::Windows),
            [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic() => Some(Self::Windows),
            _ => None,
        }
    }

    /// Splits `text` at the separators of the convention, keeping empty segments.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathConvention;
    ///
    /// let posix: Vec<_> = PathConvention::Posix.path_segments(r"/a\b//c").collect();
    /// assert_eq!(posix, ["", r"a\b", "", "c"]);
    /// let windows: Vec<_> = PathConvention::Windows.path_segments(r"a\b/c").collect();
    /// assert_eq!(windows, ["a", "b", "c"]);
    /// ```
    pub fn path_segments(self, text: &str) -> impl Iterator<Item = &str> {
        text.split(move |c: char| u8::try_from(c).is_ok_and(|byte| self.is_separator(byte)))
    }

    /// The rest of `text` after a leading `~`, if that stands for a home directory; `None`
    /// otherwise.
    ///
    /// The rest is empty or begins with a separator of the convention: `~name` is an ordinary name.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathConvention;
    ///
    /// assert_eq!(PathConvention::Posix.home_relative_suffix("~/x"), Some("/x"));
    /// assert_eq!(PathConvention::Posix.home_relative_suffix("~"), Some(""));
    /// assert_eq!(PathConvention::Posix.home_relative_suffix("~bob"), None);
    /// ```
    #[must_use]
    pub fn home_relative_suffix(self, text: &str) -> Option<&str> {
        let rest = text.strip_prefix('~')?;
        match rest.as_bytes().first() {
            Some(&byte) if !self.is_separator(byte) => None,
            _ => Some(rest),
        }
    }

    /// What stands between names in normal form.
    pub(crate) const fn separator(self) -> u8 {
        match self {
            Self::Posix => b'/',
            Self::Windows => b'\\',
        }
    }

    /// Whether `byte` separates names.
    pub(crate) const fn is_separator(self, byte: u8) -> bool {
        byte == b'/' || (byte == b'\\' && matches!(self, Self::Windows))
    }
}

impl fmt::Display for PathConvention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Posix => "POSIX",
            Self::Windows => "Windows",
        })
    }
}
