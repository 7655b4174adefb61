//! Order statistics of a few samples.

/// The median of some samples and the range they lie in.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spread {
    /// The least sample.
    pub least: f64,
    /// The sample in the middle; of an even number, the mean of the two.
    pub median: f64,
    /// The greatest sample.
    pub greatest: f64,
}

impl Spread {
    /// The spread of `samples`, in any order; `None` if there are none.
    ///
    /// # Examples
    /// ```
    /// use codex_bench_support::Spread;
    ///
    /// let spread = Spread::of(&[3.0, 1.0, 2.0]).unwrap();
    /// assert_eq!((spread.least, spread.median, spread.greatest), (1.0, 2.0, 3.0));
    /// assert_eq!(Spread::of(&[]), None);
    /// ```
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&least, &greatest) = (sorted.first()?, sorted.last()?);
        let upper = *sorted.get(sorted.len() / 2)?;
        let lower = *sorted.get((sorted.len() - 1) / 2)?;
        Some(Self {
            least,
            median: f64::midpoint(lower, upper),
            greatest,
        })
    }
}
