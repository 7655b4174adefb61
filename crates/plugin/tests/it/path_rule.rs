//! The path rule, row by row, below POSIX and Windows roots.

use codex_plugin::parse_plugin_manifest;
use pretty_assertions::assert_eq;

use crate::support::{codes, uri};

/// The resource that a path gives below a root, relative to it, and the code that is reported.
fn judge(root: &str, path: &str) -> (Option<String>, Option<&'static str>) {
    let root = uri(root);
    let text = serde_json::json!({"apps": path}).to_string();
    let (manifest, diagnostics) = parse_plugin_manifest(&root, &text).expect(path);
    let resource = manifest.apps().map(|path| {
        assert!(
            path.starts_with(&root) && *path != root,
            "{path} is below {root}"
        );
        path.as_str()
            .trim_start_matches(root.as_str())
            .trim_start_matches('/')
            .to_owned()
    });
    let codes = codes(&diagnostics);
    let code = codes
        .into_iter()
        .find(|(code, _)| code.starts_with("path_"))
        .map(|(code, _)| code);
    (resource, code)
}

const POSIX: &str = "file:///plugins/demo";
const WINDOWS: &str = "file:///C:/plugins/demo";

fn dropped(root: &str, code: &'static str, paths: &[&str]) {
    for path in paths {
        assert_eq!(
            judge(root, path),
            (None, Some(code)),
            "{path:?} below {root}"
        );
    }
}

fn kept(root: &str, rows: &[(&str, &str)]) {
    for (path, below) in rows {
        assert_eq!(
            judge(root, path),
            (Some((*below).to_owned()), None),
            "{path:?} below {root}"
        );
    }
}

#[test]
fn paths_are_dropped_alike_below_every_root() {
    for root in [
        POSIX,
        WINDOWS,
        "file://server/share/demo",
        "file:///",
        "file:///C:/",
    ] {
        dropped(root, "path_empty", &[""]);
        let control = [
            "\t", "./a\tb", "./.\r./x", "a\n", "./\u{0}", "./\u{7f}", "./\u{85}",
        ];
        dropped(root, "path_control_character", &control);
        let prefix = [
            "alt",
            ".",
            "..",
            "../alt",
            "/etc",
            "~/alt",
            ".\\assets",
            "file:///etc",
            "${CLAUDE_PLUGIN_ROOT}/alt",
            " ./alt",
            "\u{feff}./alt",
        ];
        dropped(root, "path_prefix", &prefix);
        dropped(
            root,
            "path_rooted",
            &[".//alt", ".//server/share", ".//", ".//.."],
        );
        let parent = [
            "./..",
            "./x/../alt",
            "./x/..",
            "./../../etc/passwd",
            "./a/b/../..",
        ];
        dropped(root, "path_parent_component", &parent);
        dropped(root, "path_is_root", &["./", "./.", "././", "././/."]);
    }
}

#[test]
fn separators_at_the_end_doubled_ones_and_dots_carry_no_meaning() {
    for root in [POSIX, WINDOWS] {
        kept(
            root,
            &[
                ("./alt", "alt"),
                ("./alt/", "alt"),
                ("./x//t", "x/t"),
                ("./x/./t", "x/t"),
            ],
        );
    }
}

#[test]
fn text_is_literal() {
    for root in [POSIX, WINDOWS] {
        kept(
            root,
            &[
                ("./%2e%2e/x", "%252e%252e/x"),
                ("./a%2Fb.png", "a%252Fb.png"),
                ("./a#b?c", "a%23b%3Fc"),
                ("./100%_complete", "100%25_complete"),
                ("./${HOME}/~", "$%7BHOME%7D/~"),
                ("./Ä/ä", "%C3%84/%C3%A4"),
                ("./ a", "%20a"),
            ],
        );
    }
}

#[test]
fn a_backslash_is_a_letter_on_posix_and_a_separator_on_windows() {
    kept(
        POSIX,
        &[
            ("./a\\b", "a%5Cb"),
            ("./a\\..\\alt", "a%5C..%5Calt"),
            ("./\\x", "%5Cx"),
        ],
    );
    kept(WINDOWS, &[("./a\\b", "a/b"), ("./a\\.\\b\\", "a/b")]);
    dropped(WINDOWS, "path_rooted", &["./\\x", "./\\\\server\\share"]);
    dropped(
        WINDOWS,
        "path_parent_component",
        &["./a\\..\\alt", "./..\\x"],
    );
}

#[test]
fn windows_parents_in_disguise_are_dropped_below_windows_roots_only() {
    let disguised = ["./...", "./.. ", "./ .", "./a/.. /b", "./  ", "./. ./x"];
    dropped(WINDOWS, "path_parent_component", &disguised);
    kept(
        POSIX,
        &[("./...", "..."), ("./.. ", "..%20"), ("./  ", "%20%20")],
    );
}

#[test]
fn drives_and_streams_are_dropped_below_windows_roots_only() {
    let paths = ["./D:/x", "./D:x", "./app.json:x", "./a/b:$DATA", "./:"];
    dropped(WINDOWS, "path_drive_or_stream", &paths);
    kept(POSIX, &[("./D:/x", "D:/x"), ("./app.json:x", "app.json:x")]);
}

#[test]
fn the_first_row_that_applies_decides() {
    dropped(WINDOWS, "path_parent_component", &["./D:/..", "./nul/.."]);
    dropped(WINDOWS, "path_rooted", &["./\\..\\D:"]);
    dropped(POSIX, "path_control_character", &["\u{1}", "/\u{1}"]);
    dropped(WINDOWS, "path_drive_or_stream", &["./con/a:b"]);
}

#[test]
fn names_that_windows_reads_otherwise_are_kept_and_reported() {
    let names = [
        "CON",
        "con",
        "nul.txt",
        "AUX .x",
        "prn",
        "COM1",
        "com9.log",
        "LPT1",
        "COM¹",
        "CONIN$",
        "conout$.x",
        "a.",
        "a ",
        " ",
        "x/con/y",
        "a.txt.",
    ];
    for name in names {
        let (resource, code) = judge(WINDOWS, &format!("./{name}"));
        assert!(resource.is_some(), "{name:?}");
        assert_eq!(code, Some("path_not_portable"), "{name:?}");
        assert_eq!(judge(POSIX, &format!("./{name}")).1, None, "{name:?}");
    }
    kept(
        WINDOWS,
        &[
            ("./console", "console"),
            ("./COM", "COM"),
            ("./COM10", "COM10"),
            ("./xCON", "xCON"),
            ("./.con", ".con"),
        ],
    );
}

#[test]
fn a_drive_like_name_below_the_posix_root_stays_below_it() {
    let (resource, code) = judge("file:///", "./D:/x");
    assert_eq!((resource.is_some(), code), (true, None));
}

#[test]
fn a_root_that_takes_no_names_has_nothing_below_it() {
    // A Windows device: `\\.\COM1\`.
    let device =
        codex_path_uri::PathUri::from_native(r"\\.\COM1", codex_path_uri::PathConvention::Windows);
    dropped(device.unwrap().as_str(), "path_is_root", &["./a"]);
}
