//! The order of the strict checks, and where lenient repairs say they were made.

use codex_path_uri::{
    PathConvention::{self, Posix, Windows},
    PathUri,
};
use pretty_assertions::assert_eq;

/// Texts that break two rules or more; the first of them is reported.
const FIRST_OF_SEVERAL: [(&str, &str); 24] = [
    (" ", "surrounding_whitespace"),
    (" http:\\", "surrounding_whitespace"),
    ("1file:\t?", "not_a_uri"),
    ("http:\t\\?", "unsupported_scheme"),
    ("file:\t\\?", "raw_control"),
    ("file:\x7F\\?", "raw_control"),
    ("file:\\?#", "raw_backslash"),
    ("file:x#a?b", "fragment_not_allowed"),
    ("file:x?a#b", "query_not_allowed"),
    ("file:/u@h:80/%", "missing_authority"),
    ("file://u@C:80/%", "credentials_not_allowed"),
    ("file://C|/%zz", "drive_in_authority"),
    ("file://.:80/%zz", "port_not_allowed"),
    ("file://[::1]:80/%zz", "port_not_allowed"),
    ("file://[::1/%zz", "invalid_host"),
    ("file://../%zz", "invalid_host"),
    ("file:///%00/bad/path/%zz", "malformed_escape"),
    ("file:////%00%2f", "nul_in_path"),
    ("file:////%2F", "encoded_separator"),
    ("file:////C%3A/../..", "leading_slashes"),
    ("file://server/share/../C:", "escapes_root"),
    ("file:///C:/%5C/%FF", "encoded_separator"),
    ("file:///C:/%5c/../%FF/..", "encoded_separator"),
    ("file://server/share/%5C/..", "encoded_separator"),
];

#[test]
fn the_first_broken_rule_is_reported() {
    for (text, code) in FIRST_OF_SEVERAL {
        assert_eq!(PathUri::parse(text).unwrap_err().code(), code, "{text:?}");
    }
}

#[test]
fn a_hint_is_looked_at_before_what_only_windows_refuses() {
    let parse = |hint| PathUri::parse_with_convention("file:///a/%5C%FF", hint);
    assert_eq!(parse(Windows).unwrap_err().code(), "convention_mismatch");
    assert_eq!(parse(Posix).unwrap().as_str(), "file:///a/%5C%FF");
    let drive = PathUri::parse("file:///C:/%FF").unwrap_err();
    assert_eq!(drive.code(), "not_unicode");
}

#[test]
fn every_spelling_of_a_name_has_one_canonical_text() {
    for name in ["%C3%A9", "%c3%a9", "%C3%a9", "%c3%A9", "é"] {
        assert_eq!(
            PathUri::parse(&format!("file:///{name}")).unwrap().as_str(),
            "file:///%C3%A9"
        );
    }
    for name in ["a%7Cb", "a|b", "%61|%62"] {
        assert_eq!(
            PathUri::parse(&format!("file:///{name}")).unwrap().as_str(),
            "file:///a|b"
        );
    }
}

#[test]
fn text_from_the_root_is_no_descendant_even_of_the_root() {
    for (base, text) in [
        ("file:///", "/x"),
        ("file:///C:/", r"\x"),
        ("file:///C:/", "/x"),
    ] {
        let base = PathUri::parse(base).unwrap();
        assert_eq!(
            base.join_descendant(text).unwrap_err().code(),
            "not_descendant"
        );
    }
}

#[test]
fn dot_segments_stop_where_url_parsers_agree() {
    let cases = [
        ("file:///../a", Ok("file:///a")),
        ("file:///C:/../..", Ok("file:///C:/")),
        ("file:///a/C:/../b", Ok("file:///a/b")),
        ("file:///.//C:/../b", Ok("file:///b")),
        ("file:///a//../b", Ok("file:///a/b")),
        ("file:///a/%2e%2E/b", Ok("file:///b")),
        ("file:///C%7C/../a", Ok("file:///a")),
        ("file:///C%3A/a/..", Ok("file:///C:/")),
        ("file:///C%3A/a/../..", Err("escapes_root")),
        ("file:///%63:/..", Err("escapes_root")),
        ("file:///c|/../a", Err("ambiguous_drive")),
        ("file://server/../share", Ok("file://server/share")),
        ("file://server/share//..", Ok("file://server/share")),
        ("file://server/share/..", Err("escapes_root")),
        ("file://server/.//share/..", Err("escapes_root")),
    ];
    for (text, expected) in cases {
        let parsed = PathUri::parse(text);
        let actual = parsed
            .as_ref()
            .map(PathUri::as_str)
            .map_err(|error| error.code());
        assert_eq!(actual, expected, "{text}");
    }
}

#[test]
fn with_hint_posix_a_name_like_a_drive_is_removed_like_any_other() {
    for text in ["file:///C:/../a", "file:///C%3A/../a"] {
        let uri = PathUri::parse_with_convention(text, Posix).unwrap();
        assert_eq!(uri.as_str(), "file:///a", "{text}");
    }
}

#[test]
fn only_empty_segments_are_no_leading_slashes() {
    assert_eq!(PathUri::parse("file://///").unwrap().as_str(), "file:///");
    for text in ["file:////a", "file:////.", "file://server//share"] {
        assert_eq!(PathUri::parse(text).unwrap_err().code(), "leading_slashes");
    }
}

#[test]
fn a_host_is_followed_by_a_share_that_is_no_drive() {
    for share in ["C:", "c|", "%43|", "C%3A", "C%7C/x"] {
        let error = PathUri::parse(&format!("file://server/{share}")).unwrap_err();
        assert_eq!(error.code(), "authority_with_drive", "{share}");
    }
}

#[test]
fn a_windows_descendant_names_neither_drive_nor_stream() {
    let base = PathUri::parse("file:///C:/base").unwrap();
    for text in ["C:x", "file.txt:stream", "x/y:z"] {
        let error = base.join_descendant(text).unwrap_err();
        assert_eq!(error.code(), "not_descendant", "{text}");
    }
}

#[test]
fn hosts_are_kept_or_refused_but_never_rewritten() {
    let cases = [
        ("WSL$", Some("wsl$")),
        ("a..b", Some("a..b")),
        ("server.", Some("server.")),
        ("xn--bcher-kva", Some("xn--bcher-kva")),
        ("XN--BCHER-KVA", Some("xn--bcher-kva")),
        ("[2001:DB8::1]", Some("[2001:db8::1]")),
        ("192.168.0.1", Some("192.168.0.1")),
        ("[::0]", None),
        ("192.168.0", None),
        ("0x7f000001", None),
        ("1.2.3.4.", None),
        ("xn--a", None),
        ("%73erver", None),
        ("bücher", None),
        ("a b", None),
        (".", None),
        ("..", None),
    ];
    for (host, expected) in cases {
        let uri = PathUri::parse(&format!("file://{host}/share"));
        assert_eq!(
            uri.ok().as_ref().and_then(PathUri::host),
            expected,
            "{host}"
        );
    }
}

type Repaired = (
    &'static str,
    Option<PathConvention>,
    &'static str,
    &'static [(&'static str, usize)],
);

const REPAIRED: [Repaired; 18] = [
    (
        " \tfile:///x",
        None,
        "file:///x",
        &[("surrounding_whitespace", 0)],
    ),
    (
        "file:///x \n",
        None,
        "file:///x",
        &[("surrounding_whitespace", 9)],
    ),
    (
        " file:/a\tb\tc ",
        None,
        "file:///a%09b%09c",
        &[
            ("surrounding_whitespace", 0),
            ("raw_control", 8),
            ("missing_authority", 6),
        ],
    ),
    (
        "file:///é\\b%",
        None,
        "file:///%C3%A9/b%25",
        &[("raw_backslash", 10), ("malformed_escape", 12)],
    ),
    (
        r"file:\\server\share\x",
        None,
        "file://server/share/x",
        &[("raw_backslash", 5)],
    ),
    (
        r"file:///a\..\b",
        Some(Posix),
        "file:///a%5C..%5Cb",
        &[("raw_backslash", 9)],
    ),
    (
        "file://c|/x",
        None,
        "file:///C:/x",
        &[("drive_in_authority", 7)],
    ),
    (
        "file://C:",
        None,
        "file:///C:/",
        &[("drive_in_authority", 7)],
    ),
    (
        "file:c|/x",
        None,
        "file:///C:/x",
        &[("missing_authority", 5), ("ambiguous_drive", 5)],
    ),
    (
        "file://BÜCHER/s",
        None,
        "file://xn--bcher-kva/s",
        &[("invalid_host", 7)],
    ),
    (
        "file://127.1/s",
        None,
        "file://127.0.0.1/s",
        &[("invalid_host", 7)],
    ),
    (
        "file://%6Cocalhost/s",
        None,
        "file:///s",
        &[("invalid_host", 7)],
    ),
    (
        "file://///a//b",
        None,
        "file:///a/b",
        &[("leading_slashes", 8)],
    ),
    (
        "file://server//share/x",
        Some(Windows),
        "file://server/share/x",
        &[("leading_slashes", 14)],
    ),
    (
        "file://localhost//server/share",
        Some(Windows),
        "file://server/share",
        &[("leading_slashes", 17)],
    ),
    (
        "file:////server///share//x",
        Some(Windows),
        "file://server/share/x",
        &[("leading_slashes", 8)],
    ),
    (
        "file:////C:/x",
        Some(Windows),
        "file:///C:/x",
        &[("leading_slashes", 8)],
    ),
    (
        "file:////c|/x",
        Some(Windows),
        "file:///C:/x",
        &[("leading_slashes", 8), ("ambiguous_drive", 9)],
    ),
];

#[test]
fn repairs_say_what_was_wrong_first_and_where_in_the_original() {
    for (text, hint, expected, repairs) in REPAIRED {
        let (uri, made) = PathUri::parse_lenient(text, hint).unwrap();
        let made: Vec<_> = made
            .iter()
            .map(|repair| (repair.rule.code(), repair.at))
            .collect();
        assert_eq!((uri.as_str(), &*made), (expected, repairs), "{text:?}");
    }
}

#[test]
fn what_is_not_repaired_keeps_its_rule() {
    let cases = [
        ("\n", None, "not_a_uri"),
        ("file:\\x?y", None, "query_not_allowed"),
        ("file://u\t@h/s", None, "credentials_not_allowed"),
        ("file://u@h\\s", None, "credentials_not_allowed"),
        ("file://C:/x", Some(Posix), "convention_mismatch"),
        ("file://%2E/s%", None, "invalid_host"),
        ("file://\u{3002}/%00", None, "invalid_host"),
        ("file://h:1/%", None, "port_not_allowed"),
        ("file:////u@h/s", Some(Windows), "invalid_host"),
        ("file:////server", Some(Windows), "missing_share"),
        ("file:////server//", Some(Windows), "missing_share"),
        ("file:////a%00/b", Some(Windows), "nul_in_path"),
        ("file:///%00/bad/path/YQ%", None, "invalid_fallback"),
        ("file:///C%3A\\..", None, "escapes_root"),
    ];
    for (text, hint, code) in cases {
        let error = PathUri::parse_lenient(text, hint).unwrap_err();
        assert_eq!((error.code(), error.path()), (code, text), "{text:?}");
    }
}

#[test]
fn long_text_made_of_dot_segments_is_read_in_one_pass() {
    // Looking at all segments for each `..` would take some 10^9 steps.
    let bars = format!("file:///{}", "c|/../".repeat(20_000));
    let (uri, repairs) = PathUri::parse_lenient(&bars, Some(Posix)).unwrap();
    assert_eq!((uri.as_str(), repairs.len()), ("file:///", 1));
    let ups = "x/../".repeat(20_000);
    let slashes = "/".repeat(50_000);
    for (head, expected) in [("file:///", "file:///a"), ("file://h/", "file://h/a")] {
        let text = format!("{head}.{slashes}a/{ups}");
        assert_eq!(PathUri::parse(&text).unwrap().as_str(), expected);
    }
}
