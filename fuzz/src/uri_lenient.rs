//! Lenient parsing: a repair is reported, each rule once, and its result needs none.
//!
//! A fallback that is no canonical one may be repaired though the strict parser takes it.

use std::collections::HashSet;

use codex_path_uri::PathConvention::{Posix, Windows};
use codex_path_uri::{PathRule, PathUri};

use crate::path_laws;

/// The bytes are the text of something like a URI.
pub fn uri_lenient(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for hint in [None, Some(Posix), Some(Windows)] {
        let strict = match hint {
            None => PathUri::parse(text),
            Some(hint) => PathUri::parse_with_convention(text, hint),
        };
        let Ok((uri, repairs)) = PathUri::parse_lenient(text, hint) else {
            assert!(strict.is_err());
            continue;
        };
        path_laws::check(&uri);
        let respelled = |it: &codex_path_uri::Repair| it.rule == PathRule::NonCanonicalFallback;
        let needed = !repairs.iter().all(respelled);
        assert_eq!(strict.is_err(), needed, "{repairs:?}");
        assert!(repairs.iter().all(|it| text.is_char_boundary(it.at)));
        let rules: HashSet<_> = repairs.iter().map(|it| it.rule).collect();
        assert_eq!(rules.len(), repairs.len(), "{repairs:?}");
        let again = PathUri::parse_lenient(uri.as_str(), hint);
        assert_eq!(again.ok(), Some((uri, Vec::new())));
    }
}
