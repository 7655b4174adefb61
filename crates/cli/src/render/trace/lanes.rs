//! Lanes: bars that do not overlap in time lie side by side.

use std::time::Duration;

use crate::recording::Call;

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
