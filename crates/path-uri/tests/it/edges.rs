//! Edges of parsing where URL parsers disagree with each other, or with the URL standard.

use codex_path_uri::{PathConvention, PathRule, PathUri};
use pretty_assertions::assert_eq;

fn parsed(text: &str, hint: Option<PathConvention>) -> Result<String, PathRule> {
    let parsed = match hint {
        Some(hint) => PathUri::parse_with_convention(text, hint),
        None => PathUri::parse(text),
    };
    match parsed {
        Ok(path) => Ok(path.to_string()),
        Err(error) => Err(error.rule()),
    }
}

#[test]
fn only_the_first_name_is_a_drive_that_two_dots_stop_at() {
    let posix = Some(PathConvention::Posix);
    for (text, hint, expected) in [
        ("file:///a/C:/..", None, Ok("file:///a")),
        ("file:///a/C:/../..", posix, Ok("file:///")),
        ("file:///a/C%3A/..", None, Ok("file:///a")),
        ("file:///C:/C:/..", None, Ok("file:///C:/")),
        ("file:///C:/C:/../..", None, Ok("file:///C:/")),
        ("file://server/share/C:/..", None, Ok("file://server/share")),
        ("file:///./C:/..", None, Ok("file:///C:/")),
        ("file:///C%3A/..", None, Err(PathRule::EscapesRoot)),
        ("file:///C%3A/..", posix, Ok("file:///")),
    ] {
        let expected = expected.map(str::to_owned);
        assert_eq!(parsed(text, hint), expected, "{text} {hint:?}");
    }
}

#[test]
fn a_host_of_punycode_is_kept_if_it_decodes() {
    let good = "file://xn--mnchen-3ya.example/share";
    assert_eq!(parsed(good, None), Ok(good.to_owned()));
    for host in ["xn--a", "a.xn--a", "xn--", "xn--mnchen"] {
        let text = format!("file://{host}/share");
        assert_eq!(parsed(&text, None), Err(PathRule::InvalidHost), "{host}");
    }
}

#[test]
fn separators_after_a_device_prefix_are_skipped() {
    let read = |text: &str| PathUri::from_native(text, PathConvention::Windows).unwrap();
    for (text, plain) in [
        (r"\\?\\\C:\x", r"C:\x"),
        (r"//.//C:/x", r"C:\x"),
        (r"\\?\\UNC\server\share\x", r"\\server\share\x"),
        (r"\\.\\\COM1", r"\\.\COM1\"),
    ] {
        assert_eq!(read(text), read(plain), "{text}");
    }
}
