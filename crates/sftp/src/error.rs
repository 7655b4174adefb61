//! How a request fails, the one table from status codes to error kinds, and what an error of a
//! call carries for hosts.
//!
//! A failure stays what it is until a call ends: operations look at codes, the connection looks
//! at losses, and only then an `io::Error` is made. Messages are for people; nothing reads them.

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::wire::code;

/// Most bytes that are shown of what a server says of an error.
const SHOWN_MESSAGE_BYTES: usize = 2 * 1024;

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
        /// What the server says, for people: its beginning and its length where it is long.
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

/// How a request, or a call made of requests, fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server answered with a status that is no success.
    Refused(Refusal),
    /// The connection ended first. `sent` tells whether the request may have reached the server.
    Lost { sent: bool },
    /// The kind is decided.
    Decided(io::Error),
}

/// A status that is no success.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) request: &'static str,
    pub(crate) code: u32,
    pub(crate) message: Bytes,
}

impl Failure {
    /// A call that is wrong in itself, with a sentence saying so.
    pub(crate) fn invalid_input(message: &'static str) -> Self {
        Self::Decided(io::Error::new(io::ErrorKind::InvalidInput, message))
    }

    /// A directory of more than this.
    pub(crate) fn listing_too_large(limit: usize, unit: &'static str) -> Self {
        let payload = SftpError::ListingTooLarge { limit, unit };
        Self::Decided(io::Error::new(io::ErrorKind::FileTooLarge, payload))
    }

    /// An answer that no server of this protocol gives.
    pub(crate) fn protocol(request: &'static str, reason: impl ToString) -> Self {
        let reason = reason.to_string();
        let payload = SftpError::Protocol { request, reason };
        Self::Decided(io::Error::new(io::ErrorKind::InvalidData, payload))
    }

    /// Whether the server answered with this code.
    pub(crate) fn has_code(&self, code: u32) -> bool {
        matches!(self, Failure::Refused(refusal) if refusal.code == code)
    }
}

impl From<io::ErrorKind> for Failure {
    fn from(kind: io::ErrorKind) -> Self {
        Self::Decided(kind.into())
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(refusal) => refusal.into(),
            Failure::Lost { sent } => io::Error::new(
                io::ErrorKind::BrokenPipe,
                SftpError::ConnectionLost { sent },
            ),
            Failure::Decided(error) => error,
        }
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        let kind = kind_of(refusal.code);
        if kind == io::ErrorKind::NotFound {
            // Normal and frequent: an upward search asks for little else.
            return kind.into();
        }
        let payload = SftpError::Refused {
            request: refusal.request,
            code: refusal.code,
            message: shown(&refusal.message),
        };
        io::Error::new(kind, payload)
    }
}

/// The kind of a status code that nothing else decides.
fn kind_of(code: u32) -> io::ErrorKind {
    match code {
        code::END_OF_FILE => io::ErrorKind::UnexpectedEof,
        code::NO_SUCH_FILE => io::ErrorKind::NotFound,
        code::PERMISSION_DENIED => io::ErrorKind::PermissionDenied,
        code::BAD_MESSAGE => io::ErrorKind::InvalidData,
        code::NO_CONNECTION | code::CONNECTION_LOST => io::ErrorKind::BrokenPipe,
        code::UNSUPPORTED => io::ErrorKind::Unsupported,
        _ => io::ErrorKind::Other,
    }
}

/// What a server says, or the beginning of it.
fn shown(message: &[u8]) -> String {
    match message.get(..SHOWN_MESSAGE_BYTES) {
        Some(beginning) if beginning.len() < message.len() => {
            let beginning = String::from_utf8_lossy(beginning);
            format!("{beginning}… ({} bytes in all)", message.len())
        }
        _ => String::from_utf8_lossy(message).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_code_has_its_kind() {
        let kinds: Vec<_> = (1..=9).map(kind_of).collect();
        let expected = [
            io::ErrorKind::UnexpectedEof,
            io::ErrorKind::NotFound,
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::Other,
            io::ErrorKind::InvalidData,
            io::ErrorKind::BrokenPipe,
            io::ErrorKind::BrokenPipe,
            io::ErrorKind::Unsupported,
            io::ErrorKind::Other,
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn a_long_message_of_a_server_is_cut_and_its_length_told() {
        let cut = shown(&[b'x'; 50_000]);
        assert_eq!(
            cut.len(),
            SHOWN_MESSAGE_BYTES + "… (50000 bytes in all)".len()
        );
        assert!(cut.ends_with("… (50000 bytes in all)"));
        assert_eq!(shown(b"no such file"), "no such file");
    }
}
