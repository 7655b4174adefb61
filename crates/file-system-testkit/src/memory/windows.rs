//! What is particular to the Windows flavor: drives and shares, UTF-16 names, case folded.
//!
//! A path whose names hold lone surrogates has an opaque URI; it is decoded here, so a listed
//! entry is reachable whatever its name. Device paths name no file of this filesystem.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use codex_path_uri::{FALLBACK_PREFIX, FileName, PathConvention, PathUri};

use crate::memory::location::Location;
use crate::memory::node::NameKey;
use crate::memory::target::{LinkTarget, Start};
use crate::wtf8;

/// The drive that exists from the start, and below which relative paths of a literal lie.
pub(super) const ROOT: &str = r"C:\";

/// Most UTF-16 code units in one name.
const MAX_NAME_UNITS: usize = 255;

const BACKSLASH: u16 = b'\\' as u16;

/// The location of `uri`, `None` for a path this machine cannot name.
pub(super) fn locate(uri: &PathUri) -> Option<Location> {
    if uri.convention() != Some(PathConvention::Windows) {
        return None;
    }
    match (uri.root_name(), uri.names()) {
        (Some(root), Some(names)) => Some(Location {
            root,
            names: names.collect(),
        }),
        _ => locate_opaque(uri),
    }
}

fn locate_opaque(uri: &PathUri) -> Option<Location> {
    let payload = URL_SAFE_NO_PAD
        .decode(uri.as_str().strip_prefix(FALLBACK_PREFIX)?)
        .ok()?;
    let (pairs, []) = payload.as_chunks::<2>() else {
        return None;
    };
    let units: Vec<u16> = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect();
    let mut components = units.split(|&unit| unit == BACKSLASH);
    let first = String::from_utf16(components.next()?).ok()?;
    let root = if first.is_empty() {
        // `\\host\share`: the text begins with two empty components.
        let [second, host, share] = std::array::from_fn(|_| components.next());
        if !second?.is_empty()
            || matches!(host?, [unit] if [b'.', b'?'].map(u16::from).contains(unit))
        {
            return None;
        }
        format!(
            r"\\{}\{}",
            String::from_utf16(host?).ok()?,
            String::from_utf16(share?).ok()?
        )
    } else {
        format!(r"{first}\")
    };
    let names = components.map(|name| FileName::from_windows_units(name).ok());
    let location = Location {
        root,
        names: names.collect::<Option<_>>()?,
    };
    // A payload that is not the one spelling of its path names no file.
    let is_canonical = location
        .to_uri(crate::Flavor::Windows)
        .is_ok_and(|again| again == *uri);
    is_canonical.then_some(location)
}

/// The URI of a location whose names cannot all be joined, because one is not Unicode.
pub(super) fn opaque_uri(location: &Location) -> io::Result<PathUri> {
    let mut units: Vec<u16> = location
        .root
        .trim_end_matches('\\')
        .encode_utf16()
        .collect();
    for name in &location.names {
        units.push(BACKSLASH);
        units.extend(name.to_windows_units().unwrap_or_default());
    }
    let payload: Vec<u8> = units.into_iter().flat_map(u16::to_le_bytes).collect();
    let text = format!("{FALLBACK_PREFIX}{}", URL_SAFE_NO_PAD.encode(payload));
    Ok(PathUri::parse(&text)?)
}

/// Whether a name is allowed: none of `< > : " | ? *`, no control character, at most 255 units.
pub(super) fn allows(name: &FileName) -> bool {
    let units = name.to_windows_units().unwrap_or_default();
    units.len() <= MAX_NAME_UNITS
        && units.iter().all(|&unit| match u8::try_from(unit) {
            Ok(byte) => byte >= 0x20 && !br#"<>:"|?*"#.contains(&byte),
            Err(_) => true,
        })
}

/// Two names are the same file when their code units are, after upper-casing each.
pub(super) fn key(name: &FileName) -> NameKey {
    let units = name.to_windows_units().unwrap_or_default();
    NameKey(
        units
            .into_iter()
            .map(fold)
            .flat_map(u16::to_be_bytes)
            .collect(),
    )
}

/// Two roots are the same when their texts are, after upper-casing each code unit.
pub(super) fn root_key(root: &str) -> NameKey {
    NameKey(
        root.encode_utf16()
            .map(fold)
            .flat_map(u16::to_be_bytes)
            .collect(),
    )
}

/// The upper-case form of one code unit, if that is one code unit too.
fn fold(unit: u16) -> u16 {
    let Some(character) = char::from_u32(unit.into()) else {
        return unit;
    };
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(only), None) => u16::try_from(u32::from(only)).unwrap_or(unit),
        _ => unit,
    }
}

/// A name as a tree literal spells it, in generalized UTF-8.
pub(super) fn name_from_literal(bytes: &[u8]) -> Option<FileName> {
    FileName::from_windows_units(&wtf8::to_utf16(bytes)?)
        .ok()
        .filter(allows)
}

/// Takes a link target apart; `None` if it is empty or a component is no name.
pub(super) fn parse_target(bytes: &[u8]) -> Option<LinkTarget> {
    let is_separator = |byte: &u8| matches!(byte, b'/' | b'\\');
    let (start, rest) = match bytes {
        [] => return None,
        [first, second, below @ ..] if is_separator(first) && is_separator(second) => {
            let mut parts = below.splitn(3, is_separator);
            let [host, share] = [parts.next()?, parts.next()?].map(std::str::from_utf8);
            let root = share_root(host.ok()?, share.ok()?)?;
            (Start::Root(root), parts.next().unwrap_or_default())
        }
        [letter, b':', separator, rest @ ..]
            if letter.is_ascii_alphabetic() && is_separator(separator) =>
        {
            (Start::Root(drive_root(*letter)), rest)
        }
        [first, rest @ ..] if is_separator(first) => (Start::OwnRoot, rest),
        rest => (Start::OwnDirectory, rest),
    };
    LinkTarget::new(start, rest.split(is_separator), name_from_literal)
}

/// The root and the segments of a path in a tree literal; `None` for half a root.
pub(super) fn split_literal_path(path: &str) -> Option<(Option<String>, &str)> {
    let is_separator = |character: char| matches!(character, '/' | '\\');
    match path.as_bytes() {
        [letter, b':', separator, ..]
            if letter.is_ascii_alphabetic() && is_separator(char::from(*separator)) =>
        {
            Some((Some(drive_root(*letter)), path.get(3..)?))
        }
        [b'/' | b'\\', b'/' | b'\\', ..] => {
            let mut parts = path.get(2..)?.splitn(3, is_separator);
            let root = share_root(parts.next()?, parts.next()?)?;
            Some((Some(root), parts.next().unwrap_or_default()))
        }
        [b'/' | b'\\', ..] => Some((Some(ROOT.to_owned()), path.get(1..)?)),
        _ => Some((None, path)),
    }
}

fn drive_root(letter: u8) -> String {
    format!(r"{}:\", char::from(letter.to_ascii_uppercase()))
}

/// A share's root as `PathUri` spells it, `None` where host or share cannot be one.
fn share_root(host: &str, share: &str) -> Option<String> {
    let uri = PathUri::from_native(&format!(r"\\{host}\{share}"), PathConvention::Windows).ok()?;
    uri.root_name()
}
