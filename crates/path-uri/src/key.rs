//! Comparison keys for callers who know that a filesystem ignores the case of ASCII letters.
//!
//! Case is no part of equality between URIs; whoever wants it folded says so with a [`CasePolicy`].

use crate::{PathUri, lexical::ends_at_name};

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
    /// Allocates only if there is a letter to fold.
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
        let folds = match policy {
            CasePolicy::Exact => false,
            CasePolicy::AsciiFold => {
                self.kind().is_ordinary()
                    && self.as_str().bytes().any(|byte| byte.is_ascii_uppercase())
            }
        };
        PathKey(if folds {
            PathUri::from_shared(self.as_str().to_ascii_lowercase().into(), self.kind())
        } else {
            self.clone()
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
        match policy {
            CasePolicy::Exact => self == other,
            CasePolicy::AsciiFold if self.kind().is_ordinary() && self.kind() == other.kind() => {
                self.as_str().eq_ignore_ascii_case(other.as_str())
            }
            CasePolicy::AsciiFold => self == other,
        }
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
        match policy {
            CasePolicy::AsciiFold if self.kind().is_ordinary() && self.kind() == base.kind() => {
                let (path, base) = (self.as_bytes(), base.as_bytes());
                path.get(..base.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(base))
                    && ends_at_name(path, base)
            }
            CasePolicy::Exact | CasePolicy::AsciiFold => self.starts_with(base),
        }
    }
}
