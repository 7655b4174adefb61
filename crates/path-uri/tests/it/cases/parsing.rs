//! Groups `parse`, `parse_with_convention` and `serde`.

use codex_path_uri::{PathConvention, PathRule, PathUri, PathUriError, Repair};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::{convention, convention_json, error, repair_codes, run, text, text_and_convention};

pub(super) fn strict_with_path(result: Result<PathUri, PathUriError>) -> Value {
    result.map_or_else(
        |failed| error(&failed),
        |uri| {
            json!({
                "text": uri.as_str(),
                "encoded_path": uri.encoded_path(),
                "convention": convention_json(uri.convention()),
            })
        },
    )
}

pub(super) fn strict(result: Result<PathUri, PathUriError>) -> Value {
    result.map_or_else(|failed| error(&failed), |uri| text_and_convention(&uri))
}

pub(super) fn lenient(result: Result<(PathUri, Vec<Repair>), PathUriError>) -> Value {
    result.map_or_else(
        |failed| error(&failed),
        |(uri, repairs)| {
            json!({
                "text": uri.as_str(),
                "convention": convention_json(uri.convention()),
                "repairs": repair_codes(&repairs),
            })
        },
    )
}

#[test]
fn parse() {
    run("parse", |case| {
        let input = text(case, "input");
        json!({
            "strict": strict_with_path(PathUri::parse(input)),
            "lenient": lenient(PathUri::parse_lenient(input, None)),
        })
    });
}

#[test]
fn parse_with_convention() {
    run("parse_with_convention", |case| {
        let (input, hint) = (text(case, "input"), convention(case, "hint"));
        json!({
            "strict": strict(PathUri::parse_with_convention(input, hint)),
            "lenient": lenient(PathUri::parse_lenient(input, Some(hint))),
        })
    });
}

#[test]
fn serde() {
    run("serde", |case| {
        let parsed: Result<PathUri, _> = serde_json::from_value(case["json"].clone());
        let expect = match (&case["json"], parsed) {
            (_, Ok(uri)) => json!({ "serialized": uri }),
            (Value::String(text), Err(failed)) => {
                let parse_error = PathUri::parse(text).expect_err("the same verdict");
                assert_eq!(failed.to_string(), parse_error.to_string());
                error(&parse_error)
            }
            (_, Err(failed)) => {
                assert!(
                    failed.to_string().contains("expected a file URI"),
                    "{failed}"
                );
                json!({ "error": "type_error" })
            }
        };
        json!({ "expect": expect })
    });
}

#[test]
fn a_dot_segment_does_not_remove_what_may_be_a_drive() {
    let lenient = |hint| {
        let (uri, repairs) =
            PathUri::parse_lenient("file:///a/../c|/../d|/x", hint).expect("repairable");
        (uri.to_string(), repairs)
    };
    for hint in [None, Some(PathConvention::Posix)] {
        assert_eq!(
            lenient(hint).1,
            [Repair {
                rule: PathRule::AmbiguousDrive,
                at: 13
            }]
        );
    }
    assert_eq!(lenient(None).0, "file:///C:/d|/x");
    assert_eq!(lenient(Some(PathConvention::Posix)).0, "file:///d%7C/x");
    let strict = PathUri::parse("file:///a/../c|/../x").expect_err("ambiguous");
    assert_eq!(strict.rule(), PathRule::AmbiguousDrive);
}

#[test]
fn conventions_are_lower_case_in_json() {
    for (convention, name) in [
        (PathConvention::Posix, "posix"),
        (PathConvention::Windows, "windows"),
    ] {
        assert_eq!(convention_json(Some(convention)), json!(name));
    }
}
