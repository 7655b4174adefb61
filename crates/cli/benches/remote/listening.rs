//! Servers of either program, each a process of its own on loopback.

use std::io::{self, BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A server that listens; it ends with this value.
pub(crate) struct Listening {
    process: Child,
    /// Kept open, so that the server may go on printing.
    stdout: BufReader<ChildStdout>,
    /// Its host and port.
    pub(crate) address: String,
}

impl Listening {
    /// Starts a server and waits until it prints its `ws://` URL.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::null()).spawn()?;
        let stdout = process.stdout.take();
        let stdout = stdout.ok_or_else(|| io::Error::other("the server has no output"))?;
        let mut listening = Self {
            process,
            stdout: BufReader::new(stdout),
            address: String::new(),
        };
        // Without a URL the process is ended by the drop.
        listening.address = listening.read_address()?;
        Ok(listening)
    }

    fn read_address(&mut self) -> io::Result<String> {
        loop {
            let mut line = String::new();
            if self.stdout.read_line(&mut line)? == 0 {
                return Err(io::Error::other("the server ended before it listened"));
            }
            if let Some(address) = line.trim().strip_prefix("ws://") {
                return Ok(address.trim_end_matches('/').to_owned());
            }
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // The published program is a launcher: it hands this signal on, and could not hand on a
        // kill.
        let id = self.process.id().to_string();
        let _ = Command::new("kill").arg(id).status();
        let _ = self.process.wait();
    }
}
