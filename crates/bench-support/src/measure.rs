//! Taking times turn by turn.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// Runs a side for a number of iterations and says how long that took.
pub(crate) type Turn<'a> = Box<dyn FnMut(u64) -> Duration + 'a>;

/// Long enough to make the clock's own cost vanish, short enough that a disturbance hits one round.
const TURN: Duration = Duration::from_millis(3);

/// A turn that calls `work`, whose result is used in the eyes of the optimiser.
pub(crate) fn turn<'a, R>(mut work: impl FnMut() -> R + 'a) -> Turn<'a> {
    Box::new(move |iterations| {
        let start = Instant::now();
        for _ in 0..iterations {
            black_box(work());
        }
        start.elapsed()
    })
}

/// Gives every side a turn per round and returns, for each side, the nanoseconds per iteration of
/// every round.
pub(crate) fn measure(turns: &mut [Turn<'_>], rounds: usize) -> Vec<Vec<f64>> {
    let iterations: Vec<u64> = turns.iter_mut().map(iterations_per_turn).collect();
    let mut times = vec![Vec::with_capacity(rounds); turns.len()];
    for round in 0..rounds {
        for offset in 0..turns.len() {
            // The order rotates, so that no side always follows the same other one.
            let side = (round + offset) % turns.len();
            if let (Some(turn), Some(&iterations), Some(times)) = (
                turns.get_mut(side),
                iterations.get(side),
                times.get_mut(side),
            ) {
                times.push(nanoseconds(turn(iterations)) / as_f64(iterations));
            }
        }
    }
    times
}

/// How many iterations take about one turn; the search also warms the side up.
fn iterations_per_turn(turn: &mut Turn<'_>) -> u64 {
    let mut iterations = 1;
    loop {
        let taken = turn(iterations);
        if taken >= TURN / 2 {
            let share = nanoseconds(TURN) / nanoseconds(taken);
            return round_up(as_f64(iterations) * share);
        }
        iterations *= 2;
    }
}

fn nanoseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}

fn as_f64(count: u64) -> f64 {
    count as f64
}

fn round_up(count: f64) -> u64 {
    count.ceil().max(1.0) as u64
}
