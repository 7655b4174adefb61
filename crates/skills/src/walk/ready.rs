//! Which call goes next.
//!
//! Listings, and what has to be asked before them, come first: everything else depends on them. The
//! rest goes as it became ready.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::call::{Call, Purpose};
use super::root::RootId;

/// How urgent a listing is: by depth, root and position in the queue of its root.
pub(super) type Urgency = (usize, RootId, usize);

/// Calls that may be made.
#[derive(Debug, Default)]
pub(super) struct Ready {
    /// The most urgent first, each with its index in `urgent`; of equals the one added first.
    order: BinaryHeap<Reverse<(Urgency, usize)>>,
    /// Every urgent call in the order of adding; none once it was taken.
    urgent: Vec<Option<(Purpose, Call)>>,
    rest: VecDeque<(Purpose, Call)>,
}

impl Ready {
    /// Adds a listing, or what has to be asked before one.
    pub(super) fn add_urgent(&mut self, urgency: Urgency, purpose: Purpose, call: Call) {
        self.order.push(Reverse((urgency, self.urgent.len())));
        self.urgent.push(Some((purpose, call)));
    }

    /// Adds any other call.
    pub(super) fn add(&mut self, call: impl IntoIterator<Item = (Purpose, Call)>) {
        self.rest.extend(call);
    }

    /// Takes the call that goes next.
    pub(super) fn next(&mut self) -> Option<(Purpose, Call)> {
        if let Some(Reverse((_, index))) = self.order.pop() {
            return self.urgent.get_mut(index).and_then(Option::take);
        }
        self.rest.pop_front()
    }
}
