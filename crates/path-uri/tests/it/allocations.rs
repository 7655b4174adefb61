//! How often each operation allocates, counted.

use allocation_counter::measure;
use codex_path_uri::{
    CasePolicy, FileName,
    PathConvention::{Posix, Windows},
    PathUri,
};
use pretty_assertions::assert_eq;

const CANONICAL: [&str; 8] = [
    "file:///",
    "file:///home/alice/projects/context/src/main.rs",
    "file:///home/alice/.config/a%20b/%C3%A9/..x",
    "file:///C%7C/x",
    "file:///C:/",
    "file:///C:/Users/alice/a%20b/%C3%A9.rs",
    "file://server/share",
    "file://wsl$/Ubuntu/home/alice/a%20b",
];

/// How often `work` allocates.
fn count<R>(work: impl FnOnce() -> R) -> u64 {
    let mut result = None;
    let counted = measure(|| result = Some(work()));
    drop(result);
    counted.count_total
}

fn uri(text: &str) -> PathUri {
    PathUri::parse(text).unwrap()
}

#[test]
fn parsing_canonical_text_allocates_once() {
    for text in CANONICAL {
        assert_eq!(count(|| PathUri::parse(text).unwrap()), 1, "{text}");
    }
    let long = format!("file:///{}", "directory/".repeat(10_000) + "file");
    assert_eq!(count(|| PathUri::parse(&long).unwrap()), 1);
}

#[test]
fn reading_clean_native_text_allocates_once() {
    let clean = [
        ("/", Posix),
        ("/home/alice/projects/context/src/main.rs", Posix),
        ("/home/alice/.config/x", Posix),
        (r"C:\", Windows),
        (r"c:\Users\alice\projects/context\.git", Windows),
        (r"\\server\share", Windows),
        (r"\\server\share\a\b", Windows),
        (r"\\?\C:\a\b", Windows),
    ];
    for (text, convention) in clean {
        assert_eq!(
            count(|| PathUri::from_native(text, convention).unwrap()),
            1,
            "{text}"
        );
    }
    let deep = "/directory".repeat(400);
    assert_eq!(count(|| PathUri::from_native(&deep, Posix).unwrap()), 1);
}

#[test]
fn joining_one_clean_name_allocates_once() {
    for text in CANONICAL {
        let base = uri(text);
        let name = FileName::new("AGENTS.md", base.convention().unwrap()).unwrap();
        for joined in ["AGENTS.md", ".git", "a/b"] {
            assert_eq!(
                count(|| base.join(joined).unwrap()),
                1,
                "{text} and {joined}"
            );
        }
        assert_eq!(count(|| base.join_name(&name).unwrap()), 1, "{text}");
        assert_eq!(
            count(|| base.join_native_bytes(b"AGENTS.md").unwrap()),
            1,
            "{text}"
        );
    }
}

#[test]
fn going_up_does_not_allocate() {
    for text in CANONICAL {
        let uri = uri(text);
        assert_eq!(count(|| uri.parent()), 0, "{text}");
        assert_eq!(count(|| uri.ancestors().count()), 0, "{text}");
        assert_eq!(count(|| uri.ancestors().last().unwrap()), 0, "{text}");
    }
}

#[test]
fn looking_does_not_allocate() {
    let all = CANONICAL.map(uri);
    for one in &all {
        assert_eq!(count(|| one.clone()), 0);
        assert_eq!(
            count(|| (one.convention(), one.host(), one.encoded_path().len())),
            0
        );
        assert_eq!(count(|| (one.lexical_depth(), one.is_opaque())), 0);
        for other in &all {
            assert_eq!(
                count(|| (one == other, one.cmp(other), one.starts_with(other))),
                0
            );
            assert_eq!(
                count(|| one.starts_with_under(other, CasePolicy::AsciiFold)),
                0
            );
            assert_eq!(
                count(|| (
                    one.overlaps(other),
                    one.eq_under(other, CasePolicy::AsciiFold)
                )),
                0
            );
        }
    }
}

#[test]
fn a_walk_of_eight_ancestors_with_one_marker_allocates_once_for_each() {
    let start = uri("file:///home/alice/projects/context/crates/agents/src/load");
    let walk = || {
        for ancestor in start.ancestors().take(8) {
            ancestor.join(".git").unwrap();
        }
    };
    assert_eq!(count(walk), 8);
}
