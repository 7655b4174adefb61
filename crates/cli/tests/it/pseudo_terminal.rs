//! A terminal for a command to run on, so that what a person sees can be tested.

use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs `command` with all three streams on a terminal of this width.
///
/// Gives what the terminal was sent, line ends as in a file, and the exit code.
pub(crate) fn run_on_terminal(mut command: Command, columns: u16) -> (String, Option<i32>) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
    let terminal = File::options().read(true).write(true).open(path).unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size).unwrap();

    let stream = || Stdio::from(terminal.try_clone().unwrap());
    command.stdin(stream()).stdout(stream()).stderr(stream());
    let mut child = command.spawn().unwrap();
    // Reading ends when the child's copies are the last ones and are closed.
    drop((command, terminal));
    let mut sent = Vec::new();
    let mut controller = File::from(controller);
    let mut block = [0; 4096];
    // A terminal that nobody holds open any longer answers with an error.
    while let Ok(length @ 1..) = controller.read(&mut block) {
        sent.extend_from_slice(&block[..length]);
    }
    let code = child.wait().unwrap().code();
    (String::from_utf8(sent).unwrap().replace("\r\n", "\n"), code)
}
