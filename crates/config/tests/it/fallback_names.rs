//! The table of fallback file names, in both conventions.

use codex_config::{Config, MAX_DIAGNOSTICS_PER_KEY, NameProblem, fallback_name_is_plain};
use codex_path_uri::PathConvention::{Posix, Windows};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::support::{posix, stack, user, windows};

fn names(configured: &[&str]) -> (Vec<String>, Vec<String>) {
    let quoted: Vec<_> = configured
        .iter()
        .map(|name| serde_json::to_string(name).unwrap())
        .collect();
    let text = format!("project_doc_fallback_filenames = [{}]", quoted.join(", "));
    let (config, diagnostics) = Config::from_stack(stack([(user(), &text)])).unwrap();
    let reasons = diagnostics
        .iter()
        .filter_map(|diagnostic| Some(diagnostic.reason()?.into_owned()))
        .collect();
    (config.project_doc_fallback_filenames, reasons)
}

#[test]
fn plain_names_are_kept_in_order() {
    let kept = [
        "F.md",
        "..x",
        "x..",
        "~x",
        "*.md",
        "$HOME",
        "-rf",
        "%2e%2e",
        "CON",
        "agents.md",
        "tab\there",
        "é.md",
        "e\u{301}.md",
        "a\\b",
        "C:X.md",
        "a:b",
        "...",
    ];
    assert_eq!(names(&kept), (kept.map(str::to_owned).to_vec(), vec![]));
}

#[test]
fn names_are_trimmed_of_unicode_white_space() {
    assert_eq!(
        names(&[" pad.md ", "\u{a0}\u{3000}x y\u{2028}"]).0,
        ["pad.md", "x y"]
    );
}

#[test]
fn what_is_no_plain_name_is_dropped_with_its_reason() {
    let cases = [
        ("", "blank"),
        (" \t\u{2003}", "blank"),
        (".", "dot"),
        (" .. ", "dot"),
        ("a/b", "separator"),
        ("../X", "separator"),
        ("/abs", "separator"),
        ("X/", "separator"),
        ("./AGENTS.md", "separator"),
        ("file:///x", "separator"),
        ("a\0b", "nul"),
    ];
    for (name, reason) in cases {
        assert_eq!(
            names(&[name]),
            (vec![], vec![reason.to_owned()]),
            "{name:?}"
        );
    }
}

#[test]
fn duplicates_and_the_names_that_are_candidates_anyway_are_dropped_silently() {
    let configured = ["X.md", "AGENTS.md", " X.md", "AGENTS.override.md", "Y.md"];
    assert_eq!(
        names(&configured),
        (vec!["X.md".to_owned(), "Y.md".to_owned()], vec![])
    );
}

#[test]
fn windows_refuses_backslashes_and_colons_too() {
    let cases = [
        ("a\\b", Err(NameProblem::Separator)),
        ("C:X.md", Err(NameProblem::Drive)),
        ("a:b", Err(NameProblem::Drive)),
        ("F.md:stream", Err(NameProblem::Drive)),
        ("C:\\X.md", Err(NameProblem::Separator)),
        ("a/b", Err(NameProblem::Separator)),
        ("..", Err(NameProblem::Dot)),
        (" ", Err(NameProblem::Blank)),
        ("a\0b", Err(NameProblem::Nul)),
        ("CON", Ok(())),
        ("F.md", Ok(())),
    ];
    for (name, expected) in cases {
        assert_eq!(fallback_name_is_plain(name, Windows), expected, "{name:?}");
    }
}

#[test]
fn a_flood_of_dropped_names_is_told_up_to_a_limit_and_then_counted() {
    let names = "'a/b',".repeat(MAX_DIAGNOSTICS_PER_KEY + 2);
    let text = format!("project_doc_fallback_filenames = [{names}]");
    let (_, told) = Config::from_stack(stack([(user(), &text)])).unwrap();
    assert_eq!(told.len(), MAX_DIAGNOSTICS_PER_KEY + 1);
    let last = told.last().unwrap();
    assert_eq!(last.code(), "diagnostics_truncated");
    assert_eq!(last.reason().as_deref(), Some("2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_plain_name_is_a_direct_child_of_any_directory(name in "[a-cA-C./\\\\: ~\0]{0,6}|(?s).{0,4}") {
        for (convention, directory) in [(Posix, posix("/r/a")), (Windows, windows("C:\\r\\a"))] {
            if fallback_name_is_plain(&name, convention).is_ok() {
                let child = directory.join(&name).unwrap();
                prop_assert_eq!(child.parent(), Some(directory));
                let basename = child.basename();
                prop_assert_eq!(basename.as_deref(), Some(name.as_str()));
            }
        }
    }
}
