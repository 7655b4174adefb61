//! What the system tells of a process, in `/proc`.

use std::fs;
use std::io;
use std::path::PathBuf;

/// A process that is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Process(u32);

const MIB: f64 = 1024.0;

impl Process {
    pub(crate) fn own() -> Self {
        Self(std::process::id())
    }

    /// The process that does the work: the last one in the line of only children.
    pub(crate) fn below(launcher: u32) -> Self {
        let mut process = launcher;
        loop {
            let path = format!("/proc/{process}/task/{process}/children");
            let children = fs::read_to_string(path).unwrap_or_default();
            match children.split_whitespace().next().map(str::parse) {
                Some(Ok(child)) => process = child,
                _ => return Self(process),
            }
        }
    }

    /// The memory it has, in MiB.
    pub(crate) fn memory(self) -> io::Result<f64> {
        self.status("VmRSS:")
    }

    /// The most memory it had since [`forget_peak`](Self::forget_peak), in MiB.
    pub(crate) fn peak(self) -> io::Result<f64> {
        self.status("VmHWM:")
    }

    pub(crate) fn forget_peak(self) -> io::Result<()> {
        fs::write(self.path("clear_refs"), "5")
    }

    /// How many files and sockets it has open.
    pub(crate) fn open_files(self) -> io::Result<usize> {
        Ok(fs::read_dir(self.path("fd"))?.count())
    }

    fn status(self, field: &str) -> io::Result<f64> {
        let status = fs::read_to_string(self.path("status"))?;
        let value = status.lines().find_map(|line| line.strip_prefix(field));
        let kilobytes =
            value.and_then(|value| value.split_whitespace().next()?.parse::<f64>().ok());
        Ok(kilobytes.ok_or(io::ErrorKind::InvalidData)? / MIB)
    }

    fn path(self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.0))
    }
}
