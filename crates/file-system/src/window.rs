//! How many calls may be in flight.
//!
//! A window bounds the load on a filesystem and the speculation of an algorithm. It never
//! changes a result: that is always the one of window 1.

use std::num::NonZeroU16;

/// The most calls in flight: 1 to 256.
///
/// # Examples
/// ```
/// use codex_file_system::Window;
///
/// assert_eq!(Window::new(8).map(Window::get), Some(8));
/// assert_eq!(Window::new(0), None);
/// assert_eq!(Window::new(257), None);
/// assert_eq!(Window::SERIAL.get(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window(NonZeroU16);

/// The widest window.
const WIDEST: usize = 256;

const DEFAULT: NonZeroU16 = match NonZeroU16::new(64) {
    Some(calls) => calls,
    None => NonZeroU16::MIN,
};

impl Default for Window {
    /// 64 calls: all calls of one environment together.
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl Window {
    /// One call at a time: the serial algorithm, without a speculative call.
    pub const SERIAL: Window = Window(NonZeroU16::MIN);

    /// A window of `n` calls; `None` unless `n` is 1 to 256.
    pub const fn new(n: usize) -> Option<Window> {
        if n > WIDEST {
            return None;
        }
        match NonZeroU16::new(n as u16) {
            Some(n) => Some(Window(n)),
            None => None,
        }
    }

    /// The number of calls.
    pub const fn get(self) -> usize {
        self.0.get() as usize
    }
}
