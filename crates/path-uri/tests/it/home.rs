//! What `~` stands for, and what an absolute path of this host is made of.

use std::{
    io,
    path::{Path, PathBuf},
};

use codex_path_uri::{
    AbsolutePathBuf,
    PathConvention::{Posix, Windows},
};
use pretty_assertions::assert_eq;

#[test]
fn a_tilde_is_a_home_alone_and_before_a_separator_of_the_convention() {
    let cases = [
        (Posix, "~", Some("")),
        (Posix, "~/", Some("/")),
        (Posix, "~//x", Some("//x")),
        (Posix, r"~\x", None),
        (Windows, r"~\x", Some(r"\x")),
        (Windows, "~/x", Some("/x")),
        (Windows, "~x", None),
        (Posix, "~~", None),
        (Posix, " ~", None),
        (Posix, "/~", None),
        (Posix, "", None),
    ];
    for (convention, text, expected) in cases {
        assert_eq!(convention.home_relative_suffix(text), expected, "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_path_is_resolved_against_the_base_unless_it_is_absolute_or_in_the_home() {
    let path = |text: &str| AbsolutePathBuf::try_from(text).unwrap();
    let (base, home) = (path("/b/c"), path("/home/u"));
    let cases = [
        ("", "/b/c", "/b/c"),
        (".", "/b/c", "/b/c"),
        ("x//y/", "/b/c/x/y", "/b/c/x/y"),
        ("../../../x", "/x", "/x"),
        ("/x/./y/../", "/x", "/x"),
        ("//x", "/x", "/x"),
        ("~", "/home/u", "/b/c/~"),
        ("~/", "/home/u", "/b/c/~"),
        ("~//x/../y", "/home/u/y", "/b/c/~/y"),
        ("~/../..", "/", "/b"),
        ("~name", "/b/c/~name", "/b/c/~name"),
        ("~~", "/b/c/~~", "/b/c/~~"),
        (r"~\x", r"/b/c/~\x", r"/b/c/~\x"),
        ("x/~", "/b/c/x/~", "/b/c/x/~"),
    ];
    for (text, with_home, without) in cases {
        let resolved = AbsolutePathBuf::resolve_with_home(text, &base, &home).unwrap();
        assert_eq!(resolved, path(with_home), "{text:?} with a home");
        let resolved = AbsolutePathBuf::resolve_path_against_base(text, &base).unwrap();
        assert_eq!(resolved, path(without), "{text:?}");
        assert_eq!(base.join(text).unwrap(), resolved, "{text:?}");
    }
}

#[test]
fn every_way_in_refuses_a_relative_path_and_shows_it() {
    for text in ["w/x", "", "~", "~/x", "."] {
        let refusals = [
            AbsolutePathBuf::from_absolute_path_checked(text),
            AbsolutePathBuf::try_from(text),
            AbsolutePathBuf::try_from(text.to_owned()),
            AbsolutePathBuf::try_from(Path::new(text)),
            AbsolutePathBuf::try_from(PathBuf::from(text)),
        ];
        let expected = format!("path is not absolute: {text}");
        for refusal in refusals {
            let error = refusal.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert_eq!(error.to_string(), expected);
        }
        let in_json = serde_json::Value::from(text);
        let error = serde_json::from_value::<AbsolutePathBuf>(in_json).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_unicode_has_no_json() {
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"/w/\xFF");
    let path = AbsolutePathBuf::from_absolute_path_checked(name).unwrap();
    assert!(serde_json::to_string(&path).is_err());
    let path = AbsolutePathBuf::try_from("/w/./x/").unwrap();
    assert_eq!(serde_json::to_string(&path).unwrap(), r#""/w/x""#);
}
