//! The roots of Windows paths: drives, shares, devices, and which of them a URI can hold.
//!
//! Texts are WTF-8, so that paths from UTF-16 code units and from strings take the same way.
//! Nothing here asks which host this is.

use std::borrow::Cow;

use crate::{
    PathConvention, PathUri,
    assemble::is_drive_like,
    encoding::{is_dropped_or_dots, is_letter_and},
    fallback, host, native,
    plain::separate_by_backslash,
};

/// What an absolute Windows path begins with.
pub(crate) enum Root<'a> {
    /// `X:\`, in upper case.
    Drive(u8),
    /// `\\host\share` with a host and a share that a URI can hold; the host is in lower case.
    Unc { host: Cow<'a, str>, share: &'a [u8] },
    /// Any other root, with the final `\` that the names follow.
    Sealed(Vec<u8>),
}

impl Root<'_> {
    /// The length of the root in a normalised native text.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Drive(_) => r"X:\".len(),
            Self::Unc { host, share } => r"\\".len() + host.len() + r"\".len() + share.len(),
            Self::Sealed(root) => root.len(),
        }
    }
}

/// Reads an absolute path; `None` if it is not absolute.
pub(crate) fn read(native: &[u8]) -> Option<PathUri> {
    let (root, rest) = split_root(native)?;
    Some(match root {
        Root::Drive(letter) => native::drive(letter, rest),
        Root::Unc { host, share } => native::unc(&host, share, rest),
        Root::Sealed(mut sealed) => {
            sealed.extend(native::names_after_dots(rest, PathConvention::Windows).join(&b'\\'));
            fallback::from_windows(&sealed)
        }
    })
}

/// The root of `native` and the components after it; `None` if it is not absolute.
pub(crate) fn split_root(native: &[u8]) -> Option<(Root<'_>, &[u8])> {
    match native {
        [a, b, mark @ (b'?' | b'.'), c, rest @ ..]
            if is_separator(*a) && is_separator(*b) && is_separator(*c) =>
        {
            device_root(*mark, rest)
        }
        [a, b, rest @ ..] if is_separator(*a) && is_separator(*b) => {
            let (host, share, rest) = host_and_share(rest)?;
            Some((share_root(host, share), rest))
        }
        _ => drive_root(native),
    }
}

fn drive_root(native: &[u8]) -> Option<(Root<'_>, &[u8])> {
    match native {
        [letter, b':', separator, rest @ ..]
            if letter.is_ascii_alphabetic() && is_separator(*separator) =>
        {
            Some((Root::Drive(letter.to_ascii_uppercase()), rest))
        }
        _ => None,
    }
}

/// The root after `\\?\` or `\\.\`.
fn device_root(mark: u8, rest: &[u8]) -> Option<(Root<'_>, &[u8])> {
    let rest = skip_separators(rest);
    if let Some(drive) = drive_root(rest) {
        return Some(drive);
    }
    let (device, after) = split_component(rest);
    if device.is_empty() {
        return None;
    }
    if !device.eq_ignore_ascii_case(b"UNC") {
        return Some((Root::Sealed(other_device_root(mark, device)), after));
    }
    match host_and_share(after) {
        Some((host, share, after)) if !matches!(host, b"." | b".." | b"?") => {
            Some((share_root(host, share), after))
        }
        _ => Some((Root::Sealed(unusable_share_root(mark, rest)), b"")),
    }
}

fn other_device_root(mark: u8, device: &[u8]) -> Vec<u8> {
    let mut root = device_prefix(mark).to_vec();
    root.extend(device);
    // `\\.\C:` is the raw volume; with a final separator it would be the root directory.
    if !is_letter_and(device, b':') {
        root.push(b'\\');
    }
    root
}

/// The root for `UNC` and components that are no host and share. Normalised, they could turn into
/// some, so they are kept as they are written.
fn unusable_share_root(mark: u8, components: &[u8]) -> Vec<u8> {
    let mut root = device_prefix(mark).to_vec();
    root.extend(trim_separators(components));
    separate_by_backslash(&mut root);
    if root.len() == br"\\?\UNC".len() {
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
    if let Some(host) = std::str::from_utf8(host).ok().and_then(host::canonical)
        && host != "localhost"
        && is_share(share)
    {
        return Root::Unc { host, share };
    }
    let mut root = br"\\".to_vec();
    root.extend(host);
    root.push(b'\\');
    root.extend(share);
    root.push(b'\\');
    Root::Sealed(root)
}

/// Whether a URI can hold `share` as the name after a host.
fn is_share(share: &[u8]) -> bool {
    !is_dropped_or_dots(share)
        && !is_drive_like(share)
        && !share.contains(&0)
        && std::str::from_utf8(share).is_ok()
}

fn split_component(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&byte| is_separator(byte)) {
        Some(at) => (
            text.get(..at).unwrap_or_default(),
            text.get(at + 1..).unwrap_or_default(),
        ),
        None => (text, b""),
    }
}

fn skip_separators(text: &[u8]) -> &[u8] {
    let start = text
        .iter()
        .position(|&byte| !is_separator(byte))
        .unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

fn trim_separators(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .rposition(|&byte| !is_separator(byte))
        .map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

fn is_separator(byte: u8) -> bool {
    PathConvention::Windows.is_separator(byte)
}
