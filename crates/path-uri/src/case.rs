//! Comparison keys for callers who know that a filesystem ignores the case of ASCII letters.
//!
//! Case is no part of equality between URIs; a caller that wants it folded says so with a
//! [`CasePolicy`].

use crate::{PathUri, uri::Kind};

/// Whether ASCII case tells two paths apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CasePolicy {
    /// Every byte counts, as with `==`.
    Exact,
    /// `A-Z` and `a-z` are the same. Fallback values are compared exactly all the same.
    AsciiFold,
}

/// A key for maps and sets of paths under one [`CasePolicy`].
///
/// Keys of one policy are equal exactly when [`PathUri::eq_under`] holds. They are ordered like the
/// URIs they come from, parents before children.
///
/// # Examples
/// ```
/// use codex_path_uri::{CasePolicy, PathUri};
///
/// # fn main() -> Result<(), codex_path_uri::PathUriError> {
/// let upper = PathUri::parse("file:///C:/PLUGINS")?;
/// let lower = PathUri::parse("file:///C:/plugins")?;
/// assert_eq!(upper.key(CasePolicy::AsciiFold), lower.key(CasePolicy::AsciiFold));
/// assert_ne!(upper.key(CasePolicy::Exact), lower.key(CasePolicy::Exact));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathKey(PathUri);

impl PathUri {
    /// The key under which the path is the same as another.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{CasePolicy, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let mut seen = std::collections::HashSet::new();
    /// assert!(seen.insert(PathUri::parse("file:///C:/Src")?.key(CasePolicy::AsciiFold)));
    /// assert!(!seen.insert(PathUri::parse("file:///C:/src")?.key(CasePolicy::AsciiFold)));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn key(&self, policy: CasePolicy) -> PathKey {
        let is_fallback = matches!(self.kind(), Kind::Lexical | Kind::Opaque(_));
        PathKey(match policy {
            CasePolicy::AsciiFold if !is_fallback => {
                PathUri::from_canonical(self.as_str().to_ascii_lowercase(), self.kind())
            }
            CasePolicy::AsciiFold | CasePolicy::Exact => self.clone(),
        })
    }

    /// Whether both paths are the same under `policy`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{CasePolicy, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let (a, b) = (PathUri::parse("file:///C:/A")?, PathUri::parse("file:///C:/a")?);
    /// assert!(a.eq_under(&b, CasePolicy::AsciiFold));
    /// assert!(!a.eq_under(&b, CasePolicy::Exact));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn eq_under(&self, other: &PathUri, policy: CasePolicy) -> bool {
        self.key(policy) == other.key(policy)
    }

    /// Whether the path is `base` or below it under `policy`.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{CasePolicy, PathUri};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let path = PathUri::parse("file:///C:/PLUGINS/x")?;
    /// let base = PathUri::parse("file:///C:/plugins")?;
    /// assert!(path.starts_with_under(&base, CasePolicy::AsciiFold));
    /// assert!(!path.starts_with_under(&base, CasePolicy::Exact));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn starts_with_under(&self, base: &PathUri, policy: CasePolicy) -> bool {
        self.key(policy).0.starts_with(&base.key(policy).0)
    }
}
