//! A value that is no time, or a time that is compared with nothing but its limit.

/// What was measured once, and the most it may be.
///
/// # Examples
/// ```
/// use codex_bench_support::Figure;
///
/// let figure = Figure::new("memory above idle", "server", 6.5, "MiB").at_most(8.0);
/// assert_eq!(figure.is_met(), Some(true));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// Of which side.
    pub side: String,
    /// How much it is.
    pub amount: f64,
    /// Of what.
    pub unit: String,
    /// The mark; `None` if nothing is asked.
    pub most: Option<f64>,
}

impl Figure {
    /// A value of which nothing is asked.
    #[must_use]
    pub fn new(name: &str, side: &str, amount: f64, unit: &str) -> Self {
        Self {
            name: name.to_owned(),
            side: side.to_owned(),
            amount,
            unit: unit.to_owned(),
            most: None,
        }
    }

    /// Sets the mark.
    #[must_use]
    pub fn at_most(mut self, most: f64) -> Self {
        self.most = Some(most);
        self
    }

    /// Whether the mark is met; `None` if nothing is asked.
    #[must_use]
    pub fn is_met(&self) -> Option<bool> {
        self.most.map(|most| self.amount <= most)
    }
}
