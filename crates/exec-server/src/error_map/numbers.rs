//! The numbers of system errors, which differ between the systems a server may run on.

use std::io;

use codex_file_system::error::filesystem_loop;

/// The system a server runs on, as far as its error numbers go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Platform {
    /// Linux, and a server that does not say.
    #[default]
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The platform a server calls itself.
    pub(crate) fn from_name(name: Option<&str>) -> Self {
        match name {
            Some("macos") => Platform::MacOs,
            Some("windows") => Platform::Windows,
            _ => Platform::Linux,
        }
    }

    /// The kind of an error number, where it is one of those worth telling apart.
    pub(crate) fn kind(self, number: i32) -> Option<io::ErrorKind> {
        match self {
            Platform::Linux => linux(number),
            Platform::MacOs => macos(number),
            Platform::Windows => windows(number),
        }
    }
}

/// The numbers that all systems of the POSIX family share.
fn posix(number: i32) -> Option<io::ErrorKind> {
    Some(match number {
        2 => io::ErrorKind::NotFound,
        1 | 13 => io::ErrorKind::PermissionDenied,
        17 => io::ErrorKind::AlreadyExists,
        20 => io::ErrorKind::NotADirectory,
        21 => io::ErrorKind::IsADirectory,
        28 => io::ErrorKind::StorageFull,
        30 => io::ErrorKind::ReadOnlyFilesystem,
        _ => return None,
    })
}

fn linux(number: i32) -> Option<io::ErrorKind> {
    Some(match number {
        36 => io::ErrorKind::InvalidFilename,
        39 => io::ErrorKind::DirectoryNotEmpty,
        40 => filesystem_loop(),
        122 => io::ErrorKind::QuotaExceeded,
        _ => return posix(number),
    })
}

fn macos(number: i32) -> Option<io::ErrorKind> {
    Some(match number {
        62 => filesystem_loop(),
        63 => io::ErrorKind::InvalidFilename,
        66 => io::ErrorKind::DirectoryNotEmpty,
        69 => io::ErrorKind::QuotaExceeded,
        _ => return posix(number),
    })
}

fn windows(number: i32) -> Option<io::ErrorKind> {
    Some(match number {
        2 | 3 => io::ErrorKind::NotFound,
        5 => io::ErrorKind::PermissionDenied,
        19 => io::ErrorKind::ReadOnlyFilesystem,
        80 | 183 => io::ErrorKind::AlreadyExists,
        112 => io::ErrorKind::StorageFull,
        123 => io::ErrorKind::InvalidFilename,
        145 => io::ErrorKind::DirectoryNotEmpty,
        267 => io::ErrorKind::NotADirectory,
        1295 => io::ErrorKind::QuotaExceeded,
        1921 => filesystem_loop(),
        _ => return None,
    })
}

/// The number in a message that ends in ` (os error N)`.
pub(super) fn in_message(message: &str) -> Option<i32> {
    let (_, tail) = message.rsplit_once("(os error ")?;
    let digits = tail.strip_suffix(')')?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}
