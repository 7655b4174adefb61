//! How an error crosses the wire without losing its kind.
//!
//! Our server sends the kind by name and the system's number beside it. From a server that sends
//! neither, the kind is read off the number at the end of the message, else off the code. Nothing
//! else in a message is ever interpreted.

#[cfg(feature = "client")]
pub(crate) use self::incoming::{Platform, kind_of, kind_of_walk_error};
#[cfg(feature = "server")]
pub(crate) use self::outgoing::{Access, refusal, to_wire};

/// What our client makes of an error: its name, else its number, else its code.
#[cfg(feature = "client")]
mod incoming {
    use std::io;

    use codex_file_system::error::{filesystem_loop, kind_from_name, kind_name};

    use crate::codec::{WireError, code};

    /// The system a server runs on, as far as its error numbers go.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) enum Platform {
        /// Linux, and a server that does not say.
        #[default]
        Linux,
        MacOs,
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
        fn kind(self, number: i32) -> Option<io::ErrorKind> {
            use io::ErrorKind as Kind;

            Some(match (self, number) {
                (Platform::Windows, 2 | 3) => Kind::NotFound,
                (Platform::Windows, 5) => Kind::PermissionDenied,
                (Platform::Windows, 19) => Kind::ReadOnlyFilesystem,
                (Platform::Windows, 80 | 183) => Kind::AlreadyExists,
                (Platform::Windows, 112) => Kind::StorageFull,
                (Platform::Windows, 123) => Kind::InvalidFilename,
                (Platform::Windows, 145) => Kind::DirectoryNotEmpty,
                (Platform::Windows, 267) => Kind::NotADirectory,
                (Platform::Windows, 1295) => Kind::QuotaExceeded,
                (Platform::Windows, 1921) => filesystem_loop(),
                (Platform::Windows, _) => return None,
                // What all systems of the POSIX family share.
                (_, 2) => Kind::NotFound,
                (_, 1 | 13) => Kind::PermissionDenied,
                (_, 17) => Kind::AlreadyExists,
                (_, 20) => Kind::NotADirectory,
                (_, 21) => Kind::IsADirectory,
                (_, 28) => Kind::StorageFull,
                (_, 30) => Kind::ReadOnlyFilesystem,
                (Platform::Linux, 36) | (Platform::MacOs, 63) => Kind::InvalidFilename,
                (Platform::Linux, 39) | (Platform::MacOs, 66) => Kind::DirectoryNotEmpty,
                (Platform::Linux, 40) | (Platform::MacOs, 62) => filesystem_loop(),
                (Platform::Linux, 122) | (Platform::MacOs, 69) => Kind::QuotaExceeded,
                _ => return None,
            })
        }
    }

    /// The kind our client gives to an error that a server of `platform` sent.
    pub(crate) fn kind_of(error: &WireError, platform: Platform) -> io::ErrorKind {
        let named = error.data.as_ref().and_then(|data| data.kind.as_deref());
        kind_of_text(named, &error.message, platform).unwrap_or(match error.code {
            code::NOT_FOUND => io::ErrorKind::NotFound,
            code::INVALID_REQUEST | code::INVALID_PARAMS => io::ErrorKind::InvalidInput,
            code::METHOD_NOT_FOUND => io::ErrorKind::Unsupported,
            code::SESSION_ATTACHED => io::ErrorKind::ConnectionRefused,
            _ => io::ErrorKind::Other,
        })
    }

    /// The kind of an error inside a walk, which has no code.
    pub(crate) fn kind_of_walk_error(
        name: Option<&str>,
        message: &str,
        platform: Platform,
    ) -> io::ErrorKind {
        kind_of_text(name, message, platform).unwrap_or(io::ErrorKind::Other)
    }

    fn kind_of_text(
        name: Option<&str>,
        message: &str,
        platform: Platform,
    ) -> Option<io::ErrorKind> {
        // A name this end does not know is none.
        let known = |name| Some(kind_from_name(name)).filter(|kind| kind_name(*kind) == name);
        name.and_then(known)
            .or_else(|| platform.kind(number_in(message)?))
    }

    /// The number in a message that ends in ` (os error N)`.
    fn number_in(message: &str) -> Option<i32> {
        let (_, tail) = message.rsplit_once("(os error ")?;
        let digits = tail.strip_suffix(')')?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok())?
    }
}

/// What our server sends: the kind by its name, and the system's number where there is one.
#[cfg(feature = "server")]
mod outgoing {
    use std::error::Error;
    use std::io;

    use codex_file_system::FileSystemError;
    use codex_file_system::error::{is_broken_link, kind_name};

    use crate::codec::{ErrorData, WireError, code};

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
                broken_link: is_broken_link(error),
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
                broken_link: false,
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
}
