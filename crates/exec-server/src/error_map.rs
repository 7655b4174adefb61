//! How an error crosses the wire without losing its kind.
//!
//! Our server sends the kind by name and the system's number beside it. From a server that sends
//! neither, the kind is read off the number at the end of the message, else off the code. Nothing
//! else in a message is ever interpreted.

#[cfg(feature = "client")]
mod numbers;

use std::error::Error;
use std::io;

use codex_file_system::FileSystemError;
use codex_file_system::error::{kind_from_name, kind_name};

#[cfg(feature = "client")]
pub(crate) use self::numbers::Platform;
use crate::envelope::{ErrorData, WireError, code};

/// What a failed request was doing, as far as the code of its error depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// It read.
    Read,
    /// It changed something.
    Write,
}

/// The error as our server sends it.
pub(crate) fn to_wire(error: &io::Error, access: Access) -> WireError {
    let errno = os_error_number(error);
    let mut message = error.to_string();
    if let Some(number) = errno {
        let suffix = format!(" (os error {number})");
        if !message.ends_with(&suffix) {
            message.push_str(&suffix);
        }
    }
    WireError {
        code: code_of(error.kind(), access),
        message,
        data: Some(ErrorData {
            kind: Some(kind_name(error.kind()).to_owned()),
            errno,
        }),
    }
}

/// An error that the protocol itself makes, without a number of the system.
pub(crate) fn refusal(code: i64, kind: io::ErrorKind, message: impl Into<String>) -> WireError {
    WireError {
        code,
        message: message.into(),
        data: Some(ErrorData {
            kind: Some(kind_name(kind).to_owned()),
            errno: None,
        }),
    }
}

fn code_of(kind: io::ErrorKind, access: Access) -> i64 {
    match kind {
        io::ErrorKind::NotFound => code::NOT_FOUND,
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::InvalidInput
        | io::ErrorKind::FileTooLarge => code::INVALID_REQUEST,
        io::ErrorKind::IsADirectory if access == Access::Read => code::INVALID_REQUEST,
        _ => code::INTERNAL_ERROR,
    }
}

/// The number of the system's error in `error` or in what caused it.
fn os_error_number(error: &io::Error) -> Option<i32> {
    if let Some(number) = error.raw_os_error() {
        return Some(number);
    }
    // The message of this payload is that of its source, so its `source()` already skips it.
    if let Some(payload) = FileSystemError::find(error) {
        return os_error_number(&payload.source);
    }
    let mut cause: &(dyn Error + 'static) = error.get_ref()?;
    loop {
        if let Some(system) = cause.downcast_ref::<io::Error>() {
            return os_error_number(system);
        }
        cause = cause.source()?;
    }
}

/// The kind our client gives to an error that a server of `platform` sent.
#[cfg(feature = "client")]
pub(crate) fn kind_of(error: &WireError, platform: Platform) -> io::ErrorKind {
    let named = error.data.as_ref().and_then(|data| data.kind.as_deref());
    named
        .and_then(known_kind)
        .or_else(|| platform.kind(numbers::in_message(&error.message)?))
        .unwrap_or_else(|| kind_from_code(error.code))
}

/// The kind of an error inside a walk, which has no code.
#[cfg(feature = "client")]
pub(crate) fn kind_of_walk_error(
    name: Option<&str>,
    message: &str,
    platform: Platform,
) -> io::ErrorKind {
    name.and_then(known_kind)
        .or_else(|| platform.kind(numbers::in_message(message)?))
        .unwrap_or(io::ErrorKind::Other)
}

/// The kind of a name, unless the name is one this end does not know.
#[cfg(feature = "client")]
fn known_kind(name: &str) -> Option<io::ErrorKind> {
    let kind = kind_from_name(name);
    (kind_name(kind) == name).then_some(kind)
}

#[cfg(feature = "client")]
fn kind_from_code(number: i64) -> io::ErrorKind {
    match number {
        code::NOT_FOUND => io::ErrorKind::NotFound,
        code::INVALID_REQUEST | code::INVALID_PARAMS => io::ErrorKind::InvalidInput,
        code::METHOD_NOT_FOUND => io::ErrorKind::Unsupported,
        code::SESSION_ATTACHED => io::ErrorKind::ConnectionRefused,
        _ => io::ErrorKind::Other,
    }
}
