//! `NotFound` of a path that is itself a link: the link is there, what it leads to is not.

use std::error::Error;
use std::{fmt, io};

use super::{FileSystemError, shared};

/// Marks a `NotFound` whose path is a link. What the filesystem answered is its source.
#[derive(Debug)]
struct BrokenLink(io::Error);

impl fmt::Display for BrokenLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the link leads to nothing")
    }
}

impl Error for BrokenLink {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

/// Marks an error as that of a link whose target is missing. The kind stays what it was.
///
/// # Examples
/// ```
/// use std::io::{Error, ErrorKind};
///
/// use codex_file_system::error::{broken_link, is_broken_link};
///
/// let missing = Error::from(ErrorKind::NotFound);
/// assert!(!is_broken_link(&missing));
/// let marked = broken_link(missing);
/// assert!(is_broken_link(&marked));
/// assert_eq!(marked.kind(), ErrorKind::NotFound);
/// ```
pub fn broken_link(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), BrokenLink(error))
}

/// Whether this failure is that of a link whose target is missing, as far as the filesystem tells.
pub fn is_broken_link(error: &io::Error) -> bool {
    if let Some(payload) = FileSystemError::find(error) {
        return is_broken_link(&payload.source);
    }
    let payload = shared::original(error).get_ref();
    payload.is_some_and(|payload| payload.is::<BrokenLink>())
}
