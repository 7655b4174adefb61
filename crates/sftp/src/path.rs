//! Paths as a server spells them, and back.
//!
//! SFTP knows one form: absolute, with `/` between names. A POSIX path is sent as it is; a
//! Windows path `C:\a` is sent as `/C:/a`. What cannot be spelled so is refused here, before
//! anything is sent: names that are not UTF-8, opaque paths, as those with NUL are, and network
//! shares.

use std::io;

use bytes::Bytes;
use codex_path_uri::{FileName, PathConvention, PathUri};

use crate::error::Failure;
use crate::wire::{MAX_MESSAGE, MESSAGE_OVERHEAD};

/// A path that a server can be asked for, if it is of the server's convention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerPath {
    pub(crate) convention: PathConvention,
    pub(crate) path: Vec<u8>,
}

impl ServerPath {
    /// How a server is asked for this path.
    ///
    /// # Errors
    /// `InvalidInput` for a path that cannot be spelled.
    pub(crate) fn of(uri: &PathUri) -> io::Result<Self> {
        let convention = match uri.convention() {
            Some(convention) if !uri.is_opaque() => convention,
            _ => return Err(refused("the path has no form that SFTP knows")),
        };
        let native = uri.to_native(convention)?;
        let path = match convention {
            PathConvention::Posix => native,
            PathConvention::Windows if native.starts_with(r"\\") => {
                return Err(refused("SFTP knows no network shares"));
            }
            PathConvention::Windows => format!("/{}", native.replace('\\', "/")),
        };
        if path.len() > MAX_MESSAGE - MESSAGE_OVERHEAD {
            return Err(refused("the path is longer than a message"));
        }
        Ok(Self {
            convention,
            path: path.into_bytes(),
        })
    }
}

/// The path of a name in a directory.
pub(crate) fn joined(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let separator: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    [directory, separator, name].concat()
}

/// Directory and last name of a path; `None` for a root.
pub(crate) fn split(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = path.iter().rposition(|byte| *byte == b'/')?;
    let name = path.get(end + 1..).filter(|name| !name.is_empty())?;
    let directory = if end == 0 { b"/" } else { path.get(..end)? };
    Some((directory, name))
}

/// The convention that the server's own directory is spelled in.
pub(crate) fn convention_of(path: &[u8]) -> PathConvention {
    match path {
        [b'/', drive, b':'] | [b'/', drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            PathConvention::Windows
        }
        _ => PathConvention::Posix,
    }
}

/// The URI of a path that the server spelled, lossless.
pub(crate) fn uri_of(path: &[u8], convention: PathConvention) -> Result<PathUri, Failure> {
    let malformed = |reason: &dyn std::fmt::Display| Failure::protocol("realpath", reason);
    if !path.starts_with(b"/") {
        return Err(malformed(&"the path is not absolute"));
    }
    match convention {
        PathConvention::Posix => PathUri::from_native("/", PathConvention::Posix)
            .and_then(|root| root.join_native_bytes(path))
            .map_err(|error| malformed(&error)),
        PathConvention::Windows => {
            let text = std::str::from_utf8(path).map_err(|error| malformed(&error))?;
            let mut native = text.trim_start_matches('/').to_owned();
            if native.ends_with(':') {
                native.push('/');
            }
            PathUri::from_native(&native, convention).map_err(|error| malformed(&error))
        }
    }
}

/// A listed name, `None` for `.`, `..` and what no name can be. Bytes that are not UTF-8 become
/// U+FFFD, and an event says so: SFTP gives no way back from there.
pub(crate) fn listed_name(
    name: &Bytes,
    directory: &PathUri,
    convention: PathConvention,
) -> Option<FileName> {
    if matches!(&name[..], b"." | b"..") {
        return None;
    }
    let text = String::from_utf8_lossy(name);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        tracing::warn!(
            code = "lossy_file_name",
            path = directory.as_str(),
            name = &*text,
            "a name that is not UTF-8 is listed with replacements and cannot be opened"
        );
    }
    match FileName::new(&text, convention) {
        Ok(name) => Some(name),
        Err(error) => {
            tracing::debug!(path = directory.as_str(), %error, "a listed name is no name");
            None
        }
    }
}

fn refused(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent_as(uri: &str) -> Result<String, io::ErrorKind> {
        let path = PathUri::parse(uri).map_err(io::Error::from);
        path.and_then(|uri| ServerPath::of(&uri))
            .map(|path| String::from_utf8_lossy(&path.path).into_owned())
            .map_err(|error| error.kind())
    }

    #[test]
    fn posix_paths_are_sent_as_they_are_and_windows_paths_behind_a_slash() {
        let invalid = Err(io::ErrorKind::InvalidInput);
        assert_eq!(sent_as("file:///"), Ok("/".to_owned()));
        assert_eq!(sent_as("file:///a%20b/c%5Cd"), Ok(r"/a b/c\d".to_owned()));
        assert_eq!(sent_as("file:///C:/"), Ok("/C:/".to_owned()));
        assert_eq!(sent_as("file:///C:/a%20b/c"), Ok("/C:/a b/c".to_owned()));
        assert_eq!(sent_as("file:///a/%FF"), invalid);
        assert_eq!(sent_as("file://server/share/a"), invalid);
    }

    #[test]
    fn a_server_path_becomes_the_uri_it_was_made_of() {
        for uri in [
            "file:///",
            "file:///a%20b/c",
            "file:///C:/",
            "file:///C:/a/b",
        ] {
            let uri = PathUri::parse(uri).expect("a URI");
            let path = ServerPath::of(&uri).expect("a path of the server");
            let back = uri_of(&path.path, path.convention).expect("a URI");
            assert_eq!(back, uri);
        }
    }

    #[test]
    fn a_drive_in_the_servers_own_directory_tells_its_convention() {
        assert_eq!(convention_of(b"/C:/Users/me"), PathConvention::Windows);
        assert_eq!(convention_of(b"/c:"), PathConvention::Windows);
        assert_eq!(convention_of(b"/C:x"), PathConvention::Posix);
        assert_eq!(convention_of(b"/home/me"), PathConvention::Posix);
        assert_eq!(convention_of(b"/"), PathConvention::Posix);
    }

    #[test]
    fn a_path_is_split_and_joined_at_its_last_name() {
        assert_eq!(split(b"/"), None);
        assert_eq!(split(b"/a"), Some((&b"/"[..], &b"a"[..])));
        assert_eq!(split(b"/a/b"), Some((&b"/a"[..], &b"b"[..])));
        assert_eq!(joined(b"/", b"a"), b"/a");
        assert_eq!(joined(b"/a", b"b"), b"/a/b");
    }
}
