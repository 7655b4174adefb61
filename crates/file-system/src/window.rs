//! How many calls may be in flight.

use std::num::NonZeroU8;

/// The most calls a phase keeps in flight: 1 to 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window(NonZeroU8);

impl Window {
    /// One call at a time: the serial algorithm, without a speculative call.
    pub const SERIAL: Window = Window(NonZeroU8::MIN);

    /// A window of `n` calls; `None` unless `n` is 1 to 64.
    pub const fn new(n: usize) -> Option<Window> {
        if n > 64 {
            return None;
        }
        match NonZeroU8::new(n as u8) {
            Some(n) => Some(Window(n)),
            None => None,
        }
    }

    /// The number of calls.
    pub const fn get(self) -> usize {
        self.0.get() as usize
    }
}
