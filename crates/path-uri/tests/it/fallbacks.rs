//! Fallback values: which texts are well-formed, which payloads keep the lexical operations.

use codex_path_uri::{
    FALLBACK_PREFIX,
    PathConvention::{self, Posix, Windows},
    PathUri,
};
use pretty_assertions::assert_eq;

fn uri(text: &str) -> PathUri {
    PathUri::parse(text).unwrap()
}

#[test]
fn only_one_segment_of_canonical_base64_is_a_payload() {
    for tail in [
        "", "YQ/", "YQ//", "YR", "YQ=", "Y", "YQ%41", "Y Q", "é", "../x",
    ] {
        let error = PathUri::parse(&format!("{FALLBACK_PREFIX}{tail}")).unwrap_err();
        assert_eq!(error.code(), "invalid_fallback", "{tail}");
    }
    let without_payload = PathUri::parse("file:///%00/bad/path").unwrap_err();
    assert_eq!(without_payload.code(), "invalid_fallback");
    let another_name = PathUri::parse("file:///%00/bad/paths/YQ").unwrap_err();
    assert_eq!(another_name.code(), "nul_in_path");
}

/// Payloads as base64, with the convention they show, whether they are lexical, and whether they can
/// be converted.
const PAYLOADS: [(&str, Option<PathConvention>, bool, bool); 13] = [
    ("L0M6", Some(Posix), true, true),            // /C:
    ("L2M6L4A", Some(Posix), true, true),         // /c:/ and byte 80
    ("L0M6LwA", Some(Posix), false, true),        // /C:/ and NUL
    ("L0M6Lw", Some(Posix), false, false),        // /C:/
    ("L0M6Ly4", Some(Posix), false, false),       // /C:/.
    ("L0M6eA", Some(Posix), false, false),        // /C:x
    ("L0N8", Some(Posix), false, false),          // /C|
    ("L2V0Yw", Some(Posix), false, false),        // /etc
    ("L2EA", Some(Posix), false, true),           // /a and NUL
    ("QwA6AFwAAAA", Some(Windows), false, true),  // C:\ and NUL
    ("YwA6AFwAAAA", Some(Windows), false, false), // c:\ and NUL
    ("QwA6AFw", None, false, false),              // an odd number of bytes
    ("QwA", None, false, false),                  // C alone
];

#[test]
fn the_payload_alone_says_what_a_fallback_value_is() {
    for (payload, convention, is_lexical, is_canonical) in PAYLOADS {
        let uri = uri(&format!("{FALLBACK_PREFIX}{payload}"));
        assert_eq!(uri.convention(), convention, "{payload}");
        assert_eq!(uri.is_opaque(), !is_lexical, "{payload}");
        assert_eq!(uri.lexical_depth().is_some(), is_lexical, "{payload}");
        let is_refused = |convention| {
            let refusal = uri.to_native(convention).err();
            refusal.is_some_and(|error| error.code() != "not_unicode")
        };
        assert_eq!(
            convention.is_some_and(|own| !is_refused(own)),
            is_canonical,
            "{payload}"
        );
    }
}

#[test]
fn a_lexical_fallback_is_below_posix_directories_only() {
    let path = PathUri::from_native("/C:/x", Posix).unwrap();
    assert!(path.starts_with(&uri("file:///")));
    assert!(path.starts_with(&PathUri::from_native("/C:", Posix).unwrap()));
    assert!(!path.starts_with(&uri("file:///C:/")));
    assert!(!uri("file:///C:/x").starts_with(&path.parent().unwrap()));
    assert_eq!(path.overlaps(&uri("file:///C:/")), Some(false));
}

#[test]
fn names_of_a_lexical_fallback_need_not_be_unicode() {
    let path = PathUri::from_native("/C:", Posix)
        .unwrap()
        .join_native_bytes(b"\xFF")
        .unwrap();
    assert_eq!(path.basename().as_deref(), Some("%FF"));
    assert_eq!(path.inferred_native_path_string(), "/C:/\u{FFFD}");
    assert_eq!(
        path.relative_path_from(&uri("file:///")).as_deref(),
        Some("C:/\u{FFFD}")
    );
    assert_eq!(path.to_native(Posix).unwrap_err().code(), "not_unicode");
}

#[test]
fn a_sealed_value_takes_no_part_in_lexical_operations() {
    let sealed = PathUri::from_native(r"\\.\COM1", Windows).unwrap();
    assert_eq!(sealed.join("").unwrap(), sealed);
    assert_eq!(sealed.join_descendant("").unwrap(), sealed);
    for text in ["x", r"C:\x", "..", "."] {
        assert_eq!(
            sealed.join(text).unwrap_err().code(),
            "opaque_base",
            "{text}"
        );
    }
    assert_eq!(sealed.join("\0").unwrap_err().code(), "nul_in_path");
    let code = |base: &PathUri, bytes: &[u8]| base.join_native_bytes(bytes).unwrap_err().code();
    assert_eq!(code(&sealed, b"\0\xFF"), "nul_in_path");
    assert_eq!(code(&sealed, b"\xFF"), "opaque_base");
    assert_eq!(code(&uri("file:///C:/"), b"\0\xFF"), "nul_in_path");
    assert_eq!(code(&uri("file:///C:/"), b"\xFF"), "not_unicode");
    assert_eq!(sealed.overlaps(&sealed), Some(true));
    assert_eq!(sealed.overlaps(&uri("file:///C:/")), None);
    assert_eq!(sealed.names_below(&sealed).unwrap().count(), 0);
    assert!(sealed.names().is_none());
}

#[test]
fn a_payload_that_names_no_path_is_refused_before_its_text_is_looked_at() {
    // `/../` and the byte FF: no path is written like this, and no text either.
    let error = uri("file:///%00/bad/path/Ly4uL_8")
        .to_native(Posix)
        .unwrap_err();
    assert_eq!(error.code(), "non_canonical_fallback");
}

#[test]
fn a_windows_payload_without_a_root_is_shown_as_its_uri() {
    // `C:` and `C:x`.
    for text in [
        "file:///%00/bad/path/QwA6AA",
        "file:///%00/bad/path/QwA6AHgA",
    ] {
        assert_eq!(uri(text).inferred_native_path_string(), text);
    }
}
