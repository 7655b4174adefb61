//! The text in which a path's names stand, and where its root ends.

use std::borrow::Cow;

use crate::{
    PathConvention, PathUri,
    buffer::{AROUND_NAMES, with_text},
    encoding::{decode, push_encoded},
    fallback,
    uri::Kind,
};

/// The text in which a path's names can be read, and where its root ends in it.
///
/// That is the canonical text itself, except for a lexical fallback: there it is the text the path
/// would have if a drive-like first name were nothing special.
pub(crate) struct Plain<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) kind: Kind,
}

impl Plain<'_> {
    /// How many bytes the root takes.
    #[inline]
    pub(crate) fn root_len(&self) -> usize {
        root_len(self.text.as_bytes(), self.kind)
    }

    /// The encoded names below the root, joined by `/`; empty for a root.
    pub(crate) fn names(&self) -> &str {
        let below = self.text.get(self.root_len()..).unwrap_or_default();
        below.strip_prefix('/').unwrap_or(below)
    }
}

/// How many bytes the root of an ordinary text takes.
#[inline]
pub(crate) fn root_len(text: &[u8], kind: Kind) -> usize {
    const AUTHORITY: usize = "file://".len();
    match kind {
        Kind::Drive => "file:///C:/".len(),
        Kind::Unc => {
            let mut slashes = text
                .iter()
                .enumerate()
                .skip(AUTHORITY)
                .filter(|(_, byte)| **byte == b'/');
            slashes.nth(1).map_or(text.len(), |(at, _)| at)
        }
        _ => "file:///".len(),
    }
}

impl PathUri {
    /// The names in encoded form, for every value that has names.
    pub(crate) fn plain(&self) -> Option<Plain<'_>> {
        match self.kind() {
            kind @ (Kind::Posix | Kind::Drive | Kind::Unc) => Some(Plain {
                text: Cow::Borrowed(self.as_str()),
                kind,
            }),
            Kind::Lexical => {
                let payload = fallback::payload(self);
                let text = with_text(payload.len() + AROUND_NAMES, |text| {
                    text.push_str("file://");
                    for (index, name) in payload.split(|&byte| byte == b'/').enumerate() {
                        if index > 0 {
                            text.push(b'/');
                        }
                        push_encoded(text, name);
                    }
                    text.as_str().to_owned()
                });
                Some(Plain {
                    text: Cow::Owned(text),
                    kind: Kind::Posix,
                })
            }
            Kind::SealedPosix | Kind::SealedWindows | Kind::SealedUnknown => None,
        }
    }
}

/// The native spelling of an ordinary text, whole or cut after a name: POSIX bytes or UTF-8.
pub(crate) fn native_from_encoded(text: &str, kind: Kind) -> Vec<u8> {
    let start = match kind {
        Kind::Drive => "file:///".len(),
        Kind::Unc => "file:".len(),
        _ => "file://".len(),
    };
    let mut native = decode(text.get(start..).unwrap_or_default()).into_owned();
    if kind.convention() == Some(PathConvention::Windows) {
        separate_by_backslash(&mut native);
    }
    native
}

/// Turns every `/` into `\`.
pub(crate) fn separate_by_backslash(text: &mut [u8]) {
    for byte in text.iter_mut().filter(|byte| **byte == b'/') {
        *byte = b'\\';
    }
}

/// Turns every `\` into `/`.
#[inline]
pub(crate) fn separate_by_slash(text: &mut [u8]) {
    for byte in text {
        *byte = if *byte == b'\\' { b'/' } else { *byte };
    }
}
