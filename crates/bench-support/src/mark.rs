//! The ratio that a subject is to reach against a rival.

use std::fmt;

/// What is asked of the subject, compared with one rival.
///
/// # Examples
/// ```
/// use codex_bench_support::Mark;
///
/// // The rival takes seven times as long as the subject.
/// assert_eq!(Mark::FasterBy(6.0).is_met(7.0), Some(true));
/// // The subject takes half as long again as the rival.
/// assert_eq!(Mark::Within(1.2).is_met(1.0 / 1.5), Some(false));
/// assert_eq!(Mark::None.is_met(1.0), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mark {
    /// The rival takes at least this many times as long as the subject.
    FasterBy(f64),
    /// The subject takes at most this many times as long as the rival.
    Within(f64),
    /// The comparison is shown, nothing is asked.
    None,
}

impl Mark {
    /// Whether the mark is met when the rival takes `speedup` times as long as the subject; `None`
    /// if nothing is asked.
    #[must_use]
    pub fn is_met(self, speedup: f64) -> Option<bool> {
        match self {
            Self::FasterBy(factor) => Some(speedup >= factor),
            Self::Within(factor) => Some(1.0 / speedup <= factor),
            Self::None => None,
        }
    }

    /// The figure that the mark speaks of: how much faster, or how many times as long.
    pub(crate) fn figure(self, speedup: f64) -> f64 {
        match self {
            Self::FasterBy(_) | Self::None => speedup,
            Self::Within(_) => 1.0 / speedup,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FasterBy(factor) => write!(f, "≥ {factor}× faster"),
            Self::Within(factor) => write!(f, "≤ {factor}× of it"),
            Self::None => f.write_str("-"),
        }
    }
}
