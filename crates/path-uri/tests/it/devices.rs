//! Windows roots beyond drives and shares, and which of them are only spelled in an odd way.

use codex_path_uri::{
    PathConvention::{Posix, Windows},
    PathUri,
};
use pretty_assertions::assert_eq;

/// Native texts and the native form of what they name.
const OPAQUE: [(&str, &str); 20] = [
    (r"\\.\COM1", r"\\.\COM1\"),
    (r"\\.\COM1\", r"\\.\COM1\"),
    (r"\\?\\\Volume{1}//a\.\..\b", r"\\?\Volume{1}\b"),
    (r"\\.\pipe\..\..\x", r"\\.\pipe\x"),
    (r"\\.\C:", r"\\.\C:"),
    (r"//?/c:", r"\\?\c:"),
    (r"\\?\C:x\y", r"\\?\C:x\y"),
    (r"\\?\..\x", r"\\?\..\x"),
    (r"\\?\UNC", r"\\?\UNC\"),
    (r"\\?\unc\", r"\\?\unc\"),
    (r"\\?\UNC\server\", r"\\?\UNC\server"),
    (r"\\?\UNC\.\share", r"\\?\UNC\.\share"),
    (r"\\?\UNC\\server\share", r"\\?\UNC\\server\share"),
    (r"\\.\UNC\?/a/../b", r"\\.\UNC\?\a\..\b"),
    (r"\\LOCALHOST\share", r"\\LOCALHOST\share\"),
    (r"\\127.1\share\a\..\b", r"\\127.1\share\b"),
    (r"\\server\C:\x", r"\\server\C:\x"),
    (r"\\server\c|", r"\\server\c|\"),
    ("c:\\a\\..\\nul\0x", "C:\\nul\0x"),
    ("\\\\SERVER\\share\\nul\0x", "\\\\server\\share\\nul\0x"),
];

#[test]
fn opaque_paths_are_normalised_and_kept() {
    for (native, normal) in OPAQUE {
        let uri = PathUri::from_native(native, Windows).unwrap();
        assert_eq!(uri.to_native(Windows).unwrap(), normal, "{native:?}");
        assert!(uri.is_opaque(), "{uri}");
        assert_eq!(uri.convention(), Some(Windows));
        assert_eq!(PathUri::from_native(normal, Windows).unwrap(), uri);
    }
}

#[test]
fn an_ordinary_path_is_ordinary_under_every_prefix() {
    let cases = [
        (r"\\?\C:\x\..\y", "file:///C:/y"),
        (r"\\.\\\d:/", "file:///D:/"),
        (r"//?/UNC/Server/Share/x", "file://server/Share/x"),
        (r"\\.\unc\server\share\\x\", "file://server/share/x"),
        (r"\\?\UNC\wsl$\Ubuntu", "file://wsl$/Ubuntu"),
    ];
    for (native, text) in cases {
        assert_eq!(
            PathUri::from_native(native, Windows).unwrap().as_str(),
            text,
            "{native}"
        );
    }
}

#[test]
fn what_names_no_path_is_not_absolute() {
    for native in [
        "",
        "x",
        "C:",
        "C:x",
        r"\x",
        r"\\",
        r"\\server",
        r"\\server\\share",
        r"\\\s\h",
        r"\\.\",
        r"\\?\\",
        r"\\?",
    ] {
        let error = PathUri::from_native(native, Windows).unwrap_err();
        assert_eq!((error.code(), error.path()), ("not_absolute", native));
    }
}

#[test]
fn a_dot_segment_takes_an_unrepresentable_name_away_again() {
    let windows = PathUri::from_native("C:\\nul\0\\..\\x", Windows).unwrap();
    assert_eq!(windows.as_str(), "file:///C:/x");
    let posix = PathUri::from_native("/C:/../nul\0/../x", Posix).unwrap();
    assert_eq!(posix.as_str(), "file:///x");
}
