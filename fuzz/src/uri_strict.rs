//! Strict parsing: what is accepted is one value in one spelling, and needs no repair.

use codex_path_uri::PathConvention::{Posix, Windows};
use codex_path_uri::PathUri;
use url::Url;

use crate::path_laws;

/// The bytes are the text of a URI.
pub fn uri_strict(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for hint in [None, Some(Posix), Some(Windows)] {
        let strict = match hint {
            None => PathUri::parse(text),
            Some(hint) => PathUri::parse_with_convention(text, hint),
        };
        let Ok(uri) = strict else {
            continue;
        };
        path_laws::check(&uri);
        let lenient = PathUri::parse_lenient(text, hint).expect("strict success is lenient");
        let codes: Vec<_> = lenient.1.iter().map(|it| it.rule.code()).collect();
        match &*codes {
            [] => assert_eq!(lenient.0, uri),
            codes => assert_eq!(codes, ["non_canonical_fallback"]),
        }
        if let Some(hint) = hint {
            assert_eq!(uri.convention().unwrap_or(hint), hint);
        } else if !the_oracle_errs(text) {
            let url = Url::parse(text).expect("what is accepted is a URL");
            assert_eq!(PathUri::try_from(&url).ok(), Some(uri), "{url}");
        }
    }
}

/// The URL standard keeps a drive from `..` where it is the whole path; the oracle keeps whatever
/// looks like one from the `..` behind it, wherever it stands.
fn the_oracle_errs(text: &str) -> bool {
    let segments = text.split(['/', '\\']).skip(4);
    segments.into_iter().any(|segment| {
        let mut characters = segment.chars().filter(|it| !it.is_ascii_control());
        let letter = characters.next().is_some_and(|it| it.is_ascii_alphabetic());
        letter && matches!(characters.next(), Some(':' | '|')) && characters.next().is_none()
    })
}
