//! What holds for every path, wherever it comes from.

use codex_path_uri::PathConvention::{Posix, Windows};
use codex_path_uri::PathUri;
use url::Url;

/// Checks the laws of one value: its text, its native spelling, its place among its ancestors.
pub(crate) fn check(uri: &PathUri) {
    text_is_canonical(uri);
    native_text_leads_back(uri);
    ancestors_contain(uri);
}

fn text_is_canonical(uri: &PathUri) {
    let again = PathUri::parse(uri.as_str()).expect("canonical text is accepted");
    assert_eq!(&again, uri);
    assert_eq!(again.convention(), uri.convention());
    assert_eq!(again.is_opaque(), uri.is_opaque());
    let url = Url::try_from(uri).expect("canonical text is a URL");
    assert_eq!(url.as_str(), uri.as_str());
    assert_eq!(PathUri::try_from(url).ok().as_ref(), Some(uri));
}

fn native_text_leads_back(uri: &PathUri) {
    for convention in [Posix, Windows] {
        if let Ok(native) = uri.to_native(convention) {
            assert_eq!(uri.convention(), Some(convention));
            assert_eq!(native, uri.inferred_native_path_string());
            let again = PathUri::from_native(&native, convention);
            assert_eq!(again.ok().as_ref(), Some(uri), "from {native:?}");
        }
    }
}

fn ancestors_contain(uri: &PathUri) {
    let line: Vec<PathUri> = uri.ancestors().collect();
    assert_eq!(line.len(), uri.lexical_depth().unwrap_or(0) + 1);
    for pair in line.windows(2) {
        if let [lower, upper] = pair {
            assert_eq!(lower.parent().as_ref(), Some(upper));
            assert!(lower.starts_with(upper) && !upper.starts_with(lower));
        }
    }
    let root = line.last().expect("a path is its own first ancestor");
    assert_eq!(root.parent(), None);
    assert!(uri.starts_with(root));
    if let Some(names) = uri.names_below(root) {
        let mut rebuilt = root.clone();
        for name in names {
            rebuilt = rebuilt
                .join_name(&name)
                .expect("a name joins to its parent");
        }
        assert_eq!(&rebuilt, uri);
    }
    match (uri.parent(), uri.file_name()) {
        (Some(parent), Some(name)) => {
            assert_eq!(parent.join_name(&name).ok().as_ref(), Some(uri));
        }
        (parent, name) => assert_eq!((parent, name), (None, None)),
    }
}
