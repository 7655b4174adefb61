//! Which call goes next.
//!
//! Listings, and what has to be asked before them, come first: everything else depends on them. The
//! rest goes as it became ready.

use std::collections::{BTreeMap, VecDeque};

use super::call::{Call, Purpose};
use super::root::RootId;

/// How urgent a listing is: by depth, root and position in the queue of its root.
pub(super) type Urgency = (usize, RootId, usize);

/// Calls that may be made.
#[derive(Debug, Default)]
pub(super) struct Ready {
    urgent: BTreeMap<(Urgency, u64), (Purpose, Call)>,
    rest: VecDeque<(Purpose, Call)>,
    added: u64,
}

impl Ready {
    /// Adds a listing, or what has to be asked before one.
    pub(super) fn add_urgent(&mut self, urgency: Urgency, purpose: Purpose, call: Call) {
        self.added += 1;
        self.urgent.insert((urgency, self.added), (purpose, call));
    }

    /// Adds any other call.
    pub(super) fn add(&mut self, call: impl IntoIterator<Item = (Purpose, Call)>) {
        self.rest.extend(call);
    }

    /// Takes the call that goes next.
    pub(super) fn next(&mut self) -> Option<(Purpose, Call)> {
        let urgent = self.urgent.pop_first().map(|(_, call)| call);
        urgent.or_else(|| self.rest.pop_front())
    }
}
