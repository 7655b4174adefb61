//! What our client makes of an error: its name, else its number, else its code.

use std::io;

use codex_file_system::error::{kind_from_name, kind_name};

use super::Platform;
use super::numbers::in_message;
use crate::envelope::{WireError, code};

/// The kind our client gives to an error that a server of `platform` sent.
pub(crate) fn kind_of(error: &WireError, platform: Platform) -> io::ErrorKind {
    let named = error.data.as_ref().and_then(|data| data.kind.as_deref());
    named
        .and_then(known_kind)
        .or_else(|| platform.kind(in_message(&error.message)?))
        .unwrap_or_else(|| kind_from_code(error.code))
}

/// The kind of an error inside a walk, which has no code.
pub(crate) fn kind_of_walk_error(
    name: Option<&str>,
    message: &str,
    platform: Platform,
) -> io::ErrorKind {
    name.and_then(known_kind)
        .or_else(|| platform.kind(in_message(message)?))
        .unwrap_or(io::ErrorKind::Other)
}

/// The kind of a name, unless the name is one this end does not know.
fn known_kind(name: &str) -> Option<io::ErrorKind> {
    let kind = kind_from_name(name);
    (kind_name(kind) == name).then_some(kind)
}

fn kind_from_code(number: i64) -> io::ErrorKind {
    match number {
        code::NOT_FOUND => io::ErrorKind::NotFound,
        code::INVALID_REQUEST | code::INVALID_PARAMS => io::ErrorKind::InvalidInput,
        code::METHOD_NOT_FOUND => io::ErrorKind::Unsupported,
        code::SESSION_ATTACHED => io::ErrorKind::ConnectionRefused,
        _ => io::ErrorKind::Other,
    }
}
