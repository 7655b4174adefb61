//! What fails, for hosts: why a call failed, and why there is no connection.
//!
//! The kind of an `io::Error` is decided in `failure`; here is what it carries.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

/// What an [`io::Error`] of [`SftpFileSystem`](crate::SftpFileSystem) carries, where its kind
/// alone does not say it all.
///
/// # Examples
/// ```
/// use std::io;
///
/// use codex_sftp::SftpError;
///
/// fn may_have_happened(error: &io::Error) -> bool {
///     let payload = error.get_ref().and_then(|payload| payload.downcast_ref());
///     matches!(payload, Some(SftpError::ConnectionLost { sent: true }))
/// }
/// assert!(!may_have_happened(&io::ErrorKind::NotFound.into()));
/// ```
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SftpError {
    /// The server refused a request.
    #[error("the server answers {request} with status {code}: {message}")]
    Refused {
        /// The request, by its name in the protocol.
        request: &'static str,
        /// The code of the status.
        code: u32,
        /// What the server says, for people.
        message: String,
    },
    /// The connection ended before the answer came.
    #[error("the connection to the server is lost")]
    ConnectionLost {
        /// Whether the request may have reached the server. A write that did is never repeated.
        sent: bool,
    },
    /// The connection cannot be made again.
    #[error("the server cannot be reached again")]
    Unreachable {
        /// Why the last attempt failed.
        source: Arc<ConnectError>,
    },
    /// The call took longer than [`call_timeout`](crate::SftpOptions::call_timeout).
    #[error("no answer within {after:?}")]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// A directory is larger than a listing may be.
    #[error("the listing has more than {limit} {unit}")]
    ListingTooLarge {
        /// The most that is taken of a server.
        limit: usize,
        /// What of: `entries`, or `bytes of names`.
        unit: &'static str,
    },
    /// The server sent what no server of this protocol sends.
    #[error("the server answers {request} with nonsense: {reason}")]
    Protocol {
        /// The request, by its name in the protocol.
        request: &'static str,
        /// What is wrong with the answer.
        reason: String,
    },
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The program cannot be started.
    #[error("cannot start `{program}`")]
    Spawn {
        /// The program.
        program: String,
        /// What the host says.
        source: io::Error,
    },
    /// The program ended before the server spoke.
    #[error("the program ended{}{}", Ending(.status), Said(.stderr_tail))]
    ChildExited {
        /// How it ended, where known.
        status: Option<ExitStatus>,
        /// The end of what it wrote to its standard error, at most 8 KiB.
        stderr_tail: String,
    },
    /// The stream ended before the server spoke, or cannot be written to.
    #[error("the stream ended before the server spoke")]
    Closed,
    /// What speaks at the other end is no SFTP server, or one of another version.
    #[error("no SFTP server of version 3 answers: {reason}")]
    HandshakeRejected {
        /// What is wrong with the answer.
        reason: String,
    },
    /// The server did not speak in time.
    #[error("the server did not speak within {after:?}")]
    Timeout {
        /// The limit.
        after: Duration,
    },
}

impl ConnectError {
    /// The kind that a call fails with for this reason.
    pub(crate) fn kind(&self) -> io::ErrorKind {
        match self {
            ConnectError::Spawn { source, .. } => source.kind(),
            ConnectError::ChildExited { .. } | ConnectError::Closed => io::ErrorKind::BrokenPipe,
            ConnectError::HandshakeRejected { .. } => io::ErrorKind::InvalidData,
            ConnectError::Timeout { .. } => io::ErrorKind::TimedOut,
        }
    }
}

/// How a program ended, as the end of a sentence.
struct Ending<'a>(&'a Option<ExitStatus>);

impl std::fmt::Display for Ending<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(status) => write!(f, " ({status})"),
            None => Ok(()),
        }
    }
}

/// What a program said last, as the end of a sentence.
struct Said<'a>(&'a str);

impl std::fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.trim() {
            "" => Ok(()),
            text => write!(f, ": {text}"),
        }
    }
}
