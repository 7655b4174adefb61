//! The laws that hold between the operations, for generated paths of both conventions.

use std::{
    cmp::Ordering,
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
};

use codex_path_uri::{
    FALLBACK_PREFIX, FileName,
    PathConvention::{self, Posix, Windows},
    PathUri, PathUriError,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use url::Url;

use crate::strategies::{
    convention, join_text, joined, lexical_uri, name, odd_native, related, root_and_names,
    segmented_text, uri, uri_text,
};

fn is_fallback(uri: &PathUri) -> bool {
    uri.as_str().starts_with(FALLBACK_PREFIX)
}

fn hash(uri: &PathUri) -> u64 {
    let mut hasher = DefaultHasher::new();
    uri.hash(&mut hasher);
    hasher.finish()
}

proptest! {
    #[test]
    fn canonical_text_parses_to_the_same_value(uri in uri()) {
        let parsed = PathUri::parse(uri.as_str()).unwrap();
        prop_assert_eq!(&parsed, &uri);
        prop_assert_eq!(parsed.convention(), uri.convention());
        prop_assert_eq!(parsed.is_opaque(), uri.is_opaque());
        if let Some(convention) = uri.convention() {
            let hinted = PathUri::parse_with_convention(uri.as_str(), convention);
            prop_assert_eq!(&hinted.unwrap(), &uri);
            let other = if convention == Posix { Windows } else { Posix };
            let as_other = PathUri::parse_with_convention(uri.as_str(), other);
            prop_assert!(as_other.is_err() || as_other.unwrap().convention() == Some(other));
        }
    }

    #[test]
    fn the_url_standard_leaves_canonical_text_alone(uri in uri()) {
        let url = Url::try_from(&uri).unwrap();
        prop_assert_eq!(url.as_str(), uri.as_str());
        prop_assert_eq!(PathUri::try_from(url).unwrap(), uri);
    }

    #[test]
    fn native_text_leads_back_to_the_value(uri in uri()) {
        for convention in [Posix, Windows] {
            if let Ok(native) = uri.to_native(convention) {
                prop_assert_eq!(uri.convention(), Some(convention));
                prop_assert_eq!(&PathUri::from_native(&native, convention).unwrap(), &uri);
                prop_assert_eq!(native, uri.inferred_native_path_string());
            }
        }
    }

    #[test]
    fn reading_native_text_twice_changes_nothing((native, convention) in odd_native()) {
        if let Ok(uri) = PathUri::from_native(&native, convention) {
            let again = uri.to_native(convention).unwrap();
            prop_assert_eq!(PathUri::from_native(&again, convention).unwrap(), uri);
        }
    }

    #[test]
    fn constructors_agree((root, names) in root_and_names()) {
        let by_name = joined(root.clone(), &names);
        let convention = root.convention().unwrap();
        let separator = if convention == Posix { "/" } else { "\\" };
        let texts: Option<Vec<&str>> = names.iter().map(FileName::as_str).collect();
        if let Some(texts) = texts {
            let mut native = root.to_native(convention).unwrap();
            for text in &texts {
                if !native.ends_with(separator) {
                    native.push_str(separator);
                }
                native.push_str(text);
            }
            prop_assert_eq!(&PathUri::from_native(&native, convention).unwrap(), &by_name);
            let at_once = root.join(&format!(".{separator}{}", texts.join(separator))).unwrap();
            prop_assert_eq!(&at_once, &by_name);
        }
        prop_assert_eq!(by_name.names().unwrap().collect::<Vec<_>>(), names.clone());
        prop_assert_eq!(by_name.lexical_depth(), Some(names.len()));
        let mut backwards: Vec<_> = by_name.names().unwrap().rev().collect();
        backwards.reverse();
        prop_assert_eq!(backwards, names);
    }

    #[cfg(unix)]
    #[test]
    fn every_path_of_the_host_survives(
        tail in vec(prop_oneof![select(&b"/./..aC:|"[..]), any::<u8>()], 0..16),
    ) {
        let native: std::ffi::OsString =
            std::os::unix::ffi::OsStringExt::from_vec([b"/", &*tail].concat());
        let path = codex_path_uri::AbsolutePathBuf::from_absolute_path_checked(&native).unwrap();
        let uri = PathUri::from_abs_path(&path);
        prop_assert_eq!(&uri.to_abs_path().unwrap(), &path);
        prop_assert_eq!(&PathUri::from_host_native_path(&native).unwrap(), &uri);
        if let Some(names) = uri.names() {
            let root = PathUri::parse("file:///").unwrap();
            prop_assert_eq!(joined(root, &names.collect::<Vec<_>>()), uri);
        }
    }

    #[test]
    fn equality_order_and_hash_agree_with_the_text((a, b) in related()) {
        prop_assert_eq!(a == b, a.as_str() == b.as_str());
        prop_assert_eq!(a == b, a.cmp(&b) == Ordering::Equal);
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        if a == b {
            prop_assert_eq!(hash(&a), hash(&b));
        }
    }

    #[test]
    fn parents_sort_before_children((a, b) in related()) {
        if a != b && a.starts_with(&b) && !is_fallback(&a) {
            prop_assert!(b < a);
        }
    }

    #[test]
    fn ordinary_descendants_are_contiguous(
        mut uris in vec(lexical_uri(), 3..24),
        base in lexical_uri(),
    ) {
        let name = FileName::new("m", base.convention().unwrap()).unwrap();
        let child = base.join_name(&name).unwrap();
        uris.extend([child, base.clone()]);
        uris.sort();
        uris.retain(|uri| !is_fallback(uri));
        if base.as_str() != "file:///" && !is_fallback(&base) {
            let below: Vec<bool> = uris.iter().map(|uri| uri.starts_with(&base)).collect();
            let runs = below.chunk_by(|one, next| one == next).filter(|run| run[0]).count();
            prop_assert_eq!(runs, 1);
        }
    }

    #[test]
    fn containment_is_being_an_ancestor((a, b) in related()) {
        let contains = a.starts_with(&b);
        prop_assert_eq!(contains, a.ancestors().any(|ancestor| ancestor == b));
        prop_assert_eq!(contains, a.relative_path_from(&b).is_some());
        prop_assert_eq!(contains && b.starts_with(&a), a == b);
        match a.names_below(&b) {
            Some(names) => {
                prop_assert!(contains);
                prop_assert_eq!(joined(b, &names.collect::<Vec<_>>()), a);
            }
            None => prop_assert!(!contains),
        }
    }

    #[test]
    fn containment_is_transitive(uri in uri()) {
        let line: Vec<PathUri> = uri.ancestors().collect();
        for (index, lower) in line.iter().enumerate() {
            prop_assert!(line[index..].iter().all(|upper| lower.starts_with(upper)));
        }
    }

    #[test]
    fn parent_and_file_name_take_apart_what_join_name_puts_together(uri in uri()) {
        match (uri.parent(), uri.file_name()) {
            (Some(parent), Some(name)) => prop_assert_eq!(parent.join_name(&name).unwrap(), uri),
            (None, None) => prop_assert!(uri.is_opaque() || uri.lexical_depth() == Some(0)),
            (parent, name) => prop_assert!(false, "parent {parent:?} but name {name:?}"),
        }
    }

    #[test]
    fn a_joined_name_is_the_file_name(
        (base, name) in uri().prop_flat_map(|base| {
            let names = name(base.convention().unwrap_or(Posix));
            (Just(base), names)
        })
    ) {
        match base.join_name(&name) {
            Ok(path) if path.is_opaque() => prop_assert_eq!(name.as_str(), None),
            Ok(path) => {
                prop_assert_eq!(path.file_name(), Some(name));
                prop_assert_eq!(path.parent(), Some(base));
            }
            Err(error) => {
                prop_assert!(base.is_opaque());
                prop_assert_eq!(error.code(), "opaque_base");
            }
        }
    }

    #[test]
    fn ancestors_are_as_many_as_the_depth_says(uri in uri()) {
        let line: Vec<PathUri> = uri.ancestors().collect();
        prop_assert_eq!(line.len(), uri.lexical_depth().unwrap_or(0) + 1);
        prop_assert_eq!(line.last().unwrap().parent(), None);
        for pair in line.windows(2) {
            prop_assert_eq!(pair[0].parent(), Some(pair[1].clone()));
            if !is_fallback(&pair[0]) {
                prop_assert!(pair[0].as_str().starts_with(pair[1].as_str()));
                prop_assert!(pair[0].as_str().len() > pair[1].as_str().len());
            }
        }
    }

    #[test]
    fn join_keeps_the_convention(base in uri(), text in join_text()) {
        if let Ok(path) = base.join(&text) {
            prop_assert_eq!(path.convention(), base.convention());
        }
        match (base.join_descendant(&text), base.join(&text)) {
            (Ok(below), joined) => {
                prop_assert!(below.starts_with(&base));
                prop_assert_eq!(below, joined.unwrap());
            }
            (Err(below), Err(joined)) => prop_assert_eq!(below.code(), joined.code()),
            (Err(below), Ok(_)) => prop_assert_eq!(below.code(), "not_descendant"),
        }
        let shown = |joined: Result<PathUri, PathUriError>| joined.map_err(|error| error.to_string());
        let from_bytes = base.join_native_bytes(text.as_bytes());
        prop_assert_eq!(shown(from_bytes), shown(base.join(&text)));
    }

    #[test]
    fn strict_success_is_lenient_success_without_repairs(
        text in uri_text(),
        hint in option::of(convention()),
    ) {
        let strict = match hint {
            Some(hint) => PathUri::parse_with_convention(&text, hint),
            None => PathUri::parse(&text),
        };
        match (strict, PathUri::parse_lenient(&text, hint)) {
            (Ok(strict), lenient) => prop_assert_eq!(lenient.unwrap(), (strict, vec![])),
            (Err(_), Ok((repaired, repairs))) => {
                prop_assert_eq!(&PathUri::parse(repaired.as_str()).unwrap(), &repaired);
                prop_assert!(!repairs.is_empty());
                prop_assert!(repairs.iter().all(|repair| text.is_char_boundary(repair.at)));
                let mut rules: Vec<_> = repairs.iter().map(|repair| repair.rule).collect();
                rules.dedup();
                prop_assert_eq!(rules.len(), repairs.len());
            }
            (Err(_), Err(_)) => {}
        }
    }

    #[test]
    fn three_parsers_agree_on_canonical_posix_text(names in vec(oracle_name(), 1..6)) {
        let text = format!("file:///{}", names.join("/"));
        let looks_like_a_drive = matches!(
            names[0].as_bytes(),
            [letter, b':' | b'|'] if letter.is_ascii_alphabetic()
        );
        prop_assume!(!looks_like_a_drive);
        prop_assert_eq!(PathUri::parse(&text).unwrap().to_string(), text.clone());
        prop_assert_eq!(Url::parse(&text).unwrap().to_string(), text);
    }

    #[test]
    fn whatever_is_accepted_means_the_same_to_the_url_standard(text in segmented_text()) {
        if let Ok(uri) = PathUri::parse(&text) {
            let url = Url::parse(&text).unwrap();
            prop_assert_eq!(PathUri::try_from(&url).map_err(|e| e.to_string()), Ok(uri), "{}", url);
        }
    }

    #[test]
    fn no_input_panics(
        text in uri_text(),
        native in join_text(),
        bytes in vec(any::<u8>(), 0..16),
        base in uri(),
    ) {
        let _ = PathUri::parse(&text);
        for convention in [Posix, Windows] {
            let _ = PathUri::parse_with_convention(&text, convention);
            let _ = PathUri::parse_lenient(&text, Some(convention));
            let _ = PathUri::from_native(&native, convention);
            let _ = PathUri::from_native(&text, convention);
            let _ = FileName::new(&native, convention);
            let _ = PathConvention::infer_absolute(&native);
        }
        let _ = PathUri::parse_lenient(&text, None);
        let _ = base.join(&native);
        let _ = base.join_native_bytes(&bytes);
        let _ = base.inferred_native_path_string();
        let _ = (base.basename(), base.root_name(), base.encoded_path(), base.host());
    }
}

/// A name in canonical spelling: bytes that stand for themselves and escapes of bytes that never
/// do.
fn oracle_name() -> impl Strategy<Value = String> {
    let plain: Vec<String> = "ABCxyz019!$&'()*+,-.:;=@[]^_|~"
        .chars()
        .map(String::from)
        .collect();
    let escaped: Vec<String> = (0x01..=0x20_u8)
        .chain(0x7F..=0xFF)
        .chain(*b"\"#%<>?\\{}`")
        .map(|byte| format!("%{byte:02X}"))
        .collect();
    vec(prop_oneof![select(plain), select(escaped)], 1..6)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("not a dot segment", |name| {
            !matches!(name.as_str(), "." | "..")
        })
}
