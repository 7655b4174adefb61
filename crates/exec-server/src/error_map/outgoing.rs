//! What our server sends: the kind by its name, and the system's number where there is one.

use std::error::Error;
use std::io;

use codex_file_system::FileSystemError;
use codex_file_system::error::kind_name;

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
        message: shortened(message),
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
        message: shortened(message.into()),
        data: Some(ErrorData {
            kind: Some(kind_name(kind).to_owned()),
            errno: None,
        }),
    }
}

/// The longest message of an error, in bytes.
const MAX_MESSAGE_BYTES: usize = 1024;

/// A message without its middle where it is long: what it quotes is as long as a client likes,
/// how it begins says what failed, and how it ends says why.
fn shortened(message: String) -> String {
    if message.len() <= MAX_MESSAGE_BYTES {
        return message;
    }
    let half = MAX_MESSAGE_BYTES / 2 - '\u{2026}'.len_utf8();
    let (head, rest) = message.split_at(message.floor_char_boundary(half));
    let (_, tail) = rest.split_at(rest.ceil_char_boundary(rest.len() - half));
    [head, "\u{2026}", tail].concat()
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

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_long_message_keeps_its_beginning_and_its_end() {
        for (long, characters) in [("a".repeat(2000), 509), ("\u{e9}".repeat(2000), 254)] {
            let message = shortened(format!("{long} (os error 2)"));
            let tail = message.strip_suffix(" (os error 2)").unwrap();
            let (head, tail) = tail.split_once('\u{2026}').unwrap();
            assert!(message.len() <= MAX_MESSAGE_BYTES);
            assert_eq!(head.chars().count(), characters);
            assert!(long.starts_with(head) && long.ends_with(tail) && tail.len() > 400);
        }
        let short = "\u{e9}".repeat(MAX_MESSAGE_BYTES / 2);
        assert_eq!(shortened(short.clone()), short);
    }
}
