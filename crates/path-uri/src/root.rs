//! The roots of native paths: `/`, drives, shares and devices, and which of them a URI can hold.
//!
//! Texts are POSIX bytes or WTF-8, so that paths from strings, from bytes and from UTF-16 code units
//! take the same way. Nothing here asks which host this is.

use std::borrow::Cow;

use crate::{
    PathConvention,
    encoding::{canonical_host, decode, is_drive_like, is_letter_and, push_encoded},
};

/// What an absolute path begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Root<'a> {
    Posix,
    /// `X:\`, in upper case.
    Drive(u8),
    /// `\\host\share` with a host and a share that a URI can hold; the host is in lower case.
    /// The share is encoded.
    Unc {
        host: Cow<'a, str>,
        share: Cow<'a, str>,
    },
    /// Any other Windows root, in native form: one that no URI can hold.
    Opaque(Vec<u8>),
}

impl<'a> Root<'a> {
    /// The root of `native` and the components after it; `None` if it is not absolute.
    pub(crate) fn split(native: &'a [u8], convention: PathConvention) -> Option<(Self, &'a [u8])> {
        match (convention, native) {
            (PathConvention::Posix, [b'/', rest @ ..]) => Some((Self::Posix, rest)),
            (PathConvention::Posix, _) => None,
            (_, [a, b, mark @ (b'?' | b'.'), c, rest @ ..])
                if [a, b, c].into_iter().all(is_separator) =>
            {
                device_root(*mark, rest)
            }
            (_, [a, b, rest @ ..]) if is_separator(a) && is_separator(b) => {
                let (host, share, rest) = host_and_share(rest)?;
                Some((share_root(host, share), rest))
            }
            _ => drive_root(native),
        }
    }

    /// A host in its canonical spelling and a share that a URI can hold.
    pub(crate) fn unc(host: String, share: &[u8]) -> Self {
        let mut encoded = String::new();
        push_encoded(&mut encoded, share);
        Self::Unc {
            host: Cow::Owned(host),
            share: Cow::Owned(encoded),
        }
    }

    pub(crate) fn convention(&self) -> PathConvention {
        match self {
            Self::Posix => PathConvention::Posix,
            Self::Drive(_) | Self::Unc { .. } | Self::Opaque(_) => PathConvention::Windows,
        }
    }

    /// The root in native form: POSIX bytes or WTF-8.
    pub(crate) fn to_native(&self) -> Vec<u8> {
        match self {
            Self::Posix => b"/".to_vec(),
            Self::Drive(letter) => vec![*letter, b':', b'\\'],
            Self::Unc { host, share } => [br"\\", host.as_bytes(), br"\", &decode(share)].concat(),
            Self::Opaque(root) => root.clone(),
        }
    }
}

fn drive_root(native: &[u8]) -> Option<(Root<'_>, &[u8])> {
    match native {
        [letter, b':', separator, rest @ ..]
            if letter.is_ascii_alphabetic() && is_separator(separator) =>
        {
            Some((Root::Drive(letter.to_ascii_uppercase()), rest))
        }
        _ => None,
    }
}

/// The root after `\\?\` or `\\.\`.
fn device_root(mark: u8, rest: &[u8]) -> Option<(Root<'_>, &[u8])> {
    let start = rest.iter().position(|byte| !is_separator(byte))?;
    let rest = rest.get(start..).unwrap_or_default();
    if let Some(drive) = drive_root(rest) {
        return Some(drive);
    }
    let (device, after) = split_component(rest);
    if !device.eq_ignore_ascii_case(b"UNC") {
        // `\\.\C:` is the raw volume; with a final separator it would be the root directory.
        let end: &[u8] = if is_letter_and(device, b':') {
            b""
        } else {
            br"\"
        };
        let root = [&device_prefix(mark), device, end].concat();
        return Some((Root::Opaque(root), after));
    }
    match host_and_share(after) {
        Some((host, share, after)) if !matches!(host, b"." | b".." | b"?") => {
            Some((share_root(host, share), after))
        }
        _ => Some((Root::Opaque(unusable_share_root(mark, rest)), b"")),
    }
}

/// The root for `UNC` and components that are no host and share. Normalised, they could turn into
/// some, so they are kept as they are written.
fn unusable_share_root(mark: u8, components: &[u8]) -> Vec<u8> {
    let components: Vec<&[u8]> = components.split(is_separator).collect();
    let end = components
        .iter()
        .rposition(|component| !component.is_empty());
    let kept = components
        .get(..=end.unwrap_or_default())
        .unwrap_or_default();
    let mut root = device_prefix(mark).to_vec();
    root.extend(kept.join(&b'\\'));
    if kept.len() == 1 {
        root.push(b'\\');
    }
    root
}

const fn device_prefix(mark: u8) -> [u8; 4] {
    [b'\\', b'\\', mark, b'\\']
}

/// The first two components, both non-empty, and the rest.
fn host_and_share(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (host, rest) = split_component(text);
    let (share, rest) = split_component(rest);
    (!host.is_empty() && !share.is_empty()).then_some((host, share, rest))
}

fn share_root<'a>(host: &'a [u8], share: &'a [u8]) -> Root<'a> {
    if let Some(host) = std::str::from_utf8(host).ok().and_then(canonical_host)
        && host != "localhost"
        && is_share(share)
    {
        return Root::unc(host, share);
    }
    Root::Opaque([br"\\", host, br"\", share, br"\"].concat())
}

/// Whether a URI can hold `share` as the name after a host.
fn is_share(share: &[u8]) -> bool {
    !matches!(share, b"." | b"..")
        && !is_drive_like(share)
        && !share.contains(&0)
        && std::str::from_utf8(share).is_ok()
}

fn split_component(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(is_separator).unwrap_or(text.len());
    let (component, rest) = text.split_at(end);
    (component, rest.get(1..).unwrap_or_default())
}

fn is_separator(byte: &u8) -> bool {
    PathConvention::Windows.is_separator(*byte)
}
