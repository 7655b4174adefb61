//! Errors of the host with a kind that stable code can name.

use std::io;

use crate::error::{kind_from_name, kind_name};

/// An error number without a kind of its own becomes [`io::ErrorKind::Other`], with the error of
/// the host as the source.
pub(super) fn with_known_kind(error: io::Error) -> io::Error {
    let kind = error.kind();
    if kind_from_name(kind_name(kind)) == kind {
        error
    } else {
        io::Error::other(error)
    }
}
