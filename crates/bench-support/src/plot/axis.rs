//! Axes: which ticks they have and where a value lies on them.

/// A scale and what it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub(super) label: String,
    scale: Scale,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
}

/// The part of an axis that is shown, and where its grid is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    scale: Scale,
    low: f64,
    high: f64,
    /// Values with a line and a figure.
    pub(super) ticks: Vec<f64>,
    /// Values with a fine line only.
    pub(super) fine: Vec<f64>,
}

impl Axis {
    /// An axis from zero; the label names the unit.
    pub fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Linear,
        }
    }

    /// An axis on which equal steps are equal ratios, for values of 1 and more.
    pub fn logarithmic(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Logarithmic,
        }
    }

    /// The part of the axis that holds values up to `most`, with a round end.
    pub(super) fn up_to(&self, most: f64) -> Range {
        let step = step(most);
        let high = match self.scale {
            Scale::Linear => (most / step).ceil().max(1.0) * step,
            Scale::Logarithmic => {
                let decade = 10_f64.powf(most.max(10.0).log10().floor());
                let ends = [1.0, 2.0, 5.0].map(|digit| digit * decade);
                let high = ends.into_iter().find(|end| *end >= most);
                high.unwrap_or(10.0 * decade)
            }
        };
        self.range(0.0, high, step)
    }

    /// The part of the axis from `least` to `most` and no more.
    pub(super) fn between(&self, least: f64, most: f64) -> Range {
        self.range(least, most, step(most))
    }

    fn range(&self, least: f64, high: f64, step: f64) -> Range {
        let (low, ticks, fine) = match self.scale {
            Scale::Linear => {
                let ticks = (0..).map(|index| f64::from(index) * step);
                // A hair more, as the steps are no exact fractions.
                let ticks = ticks.take_while(|tick| *tick <= high * 1.000_001);
                (0.0, ticks.collect(), Vec::new())
            }
            Scale::Logarithmic => {
                let low = least.max(1.0);
                let decades = (0..).map(|power| 10_f64.powi(power));
                let decades = decades.take_while(|tick| *tick <= high * 1.000_001);
                let ticks: Vec<f64> = decades.filter(|tick| *tick >= low).collect();
                let fine = ticks.iter().flat_map(|tick| [tick * 2.0, tick * 5.0]);
                let fine = fine.filter(|tick| *tick < high).collect();
                (low, ticks, fine)
            }
        };
        Range {
            scale: self.scale,
            low,
            high,
            ticks,
            fine,
        }
    }
}

impl Range {
    /// Where a value lies, from 0 at the low end to 1 at the high end.
    pub(super) fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => {
                (value.max(self.low) / self.low).log10() / (self.high / self.low).log10()
            }
        }
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that needs no more than six steps up to `most`.
fn step(most: f64) -> f64 {
    let least = (most / 6.0).max(1e-9);
    let power = 10_f64.powf(least.log10().floor());
    let digits = [1.0, 2.0, 5.0, 10.0].into_iter();
    let mut steps = digits.map(|digit| digit * power);
    steps
        .find(|step| *step >= least * 0.999_999)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn linear_ticks_are_round_and_end_above_the_values() {
        let of = |most| Axis::linear("").up_to(most).ticks;
        assert_eq!(of(46.0), [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(of(600.0), [0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0]);
        assert_eq!(of(0.0).len(), 2);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let range = Axis::logarithmic("").up_to(1304.0);
        assert_eq!(range.ticks, [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(range.fine, [2.0, 5.0, 20.0, 50.0, 200.0, 500.0]);
        assert_eq!(range.share(2000.0), 1.0);
        let range = Axis::logarithmic("").up_to(10_000.0);
        assert_eq!(
            (range.share(1.0), range.share(100.0), range.share(1e4)),
            (0.0, 0.5, 1.0)
        );
        let range = Axis::logarithmic("").between(10.0, 1000.0);
        assert_eq!(range.ticks, [10.0, 100.0, 1000.0]);
        assert_eq!(range.share(100.0), 0.5);
    }
}
