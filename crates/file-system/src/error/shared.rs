//! An error that is handed over more than once: kind, text, cause and payload stay what they are.

use std::error::Error;
use std::sync::Arc;
use std::{fmt, io};

/// Stands for an error that others hold too.
#[derive(Debug)]
struct SharedError(Arc<io::Error>);

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for SharedError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// The same error once more.
pub(crate) fn hand_over_again(error: &Arc<io::Error>) -> io::Error {
    match (error.raw_os_error(), error.get_ref()) {
        (Some(number), _) => io::Error::from_raw_os_error(number),
        (None, None) => error.kind().into(),
        (None, Some(_)) => io::Error::new(error.kind(), SharedError(Arc::clone(error))),
    }
}

/// The error that was handed over again, or this one.
pub(super) fn original(error: &io::Error) -> &io::Error {
    let payload = error.get_ref().and_then(|payload| payload.downcast_ref());
    match payload {
        Some(SharedError(original)) => self::original(original),
        None => error,
    }
}
