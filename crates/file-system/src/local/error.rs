//! Errors of the host with a kind that stable code can name.

use std::fs;
use std::io;

use codex_path_uri::PathUri;

use super::host_path;
use crate::error::{broken_link, kind_from_name, kind_name};

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

/// What a reading call failed with: a `NotFound` tells whether the path itself is a link.
///
/// A sandbox that denies the path has answered before; here its target was looked for.
pub(super) fn told_of_link(path: &PathUri, error: io::Error) -> io::Error {
    let is_link = || {
        let own = host_path(path).and_then(fs::symlink_metadata);
        own.is_ok_and(|own| own.is_symlink())
    };
    if error.kind() == io::ErrorKind::NotFound && is_link() {
        return broken_link(error);
    }
    with_known_kind(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn an_error_number_without_a_kind_is_other_with_the_host_error_as_the_source() {
        let no_such_device = 6;
        let error = with_known_kind(io::Error::from_raw_os_error(no_such_device));
        assert_eq!(error.kind(), io::ErrorKind::Other);
        let source = error
            .get_ref()
            .and_then(|source| source.downcast_ref::<io::Error>());
        assert_eq!(
            source.and_then(io::Error::raw_os_error),
            Some(no_such_device)
        );
    }

    #[test]
    fn an_error_with_a_kind_is_left_alone() {
        let error = with_known_kind(io::Error::from_raw_os_error(2));
        assert_eq!(error.raw_os_error(), Some(2));
    }
}
