//! The names of Windows paths that no ordinary URI can spell.
//!
//! A name with half a surrogate pair makes the whole path opaque: its URI holds the native path as
//! UTF-16 code units in base64, and has no lexical operation. A listing must name such an entry
//! all the same, and a walk must sort it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use codex_path_uri::{FALLBACK_PREFIX, FileName, PathConvention, PathUri};

/// The last name of a path, opaque or not; `None` for a root.
pub(super) fn file_name(path: &PathUri) -> Option<FileName> {
    path.file_name()
        .or_else(|| FileName::from_windows_units(components(path)?.last()?).ok())
}

/// The names of a path below `root`; none for a path that is not below it.
pub(super) fn names_below(path: &PathUri, root: &PathUri) -> Vec<FileName> {
    if let Some(names) = path.names_below(root) {
        return names.collect();
    }
    let above = components(root).map_or(0, |root| root.len());
    let below = components(path).into_iter().flatten().skip(above);
    below
        .filter_map(|units| FileName::from_windows_units(&units).ok())
        .collect()
}

/// The parts of a native Windows path, drive or host included.
fn components(path: &PathUri) -> Option<Vec<Vec<u16>>> {
    let units = match path.as_str().strip_prefix(FALLBACK_PREFIX) {
        Some(payload) => {
            let bytes = URL_SAFE_NO_PAD.decode(payload).ok()?;
            let units = bytes
                .chunks_exact(2)
                .filter_map(|pair| pair.try_into().ok());
            units.map(u16::from_le_bytes).collect::<Vec<_>>()
        }
        None => {
            let native = path.to_native(PathConvention::Windows).ok()?;
            native.encode_utf16().collect()
        }
    };
    let parts = units.split(|unit| *unit == u16::from(b'\\'));
    Some(
        parts
            .filter(|part| !part.is_empty())
            .map(<[u16]>::to_vec)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn half_a_surrogate_pair_is_a_name_like_any_other() {
        let root = PathUri::parse("file:///C:/d").unwrap();
        let odd = FileName::from_windows_units(&[0x61, 0xD800]).unwrap();
        let path = root.join_name(&odd).unwrap();
        assert_eq!(path.file_name(), None);
        assert_eq!(file_name(&path), Some(odd.clone()));
        assert_eq!(names_below(&path, &root), [odd]);
    }

    #[test]
    fn an_ordinary_path_keeps_its_names() {
        let root = PathUri::parse("file:///d").unwrap();
        let path = PathUri::parse("file:///d/a/%FF").unwrap();
        let names: Vec<_> = path.names_below(&root).unwrap().collect();
        assert_eq!(names_below(&path, &root), names);
        assert_eq!(file_name(&path).as_ref(), names.last());
    }
}
