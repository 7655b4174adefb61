//! Generated paths of both conventions, with a taste for whatever is special somewhere.

use codex_path_uri::{
    FALLBACK_PREFIX, FileName,
    PathConvention::{self, Posix, Windows},
    PathUri,
};
use proptest::{collection::vec, prelude::*, sample::select};

/// Parts of names that some parser, shell or filesystem treats in a way of its own.
const PARTS: [&str; 40] = [
    "a",
    "b",
    "Z",
    "C",
    "x",
    ".",
    "..",
    " ",
    "~",
    "%",
    "%41",
    "%2F",
    "%2e",
    "%00",
    "?",
    "#",
    ":",
    "|",
    "C:",
    "c|",
    "$",
    "@",
    "+",
    "^",
    "`",
    "\"",
    "<",
    "{",
    "[",
    "]",
    "\t",
    "\u{7f}",
    "é",
    "e\u{301}",
    "\u{1F600}",
    "UNC",
    "localhost",
    "bad",
    "COM1",
    "\u{FFFD}",
];

fn name_text() -> impl Strategy<Value = String> {
    vec(select(&PARTS[..]), 1..4).prop_map(|parts| parts.concat())
}

/// Any POSIX name: a byte string that need not be Unicode.
pub(crate) fn posix_name() -> impl Strategy<Value = FileName> {
    let bytes = prop_oneof![
        6 => name_text().prop_map(String::into_bytes),
        1 => name_text().prop_map(|name| format!("{name}\\").into_bytes()),
        2 => vec(any::<u8>(), 1..6),
    ];
    bytes.prop_map(|mut bytes| {
        for byte in bytes.iter_mut().filter(|byte| matches!(byte, 0 | b'/')) {
            *byte = b'_';
        }
        if matches!(&*bytes, b"." | b"..") {
            bytes.push(b'x');
        }
        FileName::from_posix_bytes(bytes).expect("a POSIX name")
    })
}

/// Any Windows name that is Unicode.
pub(crate) fn windows_name() -> impl Strategy<Value = FileName> {
    let text = prop_oneof![4 => name_text(), 1 => any::<String>()];
    text.prop_map(|text| {
        let mut name = text.replace(['\0', '/', '\\'], "_");
        if matches!(&*name, "" | "." | "..") {
            name.push('x');
        }
        FileName::new(&name, Windows).expect("a Windows name")
    })
}

/// Any Windows name at all: code units that need not be Unicode.
pub(crate) fn windows_name_of_units() -> impl Strategy<Value = FileName> {
    let unit = prop_oneof![Just(0x61), 0xD7F0..0xE010_u16, any::<u16>()];
    vec(unit, 1..5).prop_map(|mut units| {
        for unit in units
            .iter_mut()
            .filter(|unit| matches!(**unit, 0 | 0x2E | 0x2F | 0x5C))
        {
            *unit = 0x5F;
        }
        FileName::from_windows_units(&units).expect("a Windows name")
    })
}

pub(crate) fn name(convention: PathConvention) -> BoxedStrategy<FileName> {
    match convention {
        Posix => posix_name().boxed(),
        Windows => prop_oneof![6 => windows_name(), 1 => windows_name_of_units()].boxed(),
    }
}

pub(crate) fn convention() -> impl Strategy<Value = PathConvention> {
    select(&[Posix, Windows][..])
}

/// A root of either convention, spelled as its URI.
pub(crate) fn root() -> impl Strategy<Value = PathUri> {
    let drive = "[A-Z]".prop_map(|letter| format!("file:///{letter}:/"));
    let host = prop_oneof![
        "[a-z][a-z0-9$_]{0,6}(-[a-z]|\\.[a-z][a-z0-9]{0,3})?",
        any::<std::net::Ipv4Addr>().prop_map(|address| address.to_string()),
        Just("[::1]".to_owned()),
        Just("xn--bcher-kva".to_owned()),
    ];
    let share = windows_name().prop_map(|name| format!("{name}-share"));
    let unc = (host, share).prop_map(|(host, share)| {
        let root = PathUri::from_native(&format!(r"\\{host}\{share}"), Windows).expect("absolute");
        assert!(!root.is_opaque(), "{root}");
        root
    });
    prop_oneof![
        2 => Just("file:///".to_owned()).prop_map(|text| PathUri::parse(&text).expect("the root")),
        1 => drive.prop_map(|text| PathUri::parse(&text).expect("a drive")),
        1 => unc,
    ]
}

/// A root and names that can stand below it in an ordinary value or a lexical fallback.
pub(crate) fn root_and_names() -> impl Strategy<Value = (PathUri, Vec<FileName>)> {
    root().prop_flat_map(|root| {
        let names = match root.convention() {
            Some(Windows) => windows_name().boxed(),
            _ => posix_name().boxed(),
        };
        (Just(root), vec(names, 0..6))
    })
}

/// Any value that has names.
pub(crate) fn lexical_uri() -> impl Strategy<Value = PathUri> {
    root_and_names().prop_map(|(root, names)| joined(root, &names))
}

pub(crate) fn joined(root: PathUri, names: &[FileName]) -> PathUri {
    names.iter().fold(root, |path, name| {
        path.join_name(name).expect("a name of the same convention")
    })
}

/// Native texts whose URI is a fallback, and some whose URI is not.
pub(crate) fn odd_native() -> impl Strategy<Value = (String, PathConvention)> {
    let tail = vec(
        select(&["a", "..", ".", "", "C:", "x\0y", "UNC", "?", "b c"][..]),
        0..5,
    );
    let head = select(
        &[
            ("/", Posix),
            ("/C:/", Posix),
            (r"\\?\", Windows),
            (r"\\.\", Windows),
            (r"\\?\UNC\", Windows),
            (r"//./unc/", Windows),
            (r"\\localhost\", Windows),
            (r"\\SERVER\share\", Windows),
            (r"\\bücher\", Windows),
            (r"\\127.1\", Windows),
            (r"c:\", Windows),
            (r"\\?\d:\", Windows),
        ][..],
    );
    (head, tail).prop_map(|((head, convention), tail)| {
        let separator = if convention == Posix { "/" } else { r"\" };
        (head.to_owned() + &tail.join(separator), convention)
    })
}

/// The fallback value of any payload.
pub(crate) fn fallback() -> impl Strategy<Value = PathUri> {
    let payload = prop_oneof![
        vec(any::<u8>(), 1..8),
        odd_native().prop_map(|(native, _)| native.into_bytes()),
        odd_native()
            .prop_map(|(native, _)| native.encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ];
    payload.prop_filter_map("a payload", |payload: Vec<u8>| {
        PathUri::parse(&format!("{FALLBACK_PREFIX}{}", base64_url(&payload))).ok()
    })
}

/// URL-safe base64 without padding, written down here so as not to test the crate with itself.
pub(crate) fn base64_url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .fold(0, |word, byte| (word << 8) | usize::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            text.push(char::from(ALPHABET[(word >> (18 - 6 * digit)) & 63]));
        }
    }
    text
}

/// Any value.
pub(crate) fn uri() -> impl Strategy<Value = PathUri> {
    let native = odd_native().prop_filter_map("absolute", |(text, convention)| {
        PathUri::from_native(&text, convention).ok()
    });
    let units = (root(), windows_name_of_units())
        .prop_filter_map("a Windows root", |(root, name)| root.join_name(&name).ok());
    prop_oneof![6 => lexical_uri(), 2 => native, 2 => fallback(), 1 => units]
}

/// Two values of which one is often below the other.
pub(crate) fn related() -> impl Strategy<Value = (PathUri, PathUri)> {
    let family = uri().prop_flat_map(|uri| {
        let line: Vec<PathUri> = uri.ancestors().collect();
        (Just(uri), select(line), any::<bool>())
    });
    let either_way =
        family.prop_map(|(below, above, swap)| if swap { (above, below) } else { (below, above) });
    prop_oneof![3 => either_way, 1 => (uri(), uri())]
}

/// Texts that look like file URIs, well written or not.
pub(crate) fn uri_text() -> impl Strategy<Value = String> {
    let piece = select(
        &[
            "file:",
            "FILE:",
            "//",
            "/",
            "///",
            "localhost",
            "server",
            "C:",
            "c|",
            "C%3A",
            "%7C",
            "a",
            "..",
            ".",
            "%2e",
            "%2E.",
            "%00",
            "/%00/bad/path/",
            "YQ",
            "L0M6",
            "%2f",
            "%5C",
            "\\",
            " ",
            "\t",
            "?",
            "#",
            "%",
            "%zz",
            "@",
            ":80",
            "é",
            "%FF",
            "127.1",
            "[::1]",
            "",
        ][..],
    );
    prop_oneof![
        4 => vec(piece.clone(), 0..8).prop_map(|pieces| format!("file:{}", pieces.concat())),
        2 => vec(piece, 0..8).prop_map(|pieces| format!("file:///{}", pieces.concat())),
        6 => segmented_text(),
        1 => any::<String>(),
    ]
}

/// URIs whose segments are special, with at most a first one that looks like a drive: the `url`
/// crate takes one for a drive at any depth, which the URL standard does not.
pub(crate) fn segmented_text() -> impl Strategy<Value = String> {
    let head = select(vec![
        "file:///",
        "file://server/",
        "file://localhost/",
        "file:////",
        "file://SERVER/",
    ]);
    let first = select(vec![
        "", "", "C:/", "c|/", "C%3A/", "%43:/", "c%7C/", "./C:/", "a/../c:/",
    ]);
    let segment = select(vec![
        "", ".", "..", "%2e", "%2E.", "a", "b%20c", "C", "é", "%FF", "%5C", "server",
    ]);
    (head, first, vec(segment, 0..6))
        .prop_map(|(head, first, segments)| format!("{head}{first}{}", segments.join("/")))
}

/// Relative or absolute native text for joins.
pub(crate) fn join_text() -> impl Strategy<Value = String> {
    let piece = select(
        &[
            "a", "b", "..", ".", "/", "/", "\\", "C:", "c:", "D:", "|", "%41", " ", "é", "\0", "~",
            "server", ".git",
        ][..],
    );
    prop_oneof![6 => vec(piece, 0..8).prop_map(|pieces| pieces.concat()), 1 => any::<String>()]
}
