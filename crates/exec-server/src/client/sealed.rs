//! The names of paths that no ordinary URI can spell.
//!
//! A Windows name with half a surrogate pair makes the whole path opaque: it has no lexical
//! operation. A listing must name such an entry all the same, and a walk must sort it.

use codex_path_uri::{FileName, PathUri};

/// The last name of a path, opaque or not; `None` for a root.
pub(super) fn file_name(path: &PathUri) -> Option<FileName> {
    path.native_names()?.next_back()
}

/// The names of a path below `root`; none for a path that is not below it.
pub(super) fn names_below(path: &PathUri, root: &PathUri) -> Vec<FileName> {
    if let Some(names) = path.names_below(root) {
        return names.collect();
    }
    let above = root.native_names().map_or(0, Iterator::count);
    path.native_names()
        .into_iter()
        .flatten()
        .skip(above)
        .collect()
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
