//! How a server is asked.

use std::time::Duration;

/// Settings of an [`SftpFileSystem`](crate::SftpFileSystem).
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use codex_sftp::SftpOptions;
///
/// let options = SftpOptions::default().with_call_timeout(Duration::from_secs(5));
/// assert_eq!(options.read_chunk, 32 * 1024);
/// assert_eq!(options.call_timeout, Some(Duration::from_secs(5)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SftpOptions {
    /// The most calls that hold something open on the server: reads, listings and writes. The
    /// rest wait, first come, first served. Calls that hold nothing, such as metadata, cost the
    /// server nothing but their turn and are sent at once. At least 1.
    pub max_in_flight: usize,
    /// The most bytes one read asks for, of a server that does not say what it would give. One
    /// that announces `limits@openssh.com` is asked for what it gives. At least 1, at most what
    /// a message of 1 MiB holds. Writes do not depend on it: they hold what is announced, or
    /// 32 KiB.
    pub read_chunk: usize,
    /// The most reads of one file in flight, beside the one behind its end. At least 1.
    pub reads_in_flight: usize,
    /// How long a call may take from its first poll; `None` sets no limit. It also bounds each
    /// attempt to connect.
    pub call_timeout: Option<Duration>,
    /// Whether a connection that is lost is made again by starting the program again.
    pub reconnect: bool,
}

impl Default for SftpOptions {
    fn default() -> Self {
        Self {
            max_in_flight: 64,
            read_chunk: 32 * 1024,
            reads_in_flight: 16,
            call_timeout: Some(Duration::from_secs(30)),
            reconnect: true,
        }
    }
}

impl SftpOptions {
    /// Sets the most calls that hold something open.
    #[must_use]
    pub fn with_max_in_flight(mut self, max_in_flight: usize) -> Self {
        self.max_in_flight = max_in_flight;
        self
    }

    /// Sets the most bytes one read asks for.
    #[must_use]
    pub fn with_read_chunk(mut self, read_chunk: usize) -> Self {
        self.read_chunk = read_chunk;
        self
    }

    /// Sets the most reads of one file in flight.
    #[must_use]
    pub fn with_reads_in_flight(mut self, reads_in_flight: usize) -> Self {
        self.reads_in_flight = reads_in_flight;
        self
    }

    /// Sets how long a call may take.
    #[must_use]
    pub fn with_call_timeout(mut self, call_timeout: impl Into<Option<Duration>>) -> Self {
        self.call_timeout = call_timeout.into();
        self
    }

    /// Sets whether a lost connection is made again.
    #[must_use]
    pub fn with_reconnect(mut self, reconnect: bool) -> Self {
        self.reconnect = reconnect;
        self
    }
}
