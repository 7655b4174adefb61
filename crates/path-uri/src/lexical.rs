//! Up, and which path is below which: decided by the text alone, as the bytes of whole names.

use std::iter::FusedIterator;

use crate::{
    FileName, PathConvention, PathUri,
    assemble::posix,
    buffer::with_text,
    encoding::decode,
    name::lossy,
    names::Names,
    plain::{Plain, root_len, separate_by_backslash},
    uri::Kind,
};

impl PathUri {
    /// The path one name up; `None` for roots and sealed values.
    ///
    /// Shares the text of this value: no allocation, unless this is a lexical fallback.
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
    #[inline]
    #[must_use]
    pub fn parent(&self) -> Option<PathUri> {
        let kind = self.kind();
        if kind.is_ordinary() {
            parent_len(self.as_bytes(), kind).map(|len| self.shortened(len))
        } else {
            self.fallback_parent()
        }
    }

    #[cold]
    fn fallback_parent(&self) -> Option<PathUri> {
        let plain = self.plain()?;
        let parent = plain
            .text
            .get(..parent_len(plain.text.as_bytes(), plain.kind)?)?;
        Some(with_text(parent.len(), |text| {
            text.push_str(parent);
            posix(text)
        }))
    }

    /// The path itself, then its parent, up to the root. A sealed value is its only ancestor.
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
        Ancestors {
            path: self.clone(),
            next_len: self.as_bytes().len(),
        }
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
    #[inline]
    #[must_use]
    pub fn starts_with(&self, base: &PathUri) -> bool {
        if self.kind().is_ordinary() && base.kind().is_ordinary() {
            self.kind() == base.kind() && is_text_below(self.as_bytes(), base.as_bytes())
        } else {
            self.starts_with_fallback(base)
        }
    }

    #[cold]
    fn starts_with_fallback(&self, base: &PathUri) -> bool {
        match (self.plain(), base.plain()) {
            (Some(path), Some(base)) => {
                path.kind == base.kind && is_text_below(path.text.as_bytes(), base.text.as_bytes())
            }
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
        let Some((plain, len)) = self.below(base)? else {
            return Some(String::new());
        };
        let tail = plain.text.get(plain.text.len() - len..)?;
        let mut native = decode(tail).into_owned();
        let convention = plain.kind.convention()?;
        if convention == PathConvention::Windows {
            separate_by_backslash(&mut native);
        }
        Some(lossy(&native, convention).into_owned())
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
        Some(match self.below(base)? {
            Some((plain, len)) => Names::last_bytes(self, plain, len),
            None => Names::none(self),
        })
    }

    /// Whether one of the paths is the other or below it; `None` if they differ and one is sealed.
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

    /// The path's readable text and how many bytes at its end are the names below `base`.
    ///
    /// `None` if it is not below; `Some(None)` if it is `base` itself.
    fn below(&self, base: &PathUri) -> Option<Option<(Plain<'_>, usize)>> {
        if !self.starts_with(base) {
            return None;
        }
        if self == base {
            return Some(None);
        }
        let (path, base) = (self.plain()?, base.plain()?);
        let tail = path.text.get(base.text.len()..)?;
        let len = tail.strip_prefix('/').unwrap_or(tail).len();
        Some(Some((path, len)))
    }
}

/// See [`PathUri::ancestors`].
struct Ancestors {
    /// Every ancestor still to come is this value, shortened; a fallback is replaced by its parent.
    path: PathUri,
    /// The length of the next ancestor; 0 at the end.
    next_len: usize,
}

impl Iterator for Ancestors {
    type Item = PathUri;

    #[inline]
    fn next(&mut self) -> Option<PathUri> {
        if self.next_len == 0 {
            return None;
        }
        let kind = self.path.kind();
        if !kind.is_ordinary() {
            return self.next_of_fallback();
        }
        let ancestor = self.path.shortened(self.next_len);
        self.next_len = parent_len(ancestor.as_bytes(), kind).unwrap_or(0);
        Some(ancestor)
    }
}

impl Ancestors {
    #[cold]
    fn next_of_fallback(&mut self) -> Option<PathUri> {
        let parent = self.path.parent();
        self.next_len = parent.as_ref().map_or(0, |parent| parent.as_str().len());
        let next = parent.unwrap_or_else(|| self.path.clone());
        Some(std::mem::replace(&mut self.path, next))
    }
}

impl FusedIterator for Ancestors {}

/// The length of the parent's text; `None` for a root.
#[inline]
fn parent_len(text: &[u8], kind: Kind) -> Option<usize> {
    let root_len = root_len(text, kind);
    (text.len() > root_len).then(|| last_slash(text).max(root_len))
}

/// Where the last `/` of an ASCII text stands, looking at eight bytes at a time; 0 if there is
/// none.
#[inline]
fn last_slash(text: &[u8]) -> usize {
    const LOW_BITS: u64 = u64::from_ne_bytes([0x7F; 8]);
    let mut rest = text;
    while let Some((before, chunk)) = rest.split_last_chunk() {
        let differences = u64::from_le_bytes(*chunk) ^ u64::from_ne_bytes([b'/'; 8]);
        // The sum carries into a byte's highest bit unless that byte is zero, and never beyond it,
        // since no byte of the text has that bit set.
        let slashes = !differences.wrapping_add(LOW_BITS) & !LOW_BITS;
        if slashes != 0 {
            return before.len() + slashes.ilog2() as usize / 8;
        }
        rest = before;
    }
    rest.iter()
        .rposition(|&byte| byte == b'/')
        .unwrap_or_default()
}

#[inline]
fn is_text_below(path: &[u8], base: &[u8]) -> bool {
    path.starts_with(base) && ends_at_name(path, base)
}

/// Whether `path`, which begins with `base`, has a whole name or nothing after it.
#[inline]
pub(crate) fn ends_at_name(path: &[u8], base: &[u8]) -> bool {
    match path.get(base.len()) {
        None | Some(b'/') => true,
        Some(_) => base.ends_with(b"/"),
    }
}
