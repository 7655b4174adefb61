//! Time axes: round ticks and readable times.

use std::time::Duration;

use crate::cost::recording::Call;

/// Round moments from zero up to `end`, at most `most` of them beside zero.
pub(super) fn ticks(end: Duration, most: u32) -> Vec<Duration> {
    let step = step(end, most.max(1));
    let moments = (0..).map(|index| step * index);
    moments.take_while(|moment| *moment <= end).collect()
}

/// The smallest of 1, 2 and 5 times a power of ten that needs no more ticks.
fn step(end: Duration, most: u32) -> Duration {
    let least = (end / most).as_nanos().max(1);
    let mut power: u128 = 1;
    loop {
        for digit in [1, 2, 5] {
            if digit * power >= least {
                return Duration::from_nanos(u64::try_from(digit * power).unwrap_or(u64::MAX));
            }
        }
        power *= 10;
    }
}

/// A time with three digits or so, in the unit that suits it: `7.25 ms`.
pub(super) fn shown(time: Duration) -> String {
    let nanoseconds = time.as_nanos() as f64;
    let (value, unit) = match nanoseconds {
        0.0 => return "0".to_owned(),
        ..1e6 => (nanoseconds / 1e3, "µs"),
        ..1e10 => (nanoseconds / 1e6, "ms"),
        _ => (nanoseconds / 1e9, "s"),
    };
    let digits = match value {
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    let number = format!("{value:.digits$}");
    let number = if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.')
    } else {
        &number
    };
    format!("{number} {unit}")
}

/// Where `moment` is between zero and `end`, from 0 to 1.
pub(super) fn share(moment: Duration, end: Duration) -> f64 {
    if end.is_zero() {
        0.0
    } else {
        moment.as_secs_f64() / end.as_secs_f64()
    }
}

/// As many lanes as there are calls in flight at most.
#[derive(Default)]
pub(super) struct Lanes {
    /// When the last call of each lane ends.
    free_at: Vec<Duration>,
}

impl Lanes {
    /// The lowest lane, from 0, that is free when `call` starts. Calls come in the order of their
    /// starts.
    pub(super) fn take(&mut self, call: &Call) -> usize {
        let is_free = |free_at: &Duration| *free_at <= call.start;
        let free = self.free_at.iter().position(is_free);
        let lane = free.unwrap_or(self.free_at.len());
        match self.free_at.get_mut(lane) {
            Some(free_at) => *free_at = call.stop,
            None => self.free_at.push(call.stop),
        }
        lane
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(ticks: &[Duration]) -> Vec<u128> {
        ticks.iter().map(Duration::as_millis).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        let of = |end, most| milliseconds(&ticks(Duration::from_millis(end), most));
        assert_eq!(of(100, 5), [0, 20, 40, 60, 80, 100]);
        assert_eq!(of(99, 5), [0, 20, 40, 60, 80]);
        assert_eq!(of(101, 5), [0, 50, 100]);
        assert_eq!(of(7, 10), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(ticks(Duration::ZERO, 5), [Duration::ZERO]);
    }

    #[test]
    fn times_are_shown_in_the_unit_that_suits_them() {
        let of = |nanoseconds| shown(Duration::from_nanos(nanoseconds));
        let shown = [
            0,
            7_250,
            999_000,
            20_000_000,
            7_256_000,
            1_234_000_000,
            12_500_000_000,
        ];
        let expected = [
            "0", "7.25 µs", "999 µs", "20 ms", "7.26 ms", "1234 ms", "12.5 s",
        ];
        assert_eq!(shown.map(of), expected);
    }
}
