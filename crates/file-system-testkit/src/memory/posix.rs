//! What is particular to the POSIX flavor: one root, names of any bytes, spelling is identity.

use codex_path_uri::{FileName, PathConvention, PathUri};

use crate::memory::location::Location;
use crate::memory::node::NameKey;
use crate::memory::target::{LinkTarget, Start};

/// Longest name, in bytes, as on Linux, macOS and the BSDs.
const MAX_NAME_BYTES: usize = 255;

/// The one root, as native text.
pub(super) const ROOT: &str = "/";

/// The location of `uri`, `None` for a path this machine cannot name.
pub(super) fn locate(uri: &PathUri) -> Option<Location> {
    if uri.convention() != Some(PathConvention::Posix) {
        return None;
    }
    Some(Location {
        root: ROOT.to_owned(),
        names: uri.names()?.collect(),
    })
}

/// Whether a name is not too long.
pub(super) fn allows(name: &FileName) -> bool {
    let bytes = name.as_posix_bytes().unwrap_or_default();
    bytes.len() <= MAX_NAME_BYTES
}

/// A name as a tree literal spells it.
pub(super) fn name_from_literal(bytes: &[u8]) -> Option<FileName> {
    let name = FileName::from_posix_bytes(bytes.to_vec()).ok();
    name.filter(allows)
}

/// Two names are the same file exactly when their bytes are the same.
pub(super) fn key(name: &FileName) -> NameKey {
    NameKey(name.as_posix_bytes().unwrap_or_default().to_vec())
}

/// Takes a link target apart; `None` if it is empty or holds NUL.
pub(super) fn parse_target(bytes: &[u8]) -> Option<LinkTarget> {
    let (start, rest) = match bytes {
        [] => return None,
        [b'/', rest @ ..] => (Start::OwnRoot, rest),
        rest => (Start::OwnDirectory, rest),
    };
    LinkTarget::new(start, rest.split(|&byte| byte == b'/'), |name| {
        FileName::from_posix_bytes(name.to_vec()).ok()
    })
}

/// The root and the segments of a path in a tree literal.
pub(super) fn split_literal_path(path: &str) -> (Option<String>, &str) {
    match path.strip_prefix('/') {
        Some(below) => (Some(ROOT.to_owned()), below),
        None => (None, path),
    }
}
