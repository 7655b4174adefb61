//! How a request fails, and the one table from status codes to error kinds.
//!
//! A failure stays what it is until a call ends: operations look at codes, the connection looks
//! at losses, and only then an `io::Error` is made. Messages are for people; nothing reads them.

use std::io;

use bytes::Bytes;

use crate::error::SftpError;
use crate::wire::code;

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
            message: String::from_utf8_lossy(&refusal.message).into_owned(),
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
}
