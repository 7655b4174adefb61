//! Small vocabulary: options of the write operations, the window of calls in flight, how much a
//! diagnostic matters and where in a text it points.
//!
//! Plain data. Where leaving an option out could destroy something, there is no default.

use std::fmt;
use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

/// How [`create_directory`](crate::ExecutorFileSystem::create_directory) treats parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreateDirectoryOptions {
    /// Create missing parents, and accept a directory that exists.
    pub recursive: bool,
}

impl Default for CreateDirectoryOptions {
    fn default() -> Self {
        Self { recursive: true }
    }
}

/// What [`remove`](crate::ExecutorFileSystem::remove) may take away. There is no default:
/// the caller says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoveOptions {
    /// Remove a directory with everything in it; links are never followed.
    pub recursive: bool,
    /// Succeed when there is nothing to remove.
    pub force: bool,
}

/// What [`copy`](crate::ExecutorFileSystem::copy) may copy. There is no default: the caller
/// says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyOptions {
    /// Copy a directory with everything in it.
    pub recursive: bool,
}

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

/// How much a diagnostic matters, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; nothing was lost.
    Info,
    /// Something was skipped, cut or replaced.
    Warning,
    /// Something that was asked for is missing from the result.
    Error,
}

/// A place in a text file, both numbers counted from 1. Displayed as `LINE:COLUMN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TextPosition {
    /// The line; lines end with LF.
    pub line: u32,
    /// The column, in Unicode scalar values.
    pub column: u32,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
