//! What a contest found out.

use crate::{Mark, Spread};

/// The result of one contest.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// What was done.
    pub contest: String,
    /// Which side everything is compared with.
    pub subject: String,
    /// How long the subject took for one iteration, in nanoseconds.
    pub nanoseconds: Spread,
    /// The subject against each rival.
    pub comparisons: Vec<Comparison>,
}

/// The subject of a contest against one rival.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The other side.
    pub rival: String,
    /// How long the rival took for one iteration, in nanoseconds.
    pub nanoseconds: Spread,
    /// How many times as long the rival took as the subject, round by round.
    pub speedup: Spread,
    /// What was asked.
    pub mark: Mark,
}

impl Comparison {
    /// Whether the median of the rounds meets the mark; `None` if nothing is asked.
    #[must_use]
    pub fn is_met(&self) -> Option<bool> {
        self.mark.is_met(self.speedup.median)
    }
}

impl Outcome {
    /// Compares the times of each side, in nanoseconds per iteration and round by round, the
    /// subject's first; `None` if a side has no times.
    pub(crate) fn of(contest: &str, sides: &[(String, Mark)], times: &[Vec<f64>]) -> Option<Self> {
        let ((subject, _), rivals) = sides.split_first()?;
        let (subject_times, rival_times) = times.split_first()?;
        let comparisons = rivals
            .iter()
            .zip(rival_times)
            .map(|((rival, mark), times)| {
                let speedups: Vec<f64> = times
                    .iter()
                    .zip(subject_times)
                    .map(|(rival, subject)| rival / subject)
                    .collect();
                Some(Comparison {
                    rival: rival.clone(),
                    nanoseconds: Spread::of(times)?,
                    speedup: Spread::of(&speedups)?,
                    mark: *mark,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Self {
            contest: contest.to_owned(),
            subject: subject.clone(),
            nanoseconds: Spread::of(subject_times)?,
            comparisons,
        })
    }
}
