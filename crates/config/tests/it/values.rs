//! Judged values: defaults, types, which layers count, and which error comes first.

use codex_config::{
    Config, ConfigError, ConfigLayerEntry, ConfigLayerStack, DEFAULT_PROJECT_DOC_MAX_BYTES,
    DisabledReason,
};
use pretty_assertions::assert_eq;

use crate::support::{layer, origin, project, session, stack, table, user};

fn judged(stack: ConfigLayerStack) -> Config {
    let (config, diagnostics) = Config::from_stack(stack).unwrap();
    assert_eq!(diagnostics, []);
    config
}

/// The message about a wrong value in the user file.
fn refusal(text: &str) -> String {
    let error = Config::from_stack(stack([(user(), text)])).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    error.to_string()
}

#[test]
fn an_empty_stack_gives_the_defaults() {
    assert_eq!(judged(ConfigLayerStack::default()), Config::default());
    assert_eq!(Config::default().project_doc_max_bytes, 32_768);
    assert_eq!(DEFAULT_PROJECT_DOC_MAX_BYTES, 32_768);
}

#[test]
fn the_limit_is_an_integer_of_zero_or_more() {
    for (text, expected) in [
        ("0", 0),
        ("1", 1),
        ("9223372036854775807", i64::MAX as usize),
    ] {
        let config = judged(stack([(
            user(),
            &format!("project_doc_max_bytes = {text}"),
        )]));
        assert_eq!(config.project_doc_max_bytes, expected);
    }
    for (text, found) in [
        ("-1", "a negative integer"),
        ("1.0", "a float"),
        ("'1'", "a string"),
        ("true", "a boolean"),
        ("1979-05-27", "a datetime"),
        ("[1]", "an array"),
        ("{}", "a table"),
    ] {
        assert_eq!(
            refusal(&format!("project_doc_max_bytes = {text}")),
            format!(
                "/home/.codex/config.toml:1:25: `project_doc_max_bytes`: \
                 expected an integer of 0 or more, found {found}"
            )
        );
    }
}

#[test]
fn a_project_layer_may_set_the_limit_and_the_names() {
    let text = "project_doc_max_bytes = 0\nproject_doc_fallback_filenames = ['X.md']";
    let config = judged(stack([
        (user(), "project_doc_max_bytes = 9"),
        (project("/r"), text),
    ]));
    assert_eq!(config.project_doc_max_bytes, 0);
    assert_eq!(config.project_doc_fallback_filenames, ["X.md"]);
}

#[test]
fn a_wrong_value_that_a_higher_layer_replaces_is_never_seen() {
    let text =
        "project_doc_max_bytes = 'x'\nproject_root_markers = 5\nproject_doc_fallback_filenames = 5";
    let replaced =
        "project_doc_max_bytes = 1\nproject_root_markers = []\nproject_doc_fallback_filenames = []";
    assert_eq!(
        judged(stack([(user(), text), (session(), replaced)])).project_doc_max_bytes,
        1
    );
}

#[test]
fn a_wrong_value_in_a_disabled_layer_is_never_seen() {
    let disabled =
        layer(project("/r"), "project_doc_max_bytes = 'x'").disabled(DisabledReason::NotTrusted);
    judged(ConfigLayerStack::new(vec![disabled]).unwrap());
}

#[test]
fn an_array_must_hold_strings_only_and_the_element_is_pointed_at() {
    for key in ["project_doc_fallback_filenames", "project_root_markers"] {
        assert_eq!(
            refusal(&format!("{key} = [\n  'a',\n  'b', 5]")),
            format!(
                "/home/.codex/config.toml:3:8: `{key}`: expected an array of strings, \
                 found an integer in the array"
            )
        );
        let column = key.len() + 4;
        assert_eq!(
            refusal(&format!("{key} = 'a'")),
            format!(
                "/home/.codex/config.toml:1:{column}: `{key}`: expected an array of strings, \
                 found a string"
            )
        );
    }
}

#[test]
fn a_table_in_place_of_a_value_is_pointed_at_by_its_header() {
    for (text, place) in [
        ("x = 1\n [project_root_markers]\na = 1\n", "2:2"),
        ("x = 1\n[project_root_markers.a.b]\n", "2:2"),
        ("[[project_root_markers]]\na = 1\n", "1:1"),
        ("project_root_markers.a = 1\n", "1:1"),
    ] {
        let message = refusal(text);
        assert!(
            message.starts_with(&format!("/home/.codex/config.toml:{place}: ")),
            "{message}"
        );
    }
}

#[test]
fn markers_are_judged_with_and_without_the_project() {
    let bad = "project_root_markers = 5";
    let good = "project_root_markers = ['.hg']";
    let masked = Config::from_stack(stack([(user(), bad), (project("/r"), good)])).unwrap_err();
    assert!(
        masked
            .to_string()
            .starts_with("/home/.codex/config.toml:1:24: "),
        "{masked}"
    );
    let added = Config::from_stack(stack([(user(), good), (project("/r"), bad)])).unwrap_err();
    assert!(
        added
            .to_string()
            .starts_with("/r/.codex/config.toml:1:24: "),
        "{added}"
    );
}

#[test]
fn the_first_error_is_that_of_the_lowest_layer_then_of_the_first_line() {
    let layers = [
        (
            user(),
            "\n\nproject_root_markers = 5\nproject_doc_fallback_filenames = 5",
        ),
        (project("/r"), "project_doc_max_bytes = 'x'"),
    ];
    let error = Config::from_stack(stack(layers)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("/home/.codex/config.toml:3:24: "),
        "{error}"
    );
}

#[test]
fn an_error_without_a_position_names_the_layer() {
    let layers = vec![ConfigLayerEntry::new(
        session(),
        table("project_root_markers = '.git'"),
    )];
    match Config::from_stack(ConfigLayerStack::new(layers).unwrap()) {
        Err(error @ ConfigError::InvalidValue { .. }) => assert_eq!(
            error.to_string(),
            "-c: `project_root_markers`: expected an array of strings, found a string"
        ),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_fallback_name_that_is_not_plain_is_one_warning_with_its_place() {
    let text = "project_doc_fallback_filenames = [' ', 'A.md',\n 'a/b', ' A.md ']";
    let (config, diagnostics) = Config::from_stack(stack([(user(), text)])).unwrap();
    assert_eq!(config.project_doc_fallback_filenames, ["A.md"]);
    let found: Vec<_> = diagnostics
        .iter()
        .map(|found| {
            (
                found.code(),
                found.origin().clone(),
                found.text().into_owned(),
                found.reason().map(std::borrow::Cow::into_owned),
            )
        })
        .collect();
    let expected = [((1, 35), " ", "blank"), ((2, 2), "a/b", "separator")];
    let expected = expected.map(|(place, text, reason)| {
        let origin = origin(user(), Some(place));
        let (text, reason) = (text.to_owned(), Some(reason.to_owned()));
        ("invalid_fallback_name", origin, text, reason)
    });
    assert_eq!(found, expected);
}

#[test]
fn judging_does_not_change_the_stack_and_emits_no_marker_warning() {
    let stack = stack([(
        user(),
        "project_root_markers = ['..']\nunknown = { a = [1] }",
    )]);
    assert_eq!(judged(stack.clone()).config_layer_stack, stack);
}
