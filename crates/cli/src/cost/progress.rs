//! One line on a terminal for a person who waits.
//!
//! Nothing is shown for the first 300 ms. The line is written over itself and wiped at the end,
//! so it never mixes with findings. It goes to standard error only.

use std::io::{self, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::output::text::{Keep, cut};

const PATIENCE: Duration = Duration::from_millis(300);
const REFRESH: Duration = Duration::from_millis(100);
const ERASE: &str = "\r\u{1b}[K";
/// Of a terminal that does not say how wide it is.
const USUAL_WIDTH: usize = 80;

/// Does `work` on this thread, showing `line` while it takes long.
pub(crate) fn while_running<T>(work: impl FnOnce() -> T, line: impl Fn() -> String + Send) -> T {
    thread::scope(|scope| {
        let (end, ended) = mpsc::channel();
        // Without the thread there is no progress line, and the result is the same.
        let _ = thread::Builder::new().spawn_scoped(scope, move || show(&ended, line));
        let result = work();
        // The sender's end is the message.
        drop::<mpsc::Sender<()>>(end);
        result
    })
}

fn show(ended: &Receiver<()>, line: impl Fn() -> String) {
    let mut pause = PATIENCE;
    let mut stderr = io::stderr();
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        pause = REFRESH;
        let width = terminal_size::terminal_size_of(&stderr).map(|(width, _)| usize::from(width.0));
        // A line that reaches the last column would wrap and could not be wiped.
        let room = width.unwrap_or(USUAL_WIDTH).saturating_sub(1);
        let text = cut(&line(), room, Keep::Start);
        // Who cannot be shown progress does not need it.
        let _ = write!(stderr, "{ERASE}{text}").and_then(|()| stderr.flush());
    }
    if pause == REFRESH {
        let _ = write!(stderr, "{ERASE}").and_then(|()| stderr.flush());
    }
}
