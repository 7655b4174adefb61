//! Fallback values: which texts are well-formed, which payloads keep the lexical operations.

use codex_path_uri::{
    FALLBACK_PREFIX,
    PathConvention::{self, Posix, Windows},
    PathRule, PathUri, Repair,
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
fn an_opaque_value_takes_no_part_in_lexical_operations() {
    let opaque = PathUri::from_native(r"\\.\COM1", Windows).unwrap();
    assert_eq!(opaque.join("").unwrap(), opaque);
    assert_eq!(opaque.join_descendant("").unwrap(), opaque);
    for text in ["x", r"C:\x", "..", "."] {
        assert_eq!(
            opaque.join(text).unwrap_err().code(),
            "opaque_base",
            "{text}"
        );
    }
    assert_eq!(opaque.join("\0").unwrap_err().code(), "nul_in_path");
    let code = |base: &PathUri, bytes: &[u8]| base.join_native_bytes(bytes).unwrap_err().code();
    assert_eq!(code(&opaque, b"\0\xFF"), "nul_in_path");
    assert_eq!(code(&opaque, b"\xFF"), "opaque_base");
    assert_eq!(code(&uri("file:///C:/"), b"\0\xFF"), "nul_in_path");
    assert_eq!(code(&uri("file:///C:/"), b"\xFF"), "not_unicode");
    assert_eq!(opaque.overlaps(&opaque), Some(true));
    assert_eq!(opaque.overlaps(&uri("file:///C:/")), None);
    assert_eq!(opaque.names_below(&opaque).unwrap().count(), 0);
    assert!(opaque.names().is_none());
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

/// The native texts of Windows payloads, how they are read leniently, and whether that is a repair.
const AS_CODEX_RS_WRITES: [(&str, &str, bool); 8] = [
    (r"\\?\D:\x", "file:///D:/x", true),
    (r"\\.\d:\a\..\b", "file:///D:/b", true),
    (r"\\?\UNC\Server\share\x", "file://server/share/x", true),
    (r"\\.\COM1", r"\\.\COM1\", true),
    (r"\\.\pipe\x", r"\\.\pipe\x", false),
    // Without a device prefix nothing is guessed.
    (r"c:\x", r"c:\x", false),
    (r"\\s\h\", r"\\s\h\", false),
    (r"\\?\", r"\\?\", false),
];

#[test]
fn a_device_payload_is_read_leniently_as_the_path_it_names() {
    for (payload, named, is_repaired) in AS_CODEX_RS_WRITES {
        let text = format!("{FALLBACK_PREFIX}{}", base64_url_of_units(payload));
        for hint in [None, Some(Windows)] {
            let (path, repairs) = PathUri::parse_lenient(&text, hint).unwrap();
            if named.starts_with("file:") {
                assert_eq!(path.as_str(), named);
            } else {
                assert_eq!(path.inferred_native_path_string(), named);
            }
            let repair = Repair {
                rule: PathRule::NonCanonicalFallback,
                at: FALLBACK_PREFIX.len(),
            };
            assert_eq!(
                repairs,
                Vec::from_iter(is_repaired.then_some(repair)),
                "{payload}"
            );
        }
        assert_eq!(
            uri(&text).as_str(),
            text,
            "strictly it is a value of its own"
        );
        let error = PathUri::parse_lenient(&text, Some(Posix)).unwrap_err();
        assert_eq!(error.code(), "convention_mismatch");
    }
}

#[test]
fn a_posix_payload_with_an_ordinary_spelling_is_not_repaired() {
    let text = format!("{FALLBACK_PREFIX}L2V0Yw"); // /etc
    let (path, repairs) = PathUri::parse_lenient(&text, None).unwrap();
    assert_eq!((path.as_str(), repairs), (&*text, vec![]));
}

#[test]
fn native_names_are_told_of_opaque_values_too() {
    let names = |path: &PathUri| {
        let names = path.native_names()?;
        Some(names.map(|name| name.to_string()).collect::<Vec<_>>())
    };
    let device = PathUri::from_native(r"\\.\pipe\x", Windows).unwrap();
    assert_eq!(names(&device), Some(vec!["x".to_owned()]));
    let plain = uri("file:///C:/a/b%20c");
    assert_eq!(names(&plain), Some(vec!["a".to_owned(), "b c".to_owned()]));
    assert_eq!(names(&uri("file:///%00/bad/path/YQ")), None);
    assert_eq!(names(&PathUri::from_native("/a\0b", Posix).unwrap()), None);
}

fn base64_url_of_units(text: &str) -> String {
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    crate::strategies::base64_url(&bytes)
}
