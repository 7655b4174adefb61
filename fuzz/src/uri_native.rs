//! Native paths of both conventions: absolute text, and text that is joined to it.

use codex_path_uri::PathConvention::{self, Posix, Windows};
use codex_path_uri::{FileName, PathUri};

use crate::{path_laws, two_texts};

/// The bytes are the text of an absolute path, then, behind a line of `=====`, of a path to join.
pub fn uri_native(data: &[u8]) {
    let (base, argument) = two_texts(data);
    let (Ok(base), Ok(argument)) = (
        std::str::from_utf8(base),
        std::str::from_utf8(argument.unwrap_or_default()),
    ) else {
        return;
    };
    for convention in [Posix, Windows] {
        let Ok(uri) = PathUri::from_native(base, convention) else {
            continue;
        };
        assert_eq!(uri.convention(), Some(convention));
        path_laws::check(&uri);
        let native = uri.to_native(convention).expect("a native path has one");
        let again = PathUri::from_native(&native, convention);
        assert_eq!(again.ok().as_ref(), Some(&uri));
        check_join(&uri, argument);
        check_name(&uri, argument, convention);
    }
}

fn check_join(base: &PathUri, argument: &str) {
    let joined = base.join(argument);
    let from_bytes = base.join_native_bytes(argument.as_bytes());
    let shown = |error: codex_path_uri::PathUriError| error.to_string();
    assert_eq!(
        from_bytes.map_err(shown),
        base.join(argument).map_err(shown)
    );
    let descendant = base.join_descendant(argument);
    if let Ok(joined) = &joined {
        path_laws::check(joined);
        assert_eq!(joined.convention(), base.convention());
    }
    match (descendant, joined) {
        (Ok(below), joined) => {
            assert!(below.starts_with(base), "{below} is not below {base}");
            assert_eq!(Some(below), joined.ok());
        }
        (Err(refused), Ok(_)) => assert_eq!(refused.code(), "not_descendant"),
        (Err(refused), Err(error)) => assert_eq!(refused.code(), error.code()),
    }
}

fn check_name(base: &PathUri, text: &str, convention: PathConvention) {
    let Ok(name) = FileName::new(text, convention) else {
        return;
    };
    assert_eq!(name.as_str(), Some(text));
    match base.join_name(&name) {
        Ok(path) => {
            assert_eq!(path.file_name(), Some(name));
            assert_eq!(path.parent().as_ref(), Some(base));
        }
        Err(_) => assert!(base.is_opaque()),
    }
}
