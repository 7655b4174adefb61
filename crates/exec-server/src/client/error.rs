//! What can go wrong between this client and its server.
//!
//! An error of the remote filesystem itself is an `io::Error` of the kind it had there, with a
//! [`RemoteCallError`] inside. That a server cannot be reached at all is a [`ConnectError`].

use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use codex_file_system::error::broken_link;

use crate::codec::WireError;
use crate::error_map::{Platform, kind_of};

/// The source of every `io::Error` that a [`RemoteFileSystem`](super::RemoteFileSystem) makes.
///
/// # Examples
/// ```
/// use codex_exec_server::RemoteCallError;
///
/// /// Whether a write that failed may have happened nevertheless.
/// fn may_have_happened(error: &std::io::Error) -> bool {
///     let call = error.get_ref().and_then(|source| source.downcast_ref::<RemoteCallError>());
///     call.is_some_and(|call| call.sent && call.code.is_none())
/// }
/// assert!(!may_have_happened(&std::io::Error::other("elsewhere")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{method}: {message}")]
pub struct RemoteCallError {
    /// The method that failed, `initialize` where the handshake did.
    pub method: &'static str,
    /// The code of the server's answer; `None` where there was none.
    pub code: Option<i64>,
    /// What the server answered, or why it did not.
    pub message: String,
    /// Whether the request had been written.
    pub sent: bool,
}

/// Why a server cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The URL is not that of a WebSocket server.
    #[error("invalid exec-server URL `{url}`: {reason}")]
    InvalidUrl {
        /// The URL.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A bearer token would go to another machine in clear text.
    #[error("the bearer token would go to `{address}` in clear text")]
    ExposedToken {
        /// Host and port.
        address: String,
    },
    /// No connection comes about.
    #[error("cannot reach `{address}`")]
    Unreachable {
        /// Host and port.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// The server wants another bearer token.
    #[error("the server refuses the bearer token: {message}")]
    Unauthorized {
        /// What the server says.
        message: String,
    },
    /// The server, or what answers in its place, refuses to speak the protocol.
    #[error("the server refuses the handshake: {message}")]
    HandshakeRejected {
        /// What the server says.
        message: String,
    },
    /// It took too long.
    #[error("no answer within {after:?}")]
    Timeout {
        /// How long was waited.
        after: Duration,
    },
    /// The program could not be started.
    #[error("cannot start `{program}`")]
    Spawn {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The program ended.
    #[error("the server process ended ({status}){}", said(stderr_tail))]
    ChildExited {
        /// How it ended.
        status: ExitStatus,
        /// The end of what it wrote to its standard error, at most 8 KiB.
        stderr_tail: String,
    },
}

/// What a program wrote before it ended, as the rest of a sentence.
fn said(stderr_tail: &str) -> String {
    match stderr_tail.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}

impl ConnectError {
    /// The kind of a call's error when this is its cause.
    fn kind(&self) -> io::ErrorKind {
        match self {
            ConnectError::InvalidUrl { .. } | ConnectError::ExposedToken { .. } => {
                io::ErrorKind::InvalidInput
            }
            ConnectError::Unreachable { source, .. } | ConnectError::Spawn { source, .. } => {
                source.kind()
            }
            ConnectError::Unauthorized { .. } => io::ErrorKind::PermissionDenied,
            ConnectError::HandshakeRejected { .. } => io::ErrorKind::ConnectionRefused,
            ConnectError::Timeout { .. } => io::ErrorKind::TimedOut,
            ConnectError::ChildExited { .. } => io::ErrorKind::BrokenPipe,
        }
    }

    /// The message with its cause, for the one line that a call's error has.
    fn sentence(&self) -> String {
        match self {
            ConnectError::Unreachable { source, .. } | ConnectError::Spawn { source, .. } => {
                format!("{self}: {source}")
            }
            _ => self.to_string(),
        }
    }
}

/// Why a call has no result.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// The server answered with an error.
    Rejected(WireError),
    /// There is no connection to get an answer from.
    Disconnected(Arc<Cause>),
    /// The answer was larger than a message may be, which ended the connection.
    Oversize,
    /// The deadline of the call has passed.
    Deadline(Duration),
    /// The answer, or the request itself, is not of the shape of its method.
    Shape(Arc<str>),
}

/// What ended a connection or kept one from coming about.
#[derive(Clone, Debug)]
pub(super) struct Cause {
    pub(super) kind: io::ErrorKind,
    /// The method that failed where it is not the call's own.
    pub(super) method: Option<&'static str>,
    pub(super) code: Option<i64>,
    pub(super) message: String,
}

impl Cause {
    /// The connection is gone.
    pub(super) fn lost(message: impl Into<String>) -> Self {
        Self {
            kind: io::ErrorKind::BrokenPipe,
            method: None,
            code: None,
            message: message.into(),
        }
    }

    /// The server refuses the handshake itself.
    pub(super) fn handshake(error: &WireError) -> Self {
        Self {
            kind: kind_of(error, Platform::default()),
            method: Some("initialize"),
            code: Some(error.code),
            message: error.message.clone(),
        }
    }

    /// The handshake failed without an answer that could be used.
    pub(super) fn no_handshake(kind: io::ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            method: Some("initialize"),
            code: None,
            message: message.into(),
        }
    }
}

impl From<&ConnectError> for Cause {
    fn from(error: &ConnectError) -> Self {
        Self {
            kind: error.kind(),
            method: None,
            code: None,
            message: error.sentence(),
        }
    }
}

/// A failure and the call it happened to.
#[derive(Clone, Debug)]
pub(super) struct CallFailure {
    pub(super) method: &'static str,
    pub(super) failure: Failure,
    pub(super) sent: bool,
    pub(super) platform: Platform,
}

impl CallFailure {
    /// Whether there is no connection to get an answer from.
    pub(super) fn is_disconnected(&self) -> bool {
        matches!(self.failure, Failure::Disconnected(_))
    }

    /// Whether the server says that the path is a link without a target.
    fn is_broken_link(&self) -> bool {
        match &self.failure {
            Failure::Rejected(error) => error.data.as_ref().is_some_and(|data| data.broken_link),
            _ => false,
        }
    }

    /// The kind of the `io::Error` this becomes.
    pub(super) fn kind(&self) -> io::ErrorKind {
        match &self.failure {
            Failure::Rejected(error) => kind_of(error, self.platform),
            Failure::Disconnected(cause) => cause.kind,
            Failure::Oversize => io::ErrorKind::FileTooLarge,
            Failure::Deadline(_) => io::ErrorKind::TimedOut,
            Failure::Shape(_) => io::ErrorKind::InvalidData,
        }
    }
}

impl From<CallFailure> for io::Error {
    fn from(failed: CallFailure) -> Self {
        let kind = failed.kind();
        let is_broken_link = kind == io::ErrorKind::NotFound && failed.is_broken_link();
        let (method, code, message) = match failed.failure {
            Failure::Rejected(error) => (failed.method, Some(error.code), error.message),
            Failure::Disconnected(cause) => (
                cause.method.unwrap_or(failed.method),
                cause.code,
                cause.message.clone(),
            ),
            Failure::Oversize => (failed.method, None, "the answer is too large".to_owned()),
            Failure::Deadline(after) => {
                (failed.method, None, format!("no answer within {after:?}"))
            }
            Failure::Shape(message) => (failed.method, None, message.as_ref().to_owned()),
        };
        let source = RemoteCallError {
            method,
            code,
            message,
            sent: failed.sent,
        };
        let error = io::Error::new(kind, source);
        if is_broken_link {
            broken_link(error)
        } else {
            error
        }
    }
}

/// Longest text of a server that an error repeats, in bytes.
const MAX_TEXT_BYTES: usize = 4 * 1024;

/// A text of the server without its middle where it is long: how it begins says what failed, and
/// how it ends says why.
pub(super) fn shortened(text: String) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text;
    }
    let half = MAX_TEXT_BYTES / 2;
    let (head, rest) = text.split_at(text.floor_char_boundary(half));
    let (_, tail) = rest.split_at(rest.ceil_char_boundary(rest.len() - half));
    format!("{head}\u{2026} ({} bytes) \u{2026}{tail}", text.len())
}
