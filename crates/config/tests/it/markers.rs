//! The table of project root markers, in both conventions.

use codex_config::{
    MAX_DIAGNOSTICS_PER_KEY, MarkerProblem, MarkersSource, RejectedMarker, TomlValue,
    UsableMarkers, ValueOrigin, default_project_root_markers, project_root_markers_from_config,
    usable_markers,
};
use codex_path_uri::PathConvention::{self, Posix, Windows};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::support::{origin, posix, session, table, user, windows};

fn usable(markers: &[&str], convention: PathConvention) -> UsableMarkers {
    let markers = markers.iter().map(|marker| (*marker).to_owned()).collect();
    usable_markers(Some(markers), origin(user(), Some((1, 24))), convention)
}

fn judged(marker: &str, convention: PathConvention) -> Result<String, MarkerProblem> {
    // A second marker keeps the defaults out.
    let mut usable = usable(&[marker, "kept"], convention);
    match usable.rejected.pop() {
        Some(rejected) => Err(rejected.reason),
        None => Ok(usable.markers.remove(0)),
    }
}

#[test]
fn a_table_sets_markers_as_written() {
    let configured = |text| project_root_markers_from_config(&table(text)).unwrap();
    assert_eq!(configured("a = 1"), None);
    assert_eq!(configured("project_root_markers = []"), Some(vec![]));
    let expected = [" ", ".git", ".git", "../x"].map(str::to_owned).to_vec();
    assert_eq!(
        configured("project_root_markers = [' ', '.git', '.git', '../x']"),
        Some(expected)
    );
    assert_eq!(
        project_root_markers_from_config(&TomlValue::Integer(1)).unwrap(),
        None
    );
}

#[test]
fn what_is_no_array_of_strings_is_invalid_data() {
    for value in ["'.git'", "1", "{}", "['.git', 1]", "[['.git']]"] {
        let config = table(&format!("project_root_markers = {value}"));
        let error = project_root_markers_from_config(&config).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
        assert_eq!(
            error.to_string(),
            "project_root_markers must be an array of strings"
        );
    }
}

#[test]
fn markers_are_normalised_lexically() {
    for (marker, expected) in [
        (".git", ".git"),
        ("Cargo.toml", "Cargo.toml"),
        ("x/y", "x/y"),
        (".git/HEAD", ".git/HEAD"),
        ("*.sln", "*.sln"),
        ("%2e", "%2e"),
        ("x\\y", "x\\y"),
        (".git/", ".git"),
        (".git///", ".git"),
        ("./x//./y/", "x/y"),
        ("x/../.hg", ".hg"),
        (" .git ", " .git "),
        ("...", "..."),
        ("C:x", "C:x"),
        ("\\x", "\\x"),
        ("~", "~"),
    ] {
        assert_eq!(judged(marker, Posix).as_deref(), Ok(expected), "{marker:?}");
    }
}

#[test]
fn windows_markers_have_two_separators() {
    for (marker, expected) in [
        ("x\\y", "x/y"),
        (".git\\", ".git"),
        ("x\\..\\.hg", ".hg"),
        ("a:b/c", "a:b/c"),
    ] {
        let expected = if marker == "a:b/c" {
            Err(MarkerProblem::Absolute)
        } else {
            Ok(expected.to_owned())
        };
        assert_eq!(judged(marker, Windows), expected, "{marker:?}");
    }
    assert_eq!(judged("ab:c", Windows).as_deref(), Ok("ab:c"));
}

#[test]
fn a_marker_that_describes_nothing_in_an_ancestor_is_dropped() {
    use MarkerProblem::{Absolute, Blank, Dot, Escapes, Nul};
    for (marker, expected) in [
        ("", Blank),
        (" \t\u{3000}", Blank),
        ("..", Escapes),
        ("../mark", Escapes),
        ("x/../../y", Escapes),
        (".", Dot),
        ("./", Dot),
        ("x/..", Dot),
        ("/etc/passwd", Absolute),
        ("/", Absolute),
        ("a\0b", Nul),
        ("/a\0", Nul),
        ("../\0", Nul),
    ] {
        assert_eq!(judged(marker, Posix), Err(expected), "{marker:?}");
        assert_eq!(judged(marker, Windows), Err(expected), "{marker:?}");
    }
    for (marker, expected) in [
        ("\\x", Absolute),
        ("C:\\x", Absolute),
        ("c:/x", Absolute),
        ("C:x", Absolute),
        ("C:", Absolute),
        ("\\\\server\\share", Absolute),
        (".\\C:x", Absolute),
        ("y/../C:x", Absolute),
        ("..\\mark", Escapes),
    ] {
        assert_eq!(judged(marker, Windows), Err(expected), "{marker:?}");
    }
}

#[test]
fn nothing_configured_gives_the_defaults() {
    let usable = usable_markers(None, ValueOrigin::Default, Posix);
    assert_eq!(usable.markers, default_project_root_markers());
    assert_eq!(usable.markers, [".git"]);
    assert_eq!(
        (usable.source.clone(), usable.rejected.clone()),
        (MarkersSource::Default, vec![])
    );
    assert_eq!(usable.diagnostics(), []);
}

#[test]
fn an_empty_list_disables_traversal() {
    let usable = usable(&[], Posix);
    let source = MarkersSource::Configured(origin(user(), Some((1, 24))));
    assert_eq!(
        usable,
        UsableMarkers {
            markers: vec![],
            source,
            rejected: vec![]
        }
    );
    assert_eq!(usable.diagnostics(), []);
}

#[test]
fn valid_markers_stay_in_order_and_each_dropped_one_is_a_warning() {
    let usable = usable(&["", ".hg", "../x", ".git", ".hg/"], Posix);
    assert_eq!(usable.markers, [".hg", ".git"]);
    assert_eq!(
        usable.source,
        MarkersSource::Configured(origin(user(), Some((1, 24))))
    );
    let found: Vec<_> = usable
        .diagnostics()
        .into_iter()
        .map(|found| {
            let (text, reason) = (found.text(), found.reason().unwrap());
            format!("{}: {text:?}, {reason}", found.code())
        })
        .collect();
    let expected = [
        "invalid_marker: \"\", blank",
        "invalid_marker: \"../x\", escapes",
    ];
    assert_eq!(found, expected);
}

#[test]
fn when_all_are_dropped_the_defaults_are_used_and_it_is_said() {
    let usable = usable(&["/abs", ".."], Posix);
    assert_eq!(usable.markers, [".git"]);
    assert_eq!(
        usable.source,
        MarkersSource::DefaultAfterInvalid(origin(user(), Some((1, 24))))
    );
    let codes: Vec<_> = usable
        .diagnostics()
        .into_iter()
        .map(|found| found.code())
        .collect();
    let expected = ["invalid_marker", "invalid_marker", "default_markers_used"];
    assert_eq!(codes, expected);
}

#[test]
fn a_value_of_the_wrong_type_is_one_warning() {
    let usable = UsableMarkers {
        markers: default_project_root_markers(),
        source: MarkersSource::DefaultAfterInvalid(origin(session(), None)),
        rejected: vec![],
    };
    let codes: Vec<_> = usable
        .diagnostics()
        .into_iter()
        .map(|found| found.code())
        .collect();
    assert_eq!(codes, ["invalid_project_root_markers"]);
}

#[test]
fn a_flood_of_dropped_markers_is_told_up_to_a_limit_and_then_counted() {
    let markers: Vec<String> = (0..MAX_DIAGNOSTICS_PER_KEY + 3)
        .map(|index| format!("../{index}"))
        .collect();
    let usable = usable_markers(Some(markers), origin(session(), None), Posix);
    let told = usable.diagnostics();
    let (dropped, rest) = told.split_at(MAX_DIAGNOSTICS_PER_KEY);
    assert_eq!(usable.rejected.len(), MAX_DIAGNOSTICS_PER_KEY + 3);
    assert_eq!(dropped.last().unwrap().text(), "../1023");
    let sentences: Vec<String> = rest.iter().map(ToString::to_string).collect();
    assert_eq!(
        sentences,
        [
            "-c: more findings about \"project_root_markers\" are left out (3)",
            "-c: no project root marker can be used, so the defaults are",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_usable_marker_names_something_at_or_below_the_ancestor(
        markers in prop::collection::vec("[a-bC.:/\\\\]{0,7}| ", 1..4)
    ) {
        for (convention, ancestor) in [(Posix, posix("/r/a")), (Windows, windows("C:\\r\\a"))] {
            let usable = usable_markers(Some(markers.clone()), ValueOrigin::Default, convention);
            for marker in &usable.markers {
                prop_assert!(ancestor.join(marker).unwrap().starts_with(&ancestor), "{marker:?}");
            }
            let again = usable_markers(Some(usable.markers.clone()), ValueOrigin::Default, convention);
            prop_assert_eq!(&again.markers, &usable.markers);
            let dropped: Vec<_> = usable.rejected.iter().map(|RejectedMarker { marker, .. }| marker).collect();
            prop_assert!(dropped.iter().all(|marker| markers.contains(marker)));
        }
    }
}
