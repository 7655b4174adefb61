//! Names of error kinds: one exhaustive table for the wire, for JSON and for tests.
//!
//! A name is that of the variant in the standard library and never changes. What has no name
//! here is `Other`; no kind is guessed from a text.

use std::io;

/// The kind of a link loop.
///
/// The standard library gives this kind to the host's own error number but does not let stable
/// code name it, so it is taken from that number: 40 on Linux, 62 on macOS and the BSDs, 1921
/// on Windows. Where the host has none it is [`io::ErrorKind::Other`].
///
/// # Examples
/// ```
/// use codex_file_system::error::{filesystem_loop, kind_name};
///
/// # #[cfg(any(target_os = "linux", target_os = "macos", windows))]
/// assert_eq!(kind_name(filesystem_loop()), "FilesystemLoop");
/// ```
pub fn filesystem_loop() -> io::ErrorKind {
    match LOOP_ERROR_NUMBER {
        Some(number) => io::Error::from_raw_os_error(number).kind(),
        None => io::ErrorKind::Other,
    }
}

const LOOP_ERROR_NUMBER: Option<i32> = if cfg!(any(target_os = "linux", target_os = "android")) {
    Some(40)
} else if cfg!(windows) {
    Some(1921)
} else if cfg!(any(
    target_vendor = "apple",
    target_os = "freebsd",
    target_os = "netbsd"
)) || cfg!(any(target_os = "openbsd", target_os = "dragonfly"))
{
    Some(62)
} else {
    None
};

const LOOP_NAME: &str = "FilesystemLoop";

/// The name of a kind, as it stands on the wire, in JSON and in tests.
///
/// A kind that has no name here is called `Other`.
///
/// # Examples
/// ```
/// use std::io::ErrorKind;
///
/// use codex_file_system::error::{kind_from_name, kind_name};
///
/// assert_eq!(kind_name(ErrorKind::NotFound), "NotFound");
/// assert_eq!(kind_from_name("NotFound"), ErrorKind::NotFound);
/// assert_eq!(kind_from_name("SomethingElse"), ErrorKind::Other);
/// ```
pub fn kind_name(kind: io::ErrorKind) -> &'static str {
    if let Some((_, name)) = NAMES.iter().find(|(named, _)| *named == kind) {
        return name;
    }
    if kind == filesystem_loop() {
        LOOP_NAME
    } else {
        "Other"
    }
}

/// The kind of a name that [`kind_name`] gives; [`io::ErrorKind::Other`] for any other text.
pub fn kind_from_name(name: &str) -> io::ErrorKind {
    if name == LOOP_NAME {
        return filesystem_loop();
    }
    match NAMES.iter().find(|(_, known)| *known == name) {
        Some((kind, _)) => *kind,
        None => io::ErrorKind::Other,
    }
}

/// Every kind that stable code can name.
const NAMES: [(io::ErrorKind, &str); 39] = [
    (io::ErrorKind::NotFound, "NotFound"),
    (io::ErrorKind::PermissionDenied, "PermissionDenied"),
    (io::ErrorKind::ConnectionRefused, "ConnectionRefused"),
    (io::ErrorKind::ConnectionReset, "ConnectionReset"),
    (io::ErrorKind::HostUnreachable, "HostUnreachable"),
    (io::ErrorKind::NetworkUnreachable, "NetworkUnreachable"),
    (io::ErrorKind::ConnectionAborted, "ConnectionAborted"),
    (io::ErrorKind::NotConnected, "NotConnected"),
    (io::ErrorKind::AddrInUse, "AddrInUse"),
    (io::ErrorKind::AddrNotAvailable, "AddrNotAvailable"),
    (io::ErrorKind::NetworkDown, "NetworkDown"),
    (io::ErrorKind::BrokenPipe, "BrokenPipe"),
    (io::ErrorKind::AlreadyExists, "AlreadyExists"),
    (io::ErrorKind::WouldBlock, "WouldBlock"),
    (io::ErrorKind::NotADirectory, "NotADirectory"),
    (io::ErrorKind::IsADirectory, "IsADirectory"),
    (io::ErrorKind::DirectoryNotEmpty, "DirectoryNotEmpty"),
    (io::ErrorKind::ReadOnlyFilesystem, "ReadOnlyFilesystem"),
    (
        io::ErrorKind::StaleNetworkFileHandle,
        "StaleNetworkFileHandle",
    ),
    (io::ErrorKind::InvalidInput, "InvalidInput"),
    (io::ErrorKind::InvalidData, "InvalidData"),
    (io::ErrorKind::TimedOut, "TimedOut"),
    (io::ErrorKind::WriteZero, "WriteZero"),
    (io::ErrorKind::StorageFull, "StorageFull"),
    (io::ErrorKind::NotSeekable, "NotSeekable"),
    (io::ErrorKind::QuotaExceeded, "QuotaExceeded"),
    (io::ErrorKind::FileTooLarge, "FileTooLarge"),
    (io::ErrorKind::ResourceBusy, "ResourceBusy"),
    (io::ErrorKind::ExecutableFileBusy, "ExecutableFileBusy"),
    (io::ErrorKind::Deadlock, "Deadlock"),
    (io::ErrorKind::CrossesDevices, "CrossesDevices"),
    (io::ErrorKind::TooManyLinks, "TooManyLinks"),
    (io::ErrorKind::InvalidFilename, "InvalidFilename"),
    (io::ErrorKind::ArgumentListTooLong, "ArgumentListTooLong"),
    (io::ErrorKind::Interrupted, "Interrupted"),
    (io::ErrorKind::Unsupported, "Unsupported"),
    (io::ErrorKind::UnexpectedEof, "UnexpectedEof"),
    (io::ErrorKind::OutOfMemory, "OutOfMemory"),
    (io::ErrorKind::Other, "Other"),
];
